"""Touch: a ball at the hand that pushes what it meets, or passes on what the device measures."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from footfall.api.input_device import Reading
from footfall.api.plugin import Floats
from footfall.scene.hand_table import HandFields
from footfall_hands.drag import LIFTS, body_weight
from footfall_hands.friction_force import rubbing
from footfall_hands.grip import Mobility, limited
from footfall_hands.hand_memory import HandMemory
from footfall_hands.proximity import FIXED, Met, TouchableGround
from footfall_hands.status import NONE, WouldHold

if TYPE_CHECKING:
    from footfall.simulation.simulator import Simulator


@dataclass(frozen=True, slots=True)
class TipGains:
    """How a ball pushes.

    Attributes:
        stiffness: of its spring, [N/m].
        damping_ratio: of its damper, [-].
        limit: largest force, [N].
        friction: coefficient between it and what it touches, [-].
    """

    stiffness: float
    damping_ratio: float
    limit: float
    friction: float


class Tip:
    """A ball that touches one thing at a time, the one that it is deepest in.

    Without a force sensor the ball is a spring and damper at the end of the step (implicit Euler)
    that only pushes; along the direction ``d`` into what it touches

        ``f_d = max(0, k d . (x_tip - x - dt v+) + c d . (v_tip - v+))``, ``v+ = v_free + dt W f``,

    with ``x_tip`` the deepest point of the ball, moved on by the step, ``c = 2 zeta sqrt(m k)`` and
    ``m = 1 / (d . W d)``. Sideways the same spring and damper are between the ball and the point
    that it has come to rest on (its anchor), which slides along behind the ball where friction
    does not hold it; see ``rubbing``. With a sensor, the measured force acts at ``x`` as it is.

    Attributes:
        force: shape (3,), on what is touched in the last step, world, [N].
        link: global link that is touched, -1: none, -2: what never moves.
        position: shape (3,), of the touched point at the start of the last step, world, [m].
        velocity: shape (3,), of the touched point after it, before contacts act, [m/s].
        target: shape (3,), of the ball's deepest point at the end of the step, world, [m]; of the
            ball's middle if nothing is touched.
        gains: stiffness [N/m] and damping [N s/m] that acted; NaN if the device, or the
            limit, gave the force.
        mass: effective mass along the direction of the push, [kg].
    """

    def __init__(self, sim: Simulator, mobility: Mobility, stuck: Floats) -> None:
        """Make a ball.

        Args:
            sim: what it reaches into.
            mobility: tells how points move.
            stuck: shape (4,), where it remembers its anchor, see ``HandMemory``.
        """
        self._sim, self._mobility, self._stuck = sim, mobility, stuck
        self._J, self._out = np.zeros((6, sim.world.nv)), np.zeros((8, 6))
        self.force, self.velocity = np.zeros(3), np.zeros(3)
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

    def look(self, met: Met) -> None:
        """Find how the point that the ball has met moves."""
        self.link = met.link
        if met.link == FIXED:
            self._out[:] = 0.0
            self._out[0, :3], self._out[1, :3] = met.point, met.velocity
        else:
            self._mobility(met.link, met.point, self._J, self._out)
        self.position[:] = self._out[0, :3]

    def press(self, met: Met, force: Floats, dt: float) -> None:
        """Let a measured force [N] act at what has been looked at, over a step of length dt [s]."""
        self.gains = math.nan, math.nan
        self._act(met, force, dt)

    def push(self, met: Met, deepest: tuple[Floats, Floats], gains: TipGains, dt: float) -> None:
        """Push what has been looked at.

        Args:
            met: where the ball is deepest.
            deepest: position [m] and velocity [m/s] of the ball's deepest point, shape (3,) each.
            gains: how it pushes.
            dt: length of the step, [s].
        """
        place, speed = deepest
        k, d, v_free, W = gains.stiffness, met.direction, self._out[1, :3], self._out[2:5, :3]
        along = float(d @ W @ d)
        self.mass = 1.0 / along if along > 1e-12 else 0.0
        c = 2.0 * gains.damping_ratio * math.sqrt(self.mass * k)
        self.target[:] = place + dt * speed
        wanted = k * (self.target - self.position - dt * v_free) + c * (speed - v_free)
        if gains.friction > 0.0:
            back = self.position - self._anchor(met)
            wanted += k * (back - float(d @ back) * d)
        force, slides = rubbing(wanted, W, d, dt * (dt * k + c), gains.friction)
        size = float(np.linalg.norm(force))
        self.gains = (k, c) if size <= gains.limit else (math.nan, math.nan)
        self._act(met, force if size <= gains.limit else force * (gains.limit / size), dt)
        if gains.friction > 0.0:
            self._note(met, force, slides, k, dt)

    def _act(self, met: Met, force: Floats, dt: float) -> None:
        self.force[:] = force
        self.velocity[:] = self._out[1, :3] + dt * (self._out[2:5, :3] @ force)
        if met.link != FIXED:
            self._sim.pushes.act_now(met.link, met.point, np.concatenate([force, np.zeros(3)]))

    def _anchor(self, met: Met) -> Floats:
        """Return the point of what is touched that the ball has come to rest on, world, [m]."""
        if self._stuck[0] != 1.0 + abs(met.link):
            self._stuck[0], self._stuck[1:] = 1.0 + abs(met.link), met.point
        if met.link == FIXED:
            return self._stuck[1:]
        turn, place = self._pose(met.link)
        anchor: Floats = turn @ self._stuck[1:] + place
        return anchor

    def _note(self, met: Met, force: Floats, slides: bool, k: float, dt: float) -> None:
        """Let the anchor slide so far that its spring pulls as friction does; see ``rubbing``."""
        moved = dt * self.velocity
        if not slides:
            self._stuck[1:] += moved if met.link == FIXED else 0.0  # ground that moves
            return
        d = met.direction
        press = float(d @ force)
        if press == 0.0:
            self._stuck[0] = 0.0
            return
        ahead = self.target - self.position - moved
        anchor = self.position + ahead - float(d @ ahead) * d - (force - press * d) / k
        if met.link == FIXED:
            self._stuck[1:] = anchor + moved
        else:
            turn, place = self._pose(met.link)
            self._stuck[1:] = turn.T @ (anchor - place)

    def _pose(self, link: int) -> tuple[Floats, Floats]:
        pose = self._sim.world.dynamics.pose[link]
        return pose[:9].reshape(3, 3).T, pose[9:]


DEPTH = 5e-3
"""Depth in which a ball of the default stiffness carries the weight of a body, [m]."""


class Touch:
    """Lets a ball at the hand push the link that it is deepest in, and lean on what never moves.

    Both at once, where it meets both: what is told of the touch is then that of the link, and
    ``support`` is what it leans with.
    """

    def __init__(self, sim: Simulator, memory: HandMemory) -> None:
        self._sim, self._memory, self.moment = sim, memory, np.zeros(3)

    @cached_property
    def _on_link(self) -> Tip:
        return Tip(self._sim, self._sim.hands.mobility, self._memory.stuck[0])

    @cached_property
    def _on_fixed(self) -> Tip:
        return Tip(self._sim, self._sim.hands.mobility, self._memory.stuck[1])

    @cached_property
    def _ground(self) -> TouchableGround:
        return TouchableGround(self._sim)

    @property
    def tip(self) -> Tip:
        """The ball on the link that it touches; if it touches none, on what never moves."""
        leans = self._on_link.link == -1 and self._on_fixed.link != -1
        return self._on_fixed if leans else self._on_link

    @property
    def link(self) -> int:
        """Global link that is touched, -1: none, -2: only what never moves."""
        return self.tip.link

    @property
    def support(self) -> Floats:
        """On objects that never move, and on the ground, world, [N]."""
        return self._on_fixed.force

    @property
    def felt(self) -> Floats:
        """On all that is touched, world, [N]."""
        return self._on_link.force + self._on_fixed.force

    @property
    def target(self) -> Floats:
        """Of the ball's deepest point at the end of the step; of its middle if it is free, [m]."""
        return self.tip.target

    @property
    def force(self) -> Floats:
        """On the link, world, [N]."""
        return self.tip.force

    @property
    def position(self) -> Floats:
        """Of the touched point at the start of the step, world, [m]."""
        return self.tip.position

    @property
    def velocity(self) -> Floats:
        """Of the touched point after the step, before contacts act, [m/s]."""
        return self.tip.velocity

    @property
    def mass(self) -> float:
        """Effective mass along the push, [kg]."""
        return self.tip.mass

    @property
    def gains(self) -> tuple[float, float]:
        """Stiffness [N/m] and damping [N s/m] that acted; NaN if the device gave the force."""
        return self.tip.gains

    def release(self) -> None:
        """Touch nothing."""
        for tip in (self._on_link, self._on_fixed):
            tip.leave(tip.target)

    def would(self, reading: Reading, settings: HandFields) -> WouldHold:
        """Tell how the ball would begin to push; see ``Hand.would``."""
        place, touchable = reading.position, self._sim.hands.touchable(settings.tip_radius)
        met = touchable.nearest(place) or self._fixed(place, settings)
        if met is None:
            return WouldHold(place, NONE, place, np.zeros(3), None)
        stiffness, limit = self._springs(met, settings)
        pressed = reading.force
        if pressed is None:
            force = -stiffness * met.gap * met.direction
        else:
            force = settings.force_scale * pressed
        deepest = place + settings.tip_radius * met.direction
        touched = deepest + met.gap * met.direction
        return WouldHold(deepest, met.link, touched, limited(force, limit), None)

    def pull(self, reading: Reading, memory: HandMemory, settings: HandFields, dt: float) -> bool:
        """Let the ball act over a step of length dt [s]; return whether it touches anything."""
        place, touchable = memory.position, self._sim.hands.touchable(settings.tip_radius)
        fixed = self._fixed(place, settings)
        touched = self._act(self._on_link, touchable.nearest(place), reading, settings, dt)
        if touched and reading.force is not None:
            fixed = None  # what the device measures acts once
        return self._act(self._on_fixed, fixed, reading, settings, dt) or touched

    def _fixed(self, place: Floats, settings: HandFields) -> Met | None:
        """Return what never moves that the ball is deepest in: an object, or the ground."""
        fixed = self._sim.hands.touchable(settings.tip_radius).nearest_fixed(place)
        ground = self._ground.met(place, settings.tip_radius)
        if ground is not None and (fixed is None or ground.gap < fixed.gap):
            fixed = ground
        return fixed

    def _springs(self, met: Met, settings: HandFields) -> tuple[float, float]:
        """Return stiffness [N/m] and largest force [N] of the ball on what it has met."""
        weight = body_weight(self._sim.world, met.link)
        return settings.springs(weight, DEPTH, LIFTS)

    def _act(
        self, tip: Tip, met: Met | None, reading: Reading, settings: HandFields, dt: float
    ) -> bool:
        """Let the ball act on one thing; return whether it has met it."""
        place, speed = self._memory.position, self._memory.velocity[:3]
        if met is None:
            tip.leave(place + dt * speed)
            return False
        stiffness, limit = self._springs(met, settings)
        tip.look(met)
        if reading.force is not None:
            tip.press(met, limited(settings.force_scale * reading.force, limit), dt)
        else:
            gains = TipGains(stiffness, settings.damping_ratio, limit, settings.tip_friction)
            deepest = place + settings.tip_radius * met.direction
            tip.push(met, (deepest, speed), gains, dt)
        return True
