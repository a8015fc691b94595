"""Touch: a hand with a ball at its tip that pushes what it meets."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from footfall.interfaces.input_device import Reading
from footfall.typing import Floats
from footfall_hands.body_weight import body_weight
from footfall_hands.drag import LIFTS
from footfall_hands.grip import limited
from footfall_hands.hand_memory import HandMemory
from footfall_hands.hand_status import NONE, WouldHold
from footfall_hands.hand_table import HandFields
from footfall_hands.met import Met
from footfall_hands.tip import Tip, TipGains
from footfall_hands.touchable_ground import TouchableGround

if TYPE_CHECKING:
    from footfall.simulation.simulator import Simulator

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
