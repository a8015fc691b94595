"""Drag: a hand closes on a point of a link and pulls it."""

from __future__ import annotations

import math

import numpy as np

from footfall.api.plugin import Floats, SimulationError
from footfall.api.viewer import Reading
from footfall_hands.grip import Grip, Springs, find_point, limited
from footfall_hands.hand_memory import HandFlag, HandMemory
from footfall_hands.proximity import Surroundings
from footfall_hands.settings import HandSettings
from footfall_hands.status import HandStatus

SAG = 0.1
"""Stretch at which a spring of the default stiffness carries the weight of a body, [m]."""
LIFTS = 2.0
"""Default force limit of a hand, in weights of the held body, [-]."""
NOTHING = np.zeros(3)
EMPTY = -1.0
"""Grip number of a hand that has closed on nothing."""


class NothingThereError(SimulationError):
    """Error of a hand that closes and finds nothing within reach."""


class Drag:
    """The held point of a hand, and the grip on it."""

    def __init__(self, around: Surroundings, memory: HandMemory) -> None:
        self._around, self._memory = around, memory
        self._grip: Grip | None = None
        self._settings: HandSettings | None = None  # settings of the current grip
        self._seen = np.zeros(7)
        self._target = np.full(3, math.nan)

    @property
    def link(self) -> int:
        """Global number of the held link; -1 if none."""
        return int(self._seen[1]) if self._grip is not None else -1

    @property
    def target(self) -> Floats:
        """Position of the hand at the end of the step, [m]."""
        return self._target

    @property
    def held(self) -> Grip:
        """The grip; valid only while something is held."""
        assert self._grip is not None
        return self._grip

    @property
    def felt(self) -> Floats:
        """Force that the user pulls with, world, [N]."""
        return self.held.force

    @property
    def support(self) -> Floats:
        """Force on fixed objects, [N]: always zero."""
        return NOTHING

    @property
    def gains(self) -> tuple[float, float]:
        """Stiffness [N/m] and damping [N s/m]; NaN where the force was limited."""
        springs = self.held.springs
        if float(np.linalg.norm(self.held.force)) >= springs.force_limit * (1.0 - 1e-12):
            return math.nan, math.nan
        return springs.stiffness, self.held.damping

    def release(self) -> None:
        """Hold nothing."""
        self._grip = None
        self._memory.held[:] = self._seen[:] = 0.0

    def pull(self, reading: Reading, memory: HandMemory, settings: HandSettings, dt: float) -> bool:
        """Apply the grip over a step of length dt [s]; return whether it acted.

        Raises:
            SimulationError: if there is no such link, it cannot move, or nothing is within reach.
        """
        self._target[:] = memory.position + dt * memory.velocity[:3]
        if memory.held[0] == EMPTY:
            return False
        if memory.held[0] == 0.0:
            self._take(reading, settings)
        elif (
            self._grip is None
            or settings is not self._settings
            or not np.array_equal(self._seen, memory.held)
        ):
            self._take_again(settings)
        turns = settings.rotational_stiffness > 0.0
        rotation = memory.rotation @ memory.offset if turns else None
        velocity, spin = memory.velocity[:3], memory.velocity[3:]
        self.held.move(memory.position, velocity, rotation, spin)
        self.held.pull(dt)
        return True

    def would(self, reading: Reading, settings: HandSettings, *, anew: bool) -> HandStatus:
        """Return the status if a step began now; see ``Hand.would``.

        Raises:
            SimulationError: if there is no such link, or it cannot move.
        """
        held = self._memory.held
        if held[0] == EMPTY and not anew:
            return _holding_nothing(reading)
        if held[0] > 0.0 and not anew:
            inertia = float(held[5]), float(held[6])
            grip = self._gripped(int(held[1]), held[2:5].copy(), settings, inertia)
        else:
            try:
                link, point = self._found(reading, settings)
            except NothingThereError:
                return _holding_nothing(reading)
            grip = self._gripped(link, point, settings, None)
        force = grip.springs.stiffness * (reading.position - grip.position)
        force = limited(force, grip.springs.force_limit)
        held_link = self._around.name_of(grip.held_link)
        place, hand = grip.position, reading.position
        return HandStatus(held_link, "drag", force, np.zeros(3), place, hand, grip.mass, "")

    def _take(self, reading: Reading, settings: HandSettings) -> None:
        """Close on the point that the reading names, or else on the nearest one."""
        memory, reach = self._memory, self._around.reach
        memory.held[0] = EMPTY
        link, point = self._found(reading, settings)
        self._grip = self._gripped(link, point, settings, None)
        memory.flags[HandFlag.NEWEST_GRIP] += 1.0
        grip = self._grip
        memory.held[:] = memory.flags[HandFlag.NEWEST_GRIP], link, *point, grip.mass, grip.inertia
        self._seen[:] = memory.held
        turned = reach.poses[link, :9].reshape(3, 3).T
        memory.offset[:] = memory.rotation.T @ turned

    def _take_again(self, settings: HandSettings) -> None:
        """Hold the same point again, after a restored state or with new gains."""
        held = self._memory.held
        inertia = float(held[5]), float(held[6])
        self._grip = self._gripped(int(held[1]), held[2:5].copy(), settings, inertia)
        self._seen[:] = held

    def _found(self, reading: Reading, settings: HandSettings) -> tuple[int, Floats]:
        """Return the global link to hold, and the point in its frame."""
        around = self._around
        if reading.link is not None:
            link, origin = find_point(around.reach, reading.link, np.zeros(3))
            if reading.point is not None:
                return find_point(around.reach, reading.link, reading.point)
            hit = around.shapes(settings.tip_radius).nearest(reading.position, math.inf, link)
            return link, origin if hit is None else hit.point
        hit = around.shapes(settings.tip_radius).nearest(reading.position, settings.reach)
        if hit is None:
            raise NothingThereError(f"nothing is within its reach of {settings.reach:g} m")
        return hit.link, hit.point

    def _gripped(
        self,
        link: int,
        point: Floats,
        settings: HandSettings,
        inertia: tuple[float, float] | None,
    ) -> Grip:
        self._settings = settings
        around = self._around
        stiffness, force_limit = settings.springs(around.weight(link), SAG, LIFTS)
        springs = Springs(
            stiffness,
            settings.damping_ratio,
            settings.rotational_stiffness,
            force_limit,
            settings.moment_limit or math.inf,
        )
        reach = around.reach
        return Grip(reach, reach.links[link], point, springs, lambda grip: None, inertia)


def _holding_nothing(reading: Reading) -> HandStatus:
    return HandStatus.of_nothing("drag", target=reading.position)
