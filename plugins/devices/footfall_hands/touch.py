"""Touch: a hand with a ball at its tip that pushes."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from footfall.api.advanced import HandsWorld
from footfall.api.plugin import Floats
from footfall.api.viewer import Reading
from footfall_hands.drag import LIFTS
from footfall_hands.grip import limited
from footfall_hands.hand_memory import HandMemory
from footfall_hands.proximity import ProximityHit, Surroundings
from footfall_hands.settings import HandSettings
from footfall_hands.status import HandStatus


@dataclass(frozen=True, slots=True)
class BallGains:
    """Gains of a ball that pushes.

    Attributes:
        stiffness: stiffness of its spring, [N/m].
        damping_ratio: damping ratio of its damper, [-].
        limit: largest force, [N].
        friction: coefficient of friction between the ball and the touched surface, [-].
    """

    stiffness: float
    damping_ratio: float
    limit: float
    friction: float


class ProbeBall:
    """A ball that touches one surface at a time: the one that it penetrates most.

    Without a force sensor the ball is a spring and damper at the end of the step (implicit Euler)
    that only pushes; along the direction ``d`` into the surface

        ``f_d = max(0, k d . (x_tip - x - dt v+) + c d . (v_tip - v+))``, ``v+ = v_free + dt W f``,

    with ``x_tip`` the deepest point of the ball, moved by one step, ``c = 2 zeta sqrt(m k)`` and
    ``m = 1 / (d . W d)``. Sideways, the same spring and damper connect the ball to the point where
    it came to rest (its anchor). The anchor slides behind the ball if friction cannot hold it; see
    ``friction_force``. With a sensor, the measured force acts at ``x``.

    Attributes:
        force: shape (3,), force on the touched surface in the last step, world, [N].
        moment: shape (3,), moment about the touched point, world, [N m]: always zero.
        link: global number of the touched link; -1: none, -2: a fixed object.
        position: shape (3,), touched point at the start of the last step, world, [m].
        velocity: shape (3,), velocity of the touched point after it, before contacts act, [m/s].
        target: shape (3,), deepest point of the ball at the end of the step, world, [m]; its centre
            if it touches nothing.
        gains: stiffness [N/m] and damping [N s/m] that acted; NaN if the device or the limit
            determined the force.
        mass: effective mass along the direction of the push, [kg].
    """

    def __init__(self, reach: HandsWorld, stuck: Floats) -> None:
        """Make a ball.

        Args:
            reach: reach of its simulation.
            stuck: shape (4,), memory of its anchor, see ``HandMemory``.
        """
        self._reach, self._stuck, self._out = reach, stuck, np.zeros((8, 6))
        self.force, self.moment, self.velocity = np.zeros((3, 3))
        self.position, self.target = np.full(3, math.nan), np.zeros(3)
        self._idle(self.target)

    def leave(self, centre: Floats) -> None:
        """Touch nothing."""
        self._idle(centre)
        self._stuck[:] = 0.0

    def _idle(self, centre: Floats) -> None:
        self.link, self.mass, self.gains = -1, math.nan, (math.nan, math.nan)
        self.force[:] = self.velocity[:] = 0.0
        self.position[:], self.target[:] = math.nan, centre

    def look(self, hit: ProximityHit) -> None:
        """Compute the motion of the point that the ball has met."""
        self.link = hit.link
        if hit.link == HandsWorld.FIXED:
            self._out[:] = 0.0
            self._out[0, :3], self._out[1, :3] = hit.point, hit.velocity
        else:
            self._reach.point_motion(hit.link, hit.point, self._out)
        self.position[:] = self._out[0, :3]

    def press(self, hit: ProximityHit, force: Floats, dt: float) -> None:
        """Apply a measured force [N] at the point of ``look``, over a step of length dt [s]."""
        self.gains = math.nan, math.nan
        self._act(hit, force, dt)

    def push(
        self, hit: ProximityHit, deepest: tuple[Floats, Floats], gains: BallGains, dt: float
    ) -> None:
        """Push at the point of ``look``.

        Args:
            hit: point of the surface where the ball is deepest.
            deepest: position [m] and velocity [m/s] of the ball's deepest point, shape (3,) each.
            gains: gains of the push.
            dt: length of the step, [s].
        """
        place, speed = deepest
        k, d, v_free, W = gains.stiffness, hit.direction, self._out[1, :3], self._out[2:5, :3]
        along = float(d @ W @ d)
        self.mass = 1.0 / along if along > 1e-12 else 0.0
        c = 2.0 * gains.damping_ratio * math.sqrt(self.mass * k)
        self.target[:] = place + dt * speed
        wanted = k * (self.target - self.position - dt * v_free) + c * (speed - v_free)
        if gains.friction > 0.0:
            back = self.position - self._anchor(hit)
            wanted += k * (back - float(d @ back) * d)
        force, slides = friction_force(wanted, W, d, dt * (dt * k + c), gains.friction)
        size = float(np.linalg.norm(force))
        self.gains = (k, c) if size <= gains.limit else (math.nan, math.nan)
        self._act(hit, force if size <= gains.limit else force * (gains.limit / size), dt)
        if gains.friction > 0.0:
            self._note(hit, force, slides, k, dt)

    def _act(self, hit: ProximityHit, force: Floats, dt: float) -> None:
        self.force[:] = force
        self.velocity[:] = self._out[1, :3] + dt * (self._out[2:5, :3] @ force)
        if hit.link != HandsWorld.FIXED:
            wrench = np.concatenate([force, np.zeros(3)])
            self._reach.act(hit.link, hit.point, wrench, dt)

    def _anchor(self, hit: ProximityHit) -> Floats:
        """Return the anchor: the surface point where the ball came to rest, world, [m]."""
        if self._stuck[0] != 1.0 + abs(hit.link):
            self._stuck[0], self._stuck[1:] = 1.0 + abs(hit.link), hit.point
        if hit.link == HandsWorld.FIXED:
            return self._stuck[1:]
        turn, place = self._pose(hit.link)
        return turn @ self._stuck[1:] + place

    def _note(self, hit: ProximityHit, force: Floats, slides: bool, k: float, dt: float) -> None:
        """Slide the anchor until its spring gives the force of ``friction_force``."""
        moved = dt * self.velocity
        if not slides:
            self._stuck[1:] += moved if hit.link == HandsWorld.FIXED else 0.0  # ground that moves
            return
        d = hit.direction
        press = float(d @ force)
        if press == 0.0:
            self._stuck[0] = 0.0
            return
        ahead = self.target - self.position - moved
        anchor = self.position + ahead - float(d @ ahead) * d - (force - press * d) / k
        if hit.link == HandsWorld.FIXED:
            self._stuck[1:] = anchor + moved
        else:
            turn, place = self._pose(hit.link)
            self._stuck[1:] = turn.T @ (anchor - place)

    def _pose(self, link: int) -> tuple[Floats, Floats]:
        pose = self._reach.poses[link]
        return pose[:9].reshape(3, 3).T, pose[9:]


def friction_force(
    wanted: Floats, W: Floats, d: Floats, give: float, friction: float
) -> tuple[Floats, bool]:
    """Return the force of a ball on a surface, normal and friction, and whether it slides.

    While it sticks the force is that of the spring and damper at the end of the step,

        ``f = wanted - give W f``,

    in all three directions. If this force pulls on the surface or is outside the friction cone,
    the ball slides: ``f = s (d + friction t)`` with ``t`` the sideways direction of the sticking
    force, and ``s >= 0`` from the equation along ``d``. This is Coulomb's law for a ball without
    inertia, as in Harwin & Melder, "Improved haptic rendering for multi-finger manipulation using
    friction cone based god-objects", 2002. If ``d`` and ``t`` are coupled so strongly that the
    equation has no such solution, the sideways part is left out.

    Args:
        wanted: shape (3,), force if the point moved as it would without the force, [N].
        W: shape (3, 3), mobility of the point, [1/kg].
        d: shape (3,), unit vector into the surface.
        give: ``dt (dt k + c)``, [kg].
        friction: coefficient, [-]; 0: none.
    """
    size = max(0.0, float(d @ wanted) / (1.0 + give * float(d @ W @ d)))
    straight: Floats = size * d
    if friction == 0.0:
        return straight, True
    stuck = np.asarray(np.linalg.solve(np.eye(3) + give * W, wanted), np.float64)
    press = float(d @ stuck)
    side = stuck - press * d
    size = float(np.linalg.norm(side))
    if press > 0.0 and size <= friction * press:
        return stuck, False
    if size == 0.0:
        return straight, True
    cone = d + (friction / size) * side
    resists = 1.0 + give * float(d @ W @ cone)
    if resists <= 0.0:
        return straight, True
    slid: Floats = max(0.0, float(d @ wanted) / resists) * cone
    return slid, True


DEPTH = 5e-3
"""Depth at which a ball of the default stiffness carries the weight of a body, [m]."""


class Touch:
    """A ball at the hand that pushes the link it penetrates most, and leans on fixed objects.

    It can do both at once. The properties then describe the link, and ``support`` is the force on
    the fixed object.
    """

    def __init__(self, around: Surroundings, memory: HandMemory) -> None:
        self._around, self._memory = around, memory

    @cached_property
    def _on_link(self) -> ProbeBall:
        return ProbeBall(self._around.reach, self._memory.stuck[0])

    @cached_property
    def _on_fixed(self) -> ProbeBall:
        return ProbeBall(self._around.reach, self._memory.stuck[1])

    @property
    def held(self) -> ProbeBall:
        """The ball on the touched link; if there is none, the ball on fixed objects."""
        leans = self._on_link.link == -1 and self._on_fixed.link != -1
        return self._on_fixed if leans else self._on_link

    @property
    def link(self) -> int:
        """Global number of the touched link; -1: none, -2: only a fixed object."""
        return self.held.link

    @property
    def support(self) -> Floats:
        """Force on fixed objects and the ground, world, [N]."""
        return self._on_fixed.force

    @property
    def felt(self) -> Floats:
        """Force on everything touched, world, [N]."""
        return self._on_link.force + self._on_fixed.force

    @property
    def target(self) -> Floats:
        """Deepest point of the ball at the end of the step; its centre if it is free, [m]."""
        return self.held.target

    @property
    def gains(self) -> tuple[float, float]:
        """Stiffness [N/m] and damping [N s/m] that acted; NaN if the device set the force."""
        return self.held.gains

    def release(self) -> None:
        """Touch nothing."""
        for ball in (self._on_link, self._on_fixed):
            ball.leave(ball.target)

    def would(self, reading: Reading, settings: HandSettings) -> HandStatus:
        """Return the status if a step began now; see ``Hand.would``."""
        place, shapes = reading.position, self._around.shapes(settings.tip_radius)
        hit = shapes.nearest(place) or self._fixed(place, settings)
        if hit is None:
            return HandStatus.of_nothing("touch", target=place)
        stiffness, limit = self._springs(hit, settings)
        pressed = reading.force
        if pressed is None:
            force = -stiffness * hit.gap * hit.direction
        else:
            force = settings.force_scale * pressed
        deepest = place + settings.tip_radius * hit.direction
        touched = deepest + hit.gap * hit.direction
        link, force = self._around.name_of(hit.link), limited(force, limit)
        return HandStatus(link, "touch", force, np.zeros(3), touched, deepest, None, "")

    def pull(self, reading: Reading, memory: HandMemory, settings: HandSettings, dt: float) -> bool:
        """Apply the ball over a step of length dt [s]; return whether it touches anything."""
        place, shapes = memory.position, self._around.shapes(settings.tip_radius)
        fixed = self._fixed(place, settings)
        touched = self._act(self._on_link, shapes.nearest(place), reading, settings, dt)
        if touched and reading.force is not None:
            fixed = None  # the measured force acts only once
        return self._act(self._on_fixed, fixed, reading, settings, dt) or touched

    def _fixed(self, place: Floats, settings: HandSettings) -> ProximityHit | None:
        """Return the fixed surface that the ball penetrates most: an object, or the ground."""
        fixed = self._around.shapes(settings.tip_radius).nearest_fixed(place)
        ground = self._around.ground.hit(place, settings.tip_radius)
        if ground is not None and (fixed is None or ground.gap < fixed.gap):
            fixed = ground
        return fixed

    def _springs(self, hit: ProximityHit, settings: HandSettings) -> tuple[float, float]:
        """Return stiffness [N/m] and largest force [N] of the ball on the surface it meets."""
        weight = self._around.weight(hit.link)
        return settings.springs(weight, DEPTH, LIFTS)

    def _act(
        self,
        ball: ProbeBall,
        hit: ProximityHit | None,
        reading: Reading,
        settings: HandSettings,
        dt: float,
    ) -> bool:
        """Apply the ball to one surface; return whether it meets it."""
        place, speed = self._memory.position, self._memory.velocity[:3]
        if hit is None:
            ball.leave(place + dt * speed)
            return False
        stiffness, limit = self._springs(hit, settings)
        ball.look(hit)
        if reading.force is not None:
            ball.press(hit, limited(settings.force_scale * reading.force, limit), dt)
        else:
            gains = BallGains(stiffness, settings.damping_ratio, limit, settings.tip_friction)
            deepest = place + settings.tip_radius * hit.direction
            ball.push(hit, (deepest, speed), gains, dt)
        return True
