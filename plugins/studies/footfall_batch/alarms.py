"""Alarms of a batch: runs whose contacts add energy or have no answer, and runs that failed."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from footfall import Alarm
from footfall.api.contact import ImpulseLaw
from footfall.api.plugin import Floats, Ints
from footfall_stepper.api import StepperSimulator

FALL, SOFT_FALL = 1e-3, 0.5
"""Largest drop of the dissipated energy between two calls, relative to a run's energy scale, [-];
the second under laws with springs, which a state that is set may load."""
RESIDUAL = 1.0
"""Natural map of the last step from which an impulse law's answer counts as wrong, [m/s]."""
LIFT = 1e-2
"""Least energy scale, as a height to lift all bodies by, [m]."""
COLUMNS = "dissipated_energy", "kinetic_energy", "elastic_energy", "residual_natural_map", "time"
CURE = "run it alone (Simulator.run) to learn contact and cause"


class Screen:
    """Looks at the last row of every run after each call, and at nothing in between.

    Attributes:
        alarms: first alarm of each run since its reset, by run number.
    """

    def __init__(self, sim: StepperSimulator, ledger: Ints, n: int, raises: bool) -> None:
        """Prepare for n runs; ``ledger`` are the places of the ledger in a state."""
        self.alarms, self._told = dict[int, Alarm](), set[str]()
        self._columns = [sim.layout.slice_of(name).start for name in COLUMNS]
        self._ledger, self._raises, self._books = ledger, raises, np.zeros((n, len(ledger)))
        weight = sim.world.mass * float(np.linalg.norm(sim.world.topology.gravity))
        self._most, self._scale = np.full(n, -np.inf), np.full(n, LIFT * weight)
        self._fall = SOFT_FALL if sim.stepper.law.rest_depth(1.0) > 0.0 else FALL
        self._judged = isinstance(sim.stepper.law, ImpulseLaw) and sim.stepper.guest is None

    def begin(self, states: Floats) -> None:
        """Forget the energy of runs whose state has been set since the last call."""
        self._most[(states[:, self._ledger] != self._books).any(axis=1)] = -np.inf

    def see(self, rows: Floats, states: Floats, ended: Mapping[int, str]) -> None:
        """Judge the last rows of runs, and why runs ended; warn once of each kind of alarm."""
        taken, kinetic, elastic, residual, time = rows[:, self._columns].T
        self._scale = np.fmax(self._scale, kinetic + elastic)
        fell = self._most - taken > self._fall * self._scale
        self._most, self._books = np.fmax(self._most, taken), states[:, self._ledger].copy()
        missed = (residual > RESIDUAL) & self._judged
        gone = np.isin(np.arange(len(rows)), list(ended))
        kinds = ("energy", "energy from nothing", fell), ("contacts", "contacts unsolved", missed)
        for kind, what, wrong in (("failed", "failed steps", gone), *kinds):
            runs = [i for i in np.flatnonzero(wrong).tolist() if i not in self.alarms]
            words = f"{what} in {len(runs)} of {len(rows)} runs"
            for i in runs:
                why = f"{ended[i].partition(';')[0]}; {CURE}" if i in ended else CURE
                self.alarms[i] = Alarm(kind, float(time[i]), words, f"run {i}", why)
            if runs and self._raises:
                raise self.alarms[runs[0]]
            for alarm in [self.alarms[i] for i in runs[:1] if kind not in self._told]:
                self._told.add(kind)
                alarm.sound()
