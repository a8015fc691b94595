"""Deviations from Coulomb's law that the laws declare, reported if a run meets them."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from footfall.api.contact import ImpulseLaw
from footfall.api.plugin import Floats
from footfall_stepper.api import StepperSimulator
from footfall_watch.causes import gives_way
from footfall_watch.watch import RESIDUAL

MISSED = 1e-2
"""Natural map, relative to the velocity that gravity gives in a step, from which a law that relaxes
Coulomb's is reported, [-]."""
SLIDES = 1e-2
"""Slip speed from which friction weaker than mu is reported, [m/s]."""
SLIPS = 2.0
"""``contact_status`` of a point that slips."""
LEAST = 1e-4
"""Reference velocity without gravity, [m/s]."""
LEANING = 1e-2
"""Ratio of tangential to normal impulse from which friction carries load, [-]."""


class Surprises:
    """Checks whether a run meets a deviation that its contact law or impact model declares.

    The declarations are their ``claims``; the figures of the run are the natural map, the impulses
    and the impacts. Only one line is reported, the contact law's first. A law without restitution
    in a scene with restitution is rejected before the run.
    """

    def __init__(self, sim: StepperSimulator) -> None:
        """Begin to watch a simulator in its present state."""
        self._sim = sim
        self._impacts = sim.layout.slice_of("impacts").start
        law, impact = sim.stepper.law, sim.stepper.impact
        deviates = not law.claims.slides or law.claims.anisotropy > 0.0
        self._misses = deviates and not gives_way(sim)
        gravity = float(np.linalg.norm(sim.world.topology.gravity))
        self._fall = max(gravity * sim.time_step, LEAST * sim.world.metre)
        self._judged = isinstance(law, ImpulseLaw)
        self._creeps = law.claims.creep > 0.0
        self._strikes = impact.acts and impact.claims.anisotropy > 0.0
        self._met: dict[str, float] = {}

    def see(self, rows: Floats) -> None:
        """Take the rows of new steps, shape (n, width)."""
        if len(rows) == 0:
            return
        if self._misses:
            missed = np.flatnonzero(self._missed(rows))
            self._misses = not (len(missed) and self._meet("misses", rows[int(missed[0])]))
        if self._creeps and self._holds(rows[-1]):
            self._creeps = not self._meet("creeps", rows[-1])
        if self._strikes and rows[:, self._impacts].any():
            self._strikes = not self._meet("strikes", rows[int(np.argmax(rows[:, self._impacts]))])

    def found(self) -> dict[str, list[str]]:
        """Return the most important line, if any."""
        return {"notes": [line for line in self._lines() if line][:1]}

    def _meet(self, what: str, row: Floats) -> bool:
        self._met[what] = float(self._sim.layout.view(row, "time"))
        return True

    def _missed(self, rows: Floats) -> npt.NDArray[np.bool_]:
        """Return a mask of rows that miss Coulomb's law (for a force law: rows with weak slip).

        The natural map expects approaching points to come to rest within the step. A force law does
        not do that, so the residual of maximum dissipation, ``(mu r_n - |r_t|) |u_t|``, is used: it
        shows points that slip with less friction than mu. Rows in which everything moves more
        slowly than ``SLIDES`` do not count.
        """
        place, world = self._sim.layout.slice_of, self._sim.world
        if self._judged:
            if not self._sim.stepper.monitor.worst_residual > MISSED * self._fall:
                return np.zeros(0, bool)
            natural = rows[:, place("residual_natural_map").start]
            return np.asarray(natural > MISSED * self._fall)
        slides = SLIDES * world.metre
        weak = MISSED * slides * world.mass * self._fall
        slips = rows[:, place("residual_dissipation").start] > weak
        slips |= (rows[:, place("contact_status")] == SLIPS).any(axis=1)
        collisions = self._sim.stepper.collisions
        if collisions is not None:
            slips[-1] |= bool((world.detected.status[: collisions.count] == SLIPS).any())
        kinetic = rows[:, place("kinetic_energy").start]
        return np.asarray(slips & (kinetic > 0.5 * world.mass * slides**2))

    def _holds(self, row: Floats) -> bool:
        """Return whether friction carries load in the step of a row."""
        detected, collisions = self._sim.world.detected, self._sim.stepper.collisions
        found = detected.impulse[: collisions.count] if collisions is not None else np.zeros((0, 3))
        declared = self._sim.layout.view(row, "impulse").reshape(-1, 3)
        for impulses in (declared, found):
            if (np.hypot(impulses[:, 0], impulses[:, 1]) > LEANING * impulses[:, 2]).any():
                return True
        return False

    def _lines(self) -> Iterator[str]:
        law, impact = self._sim.stepper.law, self._sim.stepper.impact
        contact, times = f'contact "{law.name}"', self._met
        worst = self._sim.stepper.monitor.worst_residual
        if "misses" in times and not (self._judged and worst > RESIDUAL):  # else it is an alarm
            what = [] if law.claims.slides else ["slows sliding bodies too little or lifts them"]
            if law.claims.anisotropy > 0.0:
                what.append(f"has friction up to {100.0 * law.claims.anisotropy:.3g} % beyond mu")
            told = f"its answers miss Coulomb's law by up to {worst:.2g} m/s"
            yield (
                f"{contact} {' and '.join(what)}, as declared; "
                f"{told if self._judged else 'points slip'} from t = {times['misses']:.6g} s on"
            )
        if "creeps" in times:
            yield (
                f"{contact} lets sticking bodies creep at up to {law.claims.creep:g} m/s, as "
                f"declared; friction carries load from t = {times['creeps']:.6g} s on"
            )
        if "strikes" in times:
            yield (
                f'impact "{impact.name}" has friction up to '
                f"{100.0 * impact.claims.anisotropy:.3g} % beyond mu, as declared; impacts "
                f"happen from t = {times['strikes']:.6g} s on"
            )
