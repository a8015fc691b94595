"""The watch on a run: energy from nothing, unsolved contacts, bodies that pass through."""

from __future__ import annotations

from math import inf, isfinite

import numpy as np

from footfall import Alarm
from footfall.api.contact import ImpulseLaw
from footfall.api.plugin import Capability, Floats
from footfall_stepper.api import RunSum, StepperSimulator
from footfall_watch.causes import cause_of, fall_of, lifts_out, longest_of_law
from footfall_watch.deep_starts import DEEP, deepest_start
from footfall_watch.places import body_sizes, deepest_contact, hardest_contact, in_words
from footfall_watch.squeeze import loose_squeeze
from footfall_watch.unsteady import Chatter, spin_of

TAKEN = 1e-3
"""Largest drop of the dissipated energy, relative to the run's energy scale, [-]. Single steps of
exact laws drop by up to 2e-4 in the bundled scenes."""
GROWTH = 0.1
"""Largest growth of energy beyond the work done, relative to the scale, [-]. The error of a
first-order integrator, which recordings hold, grows to 2e-2 in the bundled scenes."""
LIFT = 1e-2
"""Least energy scale, as a height to lift all bodies by, [m]."""
LEAST = 1e-9
"""Least energy scale, [J]."""
RESIDUAL = 1.0
"""Natural map from which an impulse law's answer counts as wrong, [m/s]."""
SQUEEZED = """how hard they press is not determined and counts as zero: give the contacts a \
compliance, and let them overlap by what they press"""
"""Cause of a squeeze."""
STRETCH = 100
"""Steps between two checks of slow changes."""


ENERGIES = ("kinetic_energy", "potential_energy", "elastic_energy", "work", "dissipated_energy")


class Watch:
    """Checks the rows of a run, a stretch at a time, until it has found an error.

    The energy scale is the largest kinetic and elastic energy and change of potential energy so
    far. The energy taken by contacts and joints (``dissipated_energy``) is compared with its
    largest value so far; energy beyond the work done is compared with its value at the start.
    Moving ground has one velocity for a whole step: then the dissipated energy and the integrator's
    error are both off by the same first-order amount, and their difference is compared.
    """

    def __init__(self, sim: StepperSimulator) -> None:
        """Begin to watch a simulator in its present state."""
        self._sim, self._steps = sim, 0
        self._alarm: Alarm | None = None
        self._places = tuple(sim.layout.slice_of(name).start for name in ENERGIES)
        self._taken = self._places[-1]
        moves = Capability.MOVING_GROUND in sim.stepper.terrain.capabilities
        self._error = sim.layout.slice_of("integration_energy_error").start if moves else -1
        weight = sim.world.mass * float(np.linalg.norm(sim.world.topology.gravity))
        self._scale, self._most, self._begun = max(LIFT * weight, LEAST), -inf, False
        self._height, self._start, self._excess = 0.0, 0.0, 1.0
        self._last, self._until = np.zeros((0, 0)), -inf
        self._monitor, self._missed = sim.stepper.monitor, len(sim.stepper.missed)
        law = sim.stepper.law
        self._elsewhere = sim.stepper.guest is not None
        judged = isinstance(law, ImpulseLaw) and not self._elsewhere
        self._residual = max(RESIDUAL, self._monitor.worst_residual) if judged else inf
        self._fall = fall_of(sim) if judged else inf
        self._failed = self._monitor.run[RunSum.FAILURES]
        self._sizes = body_sizes(sim)
        self._deepest, self._deepest_place = deepest_start(sim)
        self._sunk = self._deepest > DEEP * sim.world.metre
        self._depth = max(min(self._sizes, default=inf), self._monitor.worst_penetration)

    def see(self, rows: Floats) -> None:
        """Take the rows of new steps, shape (n, width)."""
        n = len(rows)
        if self._alarm or n == 0:
            return
        if not self._begun or not rows[0, 0] <= self._until:
            self._begin(rows[0])
        self._until = rows[-1, 0] + 1.5 * self._sim.time_step
        self._look_at_missed()
        if self._chatter.see(rows):
            self._look_at_chatter(rows)
        taken = self._taken_of(rows)
        low, high, fall = taken[0], taken[-1], 0.0
        if n > 1:
            fall = -(taken[1:] - taken[:-1]).min()
            if not fall <= 0.0:
                low, high = taken.min(), taken.max()
        limit = TAKEN * self._scale
        fell = not (self._most - low <= limit and fall * n <= limit)  # NaN is wrong, too
        if (
            fell and not self._elsewhere and not self._alarm
        ):  # energy in another simulator's contacts is unknown
            self._look_at_taken(rows)
        if high > self._most:
            self._most = float(high)
        self._steps, self._last = self._steps + n, rows
        if self._steps >= STRETCH and not self._alarm:
            self._steps = 0
            self._look_at_all(rows)

    def _look_at_missed(self) -> None:
        """Take the first impact of fast bodies that no step has resolved."""
        for time, (one, other), speed, cause in self._sim.stepper.missed[self._missed :][:1]:
            known = f" at {speed:.3g} m/s" if isfinite(speed) else ""
            words = f"bodies may pass through each other{known}"
            self._alarm = Alarm("missed", time, words, f"{one} and {other}", cause)

    def _look_at_chatter(self, rows: Floats) -> None:
        joint, cause = self._chatter.found()
        if joint and not self._alarm and self._sim.time_step <= longest_of_law(self._sim):
            self._say("chatter", rows, -1, "torque and speed jump to and fro", joint, cause)

    def found(self) -> dict[str, list[Alarm]]:
        """Return the first error, if any; the last rows are checked again."""
        if self._begun and not self._alarm:
            self._look_at_all(self._last)
            self._look_at_chatter(self._last)
        return {"alarms": [self._alarm] if self._alarm else []}

    def _begin(self, row: Floats) -> None:
        kinetic, self._height, elastic, work, _ = (float(row[k]) for k in self._places)
        self._chatter = Chatter(self._sim)
        self._most = float(self._taken_of(row[np.newaxis])[0])
        self._start = kinetic + self._height + elastic - work
        self._scale, self._begun = max(self._scale, kinetic + elastic), True

    def _taken_of(self, rows: Floats) -> Floats:
        """Return the energy that contacts and joints have taken by each row, [J]."""
        taken: Floats = rows[:, self._taken]
        return taken if self._error < 0 else taken - rows[:, self._error]

    def _look_at_taken(self, rows: Floats) -> None:
        """Compare the dissipated energy with its largest value so far, row by row."""
        kinetic, potential, elastic, *_ = (rows[:, k] for k in self._places)
        taken = self._taken_of(rows)
        with np.errstate(all="ignore"):
            size = kinetic + elastic + np.abs(potential - self._height)
            scale = np.fmax.accumulate(np.fmax(size, self._scale))
            fall = np.maximum(np.maximum.accumulate(taken), self._most) - taken
            wrong = np.flatnonzero(~(fall <= TAKEN * scale))
        if not len(wrong):
            return
        at = int(wrong[0])
        worst = int(np.argmax(np.nan_to_num(fall, nan=inf)))
        before = rows[:at] if at or not len(self._last) else self._last
        struck = len(before) > 0 and self._column(before[-1:], "impacts")[0] > 0.0
        if struck:  # an impact acts from its row to the next
            rows, at = before, len(before) - 1
        energy, most = float(fall[worst]), float(scale[worst])
        words = f"energy from nothing: the dissipated energy falls by {_share(energy, most)}"
        self._excess = energy / (TAKEN * most)
        self._say("energy", rows, at, words, hardest_contact(self._sim, rows[at]))

    def _look_at_all(self, rows: Floats) -> None:
        """Check the worst values of the run, and the energy of the last row."""
        kinetic, height, elastic, work, _ = (rows[:, k] for k in self._places)
        with np.errstate(all="ignore"):
            size = kinetic + elastic + np.abs(height - self._height)
            scale = np.fmax.accumulate(np.fmax(size, self._scale))
            growth = kinetic + height + elastic - work - self._start
            grown = np.flatnonzero(~(growth <= GROWTH * scale))
        self._scale = float(scale[-1])
        self._note_deepest(rows)
        failures, worst = self._monitor.run[RunSum.FAILURES], self._monitor.worst_residual
        if worst > self._residual or (failures > self._failed and worst > self._fall):
            self._look_at_residual(rows)
        elif self._monitor.worst_penetration > self._depth:
            self._look_at_depth(rows)
        elif len(grown):
            at = int(grown[0])
            energy, most = float(growth[at]), float(scale[at])
            words = f"energy grows beyond the work done by {_share(energy, most)}"
            deep = self._deepest_place if lifts_out(self._sim, rows[at]) else ""
            self._excess = energy / (GROWTH * most)
            self._say("energy", rows, at, words, deep or hardest_contact(self._sim, rows[at]))
        elif self._residual < inf and (place := loose_squeeze(self._sim)):
            words = "a body slips between immovable things that do not press it"
            self._say("squeeze", rows, -1, words, place, SQUEEZED)
        elif (spinning := spin_of(self._sim, rows))[0]:
            words = "a body spins too fast for the step"
            self._say("spin", rows, -1, words, spinning[0], spinning[1])

    def _note_deepest(self, rows: Floats) -> None:
        """Note the deepest contact of the run, if it has become deeper."""
        if self._monitor.worst_penetration > max(self._deepest, DEEP * self._sim.world.metre):
            at = rows[int(np.argmax(self._column(rows, "penetration")))]
            place, depth, _ = deepest_contact(self._sim, at, self._sizes)
            if depth > self._deepest:
                self._deepest, self._deepest_place = depth, place

    def _look_at_residual(self, rows: Floats) -> None:
        at = int(np.argmax(self._column(rows, "residual_natural_map")))
        worst = f"natural map {self._monitor.worst_residual:.2g} m/s"
        words = f"no answer to the contact problem: {worst}"
        self._say("contacts", rows, at, words, hardest_contact(self._sim, rows[at]))

    def _column(self, rows: Floats, name: str) -> Floats:
        column: Floats = rows[:, self._sim.layout.slice_of(name).start]
        return column

    def _look_at_depth(self, rows: Floats) -> None:
        """Compare the depth of the deepest contact with the size of its body."""
        at = int(np.argmax(self._column(rows, "penetration")))
        place, depth, size = deepest_contact(self._sim, rows[at], self._sizes)
        if depth > size:
            m = self._sim.world.metre
            words = f"a body of {in_words(size / m)} is {in_words(depth / m)} deep"
            self._say("depth", rows, at, words, place)

    def _say(self, kind: str, rows: Floats, k: int, what: str, place: str, cause: str = "") -> None:
        """Note an alarm of row k."""
        seen = len(rows) - 1 - k, self._sunk, self._excess
        cause = cause or cause_of(self._sim, rows[k], self._chatter, *seen)
        self._alarm = Alarm(kind, float(rows[k, 0]), what, place, cause)


def _share(energy: float, scale: float) -> str:
    """Return an energy and its share of the scale in words."""
    if not isfinite(energy):
        return "more than any finite number"
    return f"{energy:.3g} J, {100.0 * energy / scale:.3g} % of the run's {scale:.3g} J"
