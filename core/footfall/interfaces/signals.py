"""The signals of a body: its dynamics and kinematics at one instant, evaluated on access."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

import numpy as np

from footfall.errors import SimulationError
from footfall.interfaces.signal_arrays import FrameArrays, SignalArrays, allocate_signals
from footfall.typing import Bools, Floats


@dataclass(frozen=True, slots=True, eq=False)
class FootPoints:
    """The declared contact points of a foot; rims are left out.

    Attributes:
        positions: shape (n, 3), points or centres of spheres, [m], in the foot's frame.
        radii: shape (n,), of spheres, 0 of points, [m].
    """

    positions: Floats
    radii: Floats


@dataclass(frozen=True, slots=True)
class BodyFacts:
    """The constants of a body.

    Attributes:
        joint_names: n_joints names, in the order of joint positions.
        link_names: name of the base, then one per joint.
        foot_names: frames of the contact features.
        foot_points: contact points of each foot.
        contact_names: names of the declared contact points, as in recordings.
        mass: [kg].
        gravity: shape (3,), [m/s^2], world frame.
        torque_limits: shape (n_joints,), greatest torque, [N m or N], see ``BodySignals``.
        joint_damping: shape (n_joints, n_joints), viscous friction, see ``BodySignals``.
    """

    joint_names: tuple[str, ...] = ()
    link_names: tuple[str, ...] = ()
    foot_names: tuple[str, ...] = ()
    foot_points: Mapping[str, FootPoints] = field(default_factory=dict)
    contact_names: tuple[str, ...] = ()
    mass: float = 0.0
    gravity: Floats = field(default_factory=lambda: np.zeros(3))
    torque_limits: Floats = field(default_factory=lambda: np.zeros(0))
    joint_damping: Floats = field(default_factory=lambda: np.zeros((0, 0)))


@dataclass(frozen=True, slots=True)
class LastStep:
    """Results of the last step: views of the state, all zero before the first step.

    Attributes:
        nudot: shape (nv,).
        touching: shape (n_contacts,), 1 or 0.
        wrenches: shape (6,) each, by foot.
    """

    nudot: Floats
    touching: Floats
    wrenches: Mapping[str, Floats]


class FrameSignals:
    """A frame of a body: a foot, a link or a named frame of the model file.

    Arrays are read-only views that the next evaluation overwrites: copy arrays that you keep.
    """

    __slots__ = ("_jacobian", "_jdot_nu", "_pose", "_update", "_velocity")

    def __init__(self, arrays: FrameArrays, update: Callable[[], None]) -> None:
        self._update = update
        self._pose, self._jacobian = _seen(arrays.pose), _seen(arrays.jacobian)
        self._velocity, self._jdot_nu = _seen(arrays.velocity), _seen(arrays.jdot_nu)

    @property
    def pose(self) -> Floats:
        """Homogeneous matrix from the frame to the world, shape (4, 4), [m]."""
        self._update()
        return self._pose

    @property
    def jacobian(self) -> Floats:
        """``velocity = jacobian nu``, shape (6, nv)."""
        self._update()
        return self._jacobian

    @property
    def velocity(self) -> Floats:
        """Velocity of the frame's origin [m/s] and angular [rad/s], world axes, shape (6,)."""
        self._update()
        return self._velocity

    @property
    def jdot_nu(self) -> Floats:
        """Acceleration of the frame for zero ``nudot``, shape (6,), [m/s^2, rad/s^2].

        Classical acceleration of the origin: in all it is ``jacobian nudot + jdot_nu``.
        """
        self._update()
        return self._jdot_nu


class BodySignals:
    """One body at one instant: for a controller the start of the step, else the present state.

    Velocities are *mixed*: ``nu`` is the linear velocity of the base's origin and the angular
    velocity of the base, both along the world's axes, then the joints'. Accelerations are their
    rates, so that with ``nudot`` constant the base's origin moves on a parabola.
    ``(mass_matrix + motor_inertia) nudot + bias_force = (0, tau) + sum of J' f``.

    Signals are evaluated on access, and the next step reuses them: the engine never evaluates
    twice. Arrays are read-only views. Signals of the instant are overwritten when another state is
    evaluated, those of the last step by the next step: copy arrays that you keep.

    Attributes:
        joint_positions: shape (n_joints,), [rad or m].
        nudot: mean mixed acceleration over the last step, shape (nv,), [m/s^2, rad/s^2].
        joint_names: names in the order of joint positions.
        link_names: name of the base, then one per joint.
        foot_names: frames of the contact features.
        foot_points: declared contact points of the feet, by name of the foot.
        contact_names: names of the contact points, as in recordings.
        mass: mass of the body, [kg].
        gravity: shape (3,), acceleration of gravity, [m/s^2], world frame.
        joint_damping: shape (n_joints, n_joints), viscous friction of joints and of drives that
            reflect it: it takes ``joint_damping s_dot`` from the joints' torques,
            [N m s/rad or N s/m].
        torque_limits: shape (n_joints,), greatest torque of each joint, [N m or N]: that of its own
            drive; without a drive the model file's, which the simulation does not enforce; inf if
            unknown.
        feet: the body's feet by name.
        contact_wrenches: mean wrench of the ground and other bodies on each foot over the last
            step, by name, shape (6,): force [N] and moment about the foot's origin [N m], along
            the foot's axes.
    """

    def __init__(
        self,
        facts: BodyFacts,
        arrays: SignalArrays,
        last: LastStep,
        update: Callable[[], None],
        motors: Callable[[], None],
        find: Callable[[str], FrameSignals],
        feet: tuple[Floats, Floats],
    ) -> None:
        self._last = last
        self.joint_names, self.link_names = facts.joint_names, facts.link_names
        self.foot_names, self.foot_points = facts.foot_names, facts.foot_points
        self.contact_names, self.mass, self.gravity = facts.contact_names, facts.mass, facts.gravity
        self.joint_damping, self.torque_limits = facts.joint_damping, facts.torque_limits
        self._update, self._motors, self._find = update, motors, find
        self._seen = SignalArrays(*(_seen(array) for array in arrays))
        n = len(facts.joint_names)
        self.joint_positions = self._seen.q[len(arrays.q) - n :]
        self.nudot = _seen(last.nudot)
        self._frames: dict[str, FrameSignals] = {}
        self.feet: Mapping[str, FrameSignals] = MappingProxyType(
            {name: self.frame(name) for name in facts.foot_names}
        )
        self._foot_poses, self._foot_jacobians = map(_seen, feet)
        wrenches = {name: _seen(wrench) for name, wrench in last.wrenches.items()}
        self.contact_wrenches: Mapping[str, Floats] = MappingProxyType(wrenches)

    def frame(self, name: str) -> FrameSignals:
        """Return a foot, a link or a named frame of the model file.

        Raises:
            SimulationError: if the body has no frame of that name; offers the nearest.
        """
        found = self._frames.get(name)
        if found is None:
            found = self._frames[name] = self._find(name)
        return found

    @property
    def foot_poses(self) -> Floats:
        """Poses of all feet in the order of ``foot_names``, shape (feet, 4, 4), [m]."""
        for foot in self.feet.values():
            _ = foot.pose
        return self._foot_poses

    @property
    def foot_jacobians(self) -> Floats:
        """Jacobians of all feet in the order of ``foot_names``, shape (feet, 6, nv)."""
        for foot in self.feet.values():
            _ = foot.jacobian
        return self._foot_jacobians

    @property
    def base_pose(self) -> Floats:
        """Homogeneous matrix from the body's root to the world (w_H_b), shape (4, 4), [m]."""
        self._update()
        return self._seen.base_pose

    @property
    def nu(self) -> Floats:
        """Mixed velocity, shape (nv,), [m/s, rad/s].

        Linear velocity of the base's origin and angular velocity of the base, both along the
        world's axes, then the joints'. In ``Simulator.v`` they are along the base's own axes.
        """
        self._update()
        return self._seen.nu

    @property
    def mass_matrix(self) -> Floats:
        """Inertia for mixed velocities, without reflected inertia, shape (nv, nv)."""
        self._update()
        return self._seen.mass_matrix

    @property
    def motor_inertia(self) -> Floats:
        """Reflected inertia of the motors, zero at the base, shape (nv, nv), [kg m^2 or kg].

        The next step uses it; the drives or ``Simulator.set_reflected_inertia`` set it.
        """
        self._motors()
        return self._seen.motor_inertia

    @property
    def bias_force(self) -> Floats:
        """Coriolis, centrifugal and gravity forces for zero ``nudot``, shape (nv,), [N, N m]."""
        self._update()
        return self._seen.bias_force

    @property
    def com(self) -> Floats:
        """Centre of mass of the body, shape (3,), [m], world frame."""
        self._update()
        return self._seen.com

    @property
    def com_velocity(self) -> Floats:
        """Velocity of the centre of mass, shape (3,), [m/s], world axes."""
        self._update()
        return self._seen.com_velocity

    @property
    def centroidal_momentum(self) -> Floats:
        """Linear momentum [N s] and angular momentum about the mass centre [N m s], world axes.

        Shape (6,); of the links, without the motors' rotors.
        """
        self._update()
        return self._seen.momentum

    @property
    def centroidal_map(self) -> Floats:
        """``centroidal_momentum = centroidal_map nu``, shape (6, nv)."""
        self._update()
        return self._seen.momentum_map

    @property
    def contact_flags(self) -> Bools:
        """Whether each contact point touched the ground in the last step, shape (n,), a new array.

        At the start of a simulation: whether it touches then.
        """
        flags: Bools = self._last.touching != 0.0
        return flags


def no_signals() -> BodySignals:
    """Return empty signals for an observation made by hand; their evaluation raises an error."""

    def refuse(*_: Any) -> Any:
        raise SimulationError("this observation has no signals: it was not made by a simulator")

    nothing = LastStep(np.zeros(0), np.zeros(0), {})
    arrays = allocate_signals(np.zeros(0), np.zeros(0), 0)
    feet = np.zeros((0, 4, 4)), np.zeros((0, 6, 0))
    return BodySignals(BodyFacts(), arrays, nothing, refuse, refuse, refuse, feet)


def _seen(array: Floats) -> Floats:
    """Return a read-only view."""
    view: Floats = array.view()
    view.flags.writeable = False
    return view
