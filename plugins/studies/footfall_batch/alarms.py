"""Alarms of a batch: runs whose energy, contacts or depth cannot be right."""

from __future__ import annotations

from math import inf, nan

import numpy as np
import numpy.typing as npt

from footfall import Alarm
from footfall.api.contact import ImpulseLaw
from footfall.api.plugin import Floats, Ints, sound_alarms
from footfall_stepper.api import StepperSimulator

FALL, SOFT_FALL = 1e-3, 0.5
"""Largest drop of the dissipated energy from one call to the next, relative to a run's energy
scale, [-]; ``SOFT_FALL`` under laws with springs, which a state that is set may load."""
RESIDUAL = 1.0
"""Natural map of the last step from which an impulse law's answer counts as wrong, [m/s]."""
LIFT, LEAST = 1e-2, 1e-9
"""Least energy scale: height to lift all bodies by, [m], and energy, [J]."""
Bools = npt.NDArray[np.bool_]
COLUMNS = (
    *("dissipated_energy", "kinetic_energy", "elastic_energy", "potential_energy"),
    *("residual_natural_map", "time"),
)


class Screen:
    """Looks at the last row of every run after each call, and at nothing in between.

    Attributes:
        alarms: first alarm of each run since its reset, by run number.
    """

    def __init__(self, sim: StepperSimulator, ledger: Ints, n: int, raises: bool) -> None:
        """Prepare for n runs; ``ledger`` are the places of the ledger in a state."""
        self.alarms = dict[int, Alarm]()
        self._columns = [sim.layout.slice_of(name).start for name in COLUMNS]
        self._ledger, self._raises, self._told = ledger, raises, set[str]()
        weight = sim.world.mass * float(np.linalg.norm(sim.world.topology.gravity))
        self._least = max(LIFT * weight, LEAST)
        self._fall = SOFT_FALL if sim.stepper.law.rest_depth(1.0) > 0.0 else FALL
        judged = isinstance(sim.stepper.law, ImpulseLaw) and sim.stepper.guest is None
        self._residual = RESIDUAL if judged else inf
        self._most, self._scale, self._height = np.full((3, n), np.nan)
        self._books = np.zeros((n, len(ledger)))

    def begin(self, states: Floats) -> None:
        """Forget the energy of runs whose state has been set since the last call."""
        self._most[(states[:, self._ledger] != self._books).any(axis=1)] = nan

    def see(self, rows: Floats, states: Floats) -> None:
        """Judge the last rows of runs, and warn once of each kind of alarm."""
        taken, kinetic, elastic, height, residual, self._time = rows[:, self._columns].T
        new = np.isnan(self._most)
        self._scale[new], self._height[new] = self._least, height[new]
        size = kinetic + elastic + np.abs(height - self._height)
        self._scale = np.fmax(self._scale, size)
        fell = self._most - taken > self._fall * self._scale
        self._most, self._books = np.fmax(self._most, taken), states[:, self._ledger].copy()
        self._tell("energy", "energy from nothing", fell)
        self._tell("contacts", "no answer to the contact problem", residual > self._residual)

    def _tell(self, kind: str, what: str, wrong: Bools) -> None:
        runs = [i for i in np.flatnonzero(wrong).tolist() if i not in self.alarms]
        cause = "run it alone (Simulator.run) to learn contact and cause"
        for i in runs:
            words = f"t = {self._time[i]:.6g} s: {what} in run {i} ({len(runs)} of {len(wrong)})"
            given = {"kind": kind, "place": f"run {i}", "cause": cause}
            self.alarms[i] = Alarm(f"{words}: {cause}", time=float(self._time[i]), **given)
        if runs and kind not in self._told:
            self._told.add(kind)
            sound_alarms([self.alarms[runs[0]]], raise_on_alarm=self._raises)
