"""A grip: a spring and damper from a point of a link to a target, integrated implicitly."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from footfall.api.advanced import HandsWorld, sized
from footfall.api.plugin import Floats, SettingError, SimulationError


@dataclass(frozen=True, slots=True)
class Springs:
    """Gains of a grip.

    Attributes:
        stiffness: stiffness of the point, [N/m].
        damping_ratio: damping ratio; 1 is critical for the effective mass at the point.
        rotational_stiffness: stiffness about the point, [N m/rad]; 0 leaves the link free to turn.
        force_limit: largest force, [N].
        moment_limit: largest moment, [N m].
    """

    stiffness: float = 1000.0
    damping_ratio: float = 1.0
    rotational_stiffness: float = 0.0
    force_limit: float = math.inf
    moment_limit: float = math.inf

    def __post_init__(self) -> None:
        """Check the gains.

        Raises:
            SimulationError: if a value is negative or NaN, or both stiffnesses are 0.
        """
        for name in self.__slots__:
            value = getattr(self, name)
            if not value >= 0.0:
                raise SimulationError(f"grab: {name} must be at least 0, got {value:g}")
        if not math.isfinite(self.stiffness + self.rotational_stiffness + self.damping_ratio):
            raise SimulationError("grab: stiffness and damping must be finite")
        if self.stiffness + self.rotational_stiffness == 0.0:
            raise SimulationError("grab: a grip without stiffness holds nothing")


class Grip:
    """A hand that holds a point of a link and pulls it towards the hand's position.

    The wrench is that of a spring and damper at the end of the step (implicit Euler),

        ``f = K (x_hand - x - dt v+) + C (v_hand - v+)``, ``v+ = v_free + dt W f``,

    with ``v_free`` the point's velocity after the step without the hand and ``W = Lambda^-1`` its
    mobility, so that a light link on a stiff spring stays stable. Contacts are resolved after the
    grip, so ``v+`` ignores any contact at the point. ``C = 2 zeta sqrt(m K)`` with
    ``m = 3 / tr W``, the effective mass over all directions when the link was grabbed; likewise
    for rotation (Chardonnet et al., section 4, with the square root that is missing there).

    A body with an empty ``motion`` in the scene follows the hand itself, without a spring.

    Attributes:
        link: name of the link, ``body/link``.
        force: shape (3,), force on the link in the last step, world axes, [N]; the hand feels the
            opposite force.
        moment: shape (3,), moment on the link about the point, likewise, [N m].
        position: shape (3,), held point at the start of the last step, world, [m].
        velocity: shape (6,), linear and angular velocity of the held point after the last step,
            before contacts act, [m/s, rad/s].
        mass: effective mass of the point when it was grabbed, [kg]; 0 if it can only turn.
        inertia: effective inertia about the point when it was grabbed, [kg m^2]; 0 if it cannot
            turn.
    """

    def __init__(
        self,
        reach: HandsWorld,
        link: str,
        point: Floats,
        springs: Springs,
        release: Callable[[Grip], None],
        inertia: tuple[float, float] | None = None,
    ) -> None:
        """Grab a link; users call ``Simulator.grab``.

        Args:
            reach: reach of the simulation that has the link.
            link: ``link``, or ``body/link`` if there are several bodies.
            point: shape (3,), [m], in the link's frame.
            springs: gains and limits.
            release: called to let go.
            inertia: effective mass [kg] and inertia [kg m^2] at the first grab, if the grip is
                made again; None: computed now.

        Raises:
            SimulationError: if there is no such link, or it cannot move.
        """
        self._reach, self._release = reach, release
        self.link, self.springs = link, springs
        self._link, self._point = find_point(reach, link, point)
        self._out = np.zeros((8, 6))
        self.force, self.moment, self.velocity = np.zeros(3), np.zeros(3), np.zeros(6)
        self._look()
        W = self._out[2:]
        linear, angular = float(np.trace(W[:3, :3])), float(np.trace(W[3:, 3:]))
        self._carries = linear < 1e-12 and angular < 1e-12
        if self._carries and not reach.carry(self._link, np.zeros(6)):
            raise SimulationError(f"grab {link!r}: it cannot move")
        if inertia is None:
            inertia = _inverse(linear), _inverse(angular)
        self.mass, self.inertia = inertia
        k, r, zeta = springs.stiffness, springs.rotational_stiffness, springs.damping_ratio
        damping = 2.0 * zeta * math.sqrt(self.mass * k)
        self._K = np.repeat([k, r], 3)
        self._C = np.repeat([damping, 2.0 * zeta * math.sqrt(self.inertia * r)], 3)
        self.target, self.target_velocity = self._out[0, :3].copy(), np.zeros(6)
        self.target_rotation = self._rotation()

    def join(self, reach: HandsWorld, link: int, release: Callable[[Grip], None]) -> None:
        """Act in a simulator that continues the one before, from now on.

        Args:
            reach: reach of that simulator.
            link: global link in that simulator that carries the held point.
            release: called to let go in that simulator.
        """
        self._reach, self._link, self._release = reach, link, release

    def copied(self, reach: HandsWorld, link: int, release: Callable[[Grip], None]) -> Grip:
        """Return the same grip in another simulator; arguments as in ``join``."""
        other = copy.copy(self)
        other._out, other.velocity = self._out.copy(), self.velocity.copy()
        other.force, other.moment = self.force.copy(), self.moment.copy()
        other.join(reach, link, release)
        return other

    @property
    def held_link(self) -> int:
        """Global link that carries the held point."""
        return self._link

    @property
    def position(self) -> Floats:
        """Held point at the start of the last step."""
        return self._out[0, :3].copy()

    @property
    def damping(self) -> float:
        """Damping at the point, [N s/m]."""
        return float(self._C[0])

    def move(
        self,
        position: Floats,
        velocity: npt.ArrayLike = (0.0, 0.0, 0.0),
        rotation: Floats | None = None,
        angular_velocity: npt.ArrayLike = (0.0, 0.0, 0.0),
    ) -> None:
        """Move the hand, from the next step on.

        Args:
            position: shape (3,), position of the hand at the start of the step, world, [m].
            velocity: shape (3,), [m/s].
            rotation: shape (3, 3), wanted orientation of the link in the world; None: unchanged.
            angular_velocity: shape (3,), world axes, [rad/s].

        Raises:
            SimulationError: if a value has the wrong size or is not finite; the hand is unchanged.
        """
        target = sized(position, 3, "move: position")
        rates = [sized(velocity, 3, "move: velocity")]
        rates.append(sized(angular_velocity, 3, "move: angular_velocity"))
        if rotation is not None:
            turned = sized(np.ravel(rotation), 9, "move: rotation").reshape(3, 3)
            if np.abs(turned @ turned.T - np.eye(3)).max() > 1e-6 or np.linalg.det(turned) < 0.0:
                raise SimulationError("move: rotation must be a rotation matrix")
            self.target_rotation = turned
        self.target, self.target_velocity = target, np.concatenate(rates)

    def release(self) -> None:
        """Let go: the grip stops acting from the next step on."""
        self._release(self)

    def pull(self, dt: float) -> None:
        """Apply the hand's wrench over a step, given the velocity that the step has without it."""
        self._look()
        if self._carries:
            self._carry(dt)
            return
        v_free, W = self._out[1], self._out[2:]
        away = np.zeros(6)
        # The hand moves during the step, as the point does.
        away[:3] = self.target + dt * self.target_velocity[:3] - self._out[0, :3]
        if self.springs.rotational_stiffness > 0.0:
            away[3:] = rotation_vector(self.target_rotation @ self._rotation().T)
            away[3:] += dt * self.target_velocity[3:]
        wanted = self._K * (away - dt * v_free) + self._C * (self.target_velocity - v_free)
        soft = np.eye(6) + (dt * (dt * self._K + self._C))[:, None] * W
        wrench = np.linalg.solve(soft, wanted)
        self.force[:] = limited(wrench[:3], self.springs.force_limit)
        self.moment[:] = limited(wrench[3:], self.springs.moment_limit)
        act = np.concatenate([self.force, self.moment])
        self.velocity[:] = v_free + dt * (W @ act)
        self._reach.act(self._link, self._point, act, dt)
        self.target = self.target + dt * self.target_velocity[:3]

    def _carry(self, dt: float) -> None:
        """Take a body that only hands move to the hand's place at the end of a step, without force.

        It turns only with a rotational stiffness, about the held point.
        """
        from scipy.spatial.transform import Rotation

        turn, place = np.zeros(3), self._reach.poses[self._link, 9:]
        if self.springs.rotational_stiffness > 0.0:
            turn = rotation_vector(self.target_rotation @ self._rotation().T)
            turn += dt * self.target_velocity[3:]
        self.target = self.target + dt * self.target_velocity[:3]
        arm = Rotation.from_rotvec(turn).apply(self._out[0, :3] - place)
        self._reach.carry(self._link, np.concatenate([self.target - arm - place, turn]) / dt)
        self.velocity[:] = np.concatenate([self.target - self._out[0, :3], turn]) / dt

    def _look(self) -> None:
        self._reach.point_motion(self._link, self._point, self._out)

    def _rotation(self) -> Floats:
        return self._reach.poses[self._link, :9].reshape(3, 3).T.copy()


def find_point(reach: HandsWorld, path: str, point: Floats) -> tuple[int, Floats]:
    """Return the global link that carries a named link, and the point in its frame.

    Raises:
        SimulationError: if there is no such link, or the point is not finite.
    """
    try:
        link, pose = reach.find_link(path)
    except SettingError as error:
        raise SimulationError(f"grab {path!r}: {error.reason}") from error
    return link, pose.apply(sized(point, 3, "grab: point"))


def _inverse(mobility: float) -> float:
    """Return the inertia of a mobility summed over three directions; 0 for no mobility."""
    return 3.0 / mobility if mobility > 1e-12 else 0.0


def limited(force: Floats, limit: float) -> Floats:
    """Return a force clamped to a limit, [N]."""
    size = float(np.linalg.norm(force))
    return force * (limit / size) if size > limit else force


def rotation_vector(rotation: Floats) -> Floats:
    """Return the rotation vector of a rotation, [rad]."""
    from scipy.spatial.transform import Rotation

    vector: Floats = Rotation.from_matrix(rotation).as_rotvec()
    return vector
