"""Touch: a hand with a ball at its tip that pushes."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from footfall.api.plugin import Floats
from footfall.api.viewer import Reading
from footfall_hands.drag import LIFTS
from footfall_hands.grip import limited
from footfall_hands.hand_memory import HandMemory
from footfall_hands.probe_ball import BallGains, ProbeBall
from footfall_hands.proximity import ProximityHit, Surroundings
from footfall_hands.settings import HandSettings
from footfall_hands.status import NONE, WouldHold

DEPTH = 5e-3
"""Depth at which a ball of the default stiffness carries the weight of a body, [m]."""


class Touch:
    """A ball at the hand that pushes the link it penetrates most, and leans on fixed objects.

    It can do both at once. The properties then describe the link, and ``support`` is the force on
    the fixed object.
    """

    def __init__(self, around: Surroundings, memory: HandMemory) -> None:
        self._around, self._memory, self.moment = around, memory, np.zeros(3)

    @cached_property
    def _on_link(self) -> ProbeBall:
        return ProbeBall(self._around.reach, self._memory.stuck[0])

    @cached_property
    def _on_fixed(self) -> ProbeBall:
        return ProbeBall(self._around.reach, self._memory.stuck[1])

    @property
    def ball(self) -> ProbeBall:
        """The ball on the touched link; if there is none, the ball on fixed objects."""
        leans = self._on_link.link == -1 and self._on_fixed.link != -1
        return self._on_fixed if leans else self._on_link

    @property
    def link(self) -> int:
        """Global number of the touched link; -1: none, -2: only a fixed object."""
        return self.ball.link

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
        return self.ball.target

    @property
    def force(self) -> Floats:
        """Force on the link, world, [N]."""
        return self.ball.force

    @property
    def position(self) -> Floats:
        """Position of the touched point at the start of the step, world, [m]."""
        return self.ball.position

    @property
    def velocity(self) -> Floats:
        """Velocity of the touched point after the step, before contacts act, [m/s]."""
        return self.ball.velocity

    @property
    def mass(self) -> float:
        """Effective mass along the direction of the push, [kg]."""
        return self.ball.mass

    @property
    def gains(self) -> tuple[float, float]:
        """Stiffness [N/m] and damping [N s/m] that acted; NaN if the device set the force."""
        return self.ball.gains

    def release(self) -> None:
        """Touch nothing."""
        for ball in (self._on_link, self._on_fixed):
            ball.leave(ball.target)

    def would(self, reading: Reading, settings: HandSettings) -> WouldHold:
        """Return the push that a step would begin with; see ``Hand.would``."""
        place, shapes = reading.position, self._around.shapes(settings.tip_radius)
        hit = shapes.nearest(place) or self._fixed(place, settings)
        if hit is None:
            return WouldHold(place, NONE, place, np.zeros(3), None)
        stiffness, limit = self._springs(hit, settings)
        pressed = reading.force
        if pressed is None:
            force = -stiffness * hit.gap * hit.direction
        else:
            force = settings.force_scale * pressed
        deepest = place + settings.tip_radius * hit.direction
        touched = deepest + hit.gap * hit.direction
        return WouldHold(deepest, hit.link, touched, limited(force, limit), None)

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
