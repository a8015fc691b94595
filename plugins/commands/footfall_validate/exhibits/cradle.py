"""Newton's cradle: a ball strikes four balls in a row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from footfall.api.plugin import Floats
from footfall.testing.problems.case import Case
from footfall.testing.problems.cases import cones
from footfall_validate.circumstances import prose
from footfall_validate.exhibits.exhibit import Answerer, Exhibit
from footfall_validate.laws.check import Trace, trace
from footfall_validate.laws.figures import Figure

BALLS = 5
GAP = 1e-4
"""Gap between neighbours, [m]."""


def cradle(answerers: Sequence[Answerer]) -> Exhibit:
    """Return each plugin's answers for touching balls and for balls with gaps."""
    rows = [("classical", "1", "", "", _shown(np.eye(BALLS)[-1]), "1")]
    curves: list[tuple[str, Trace]] = []
    for answerer in answerers:
        cells = [answerer.label, f"{answerer.e:g}"]
        for figure, gap in (("cradle_touching", 0.0), ("cradle_gaps", GAP)):
            outcome = answerer.played(row_of_balls(gap, answerer.e))
            if isinstance(outcome, str):
                cells += [outcome, ""]
                continue
            kept = float(outcome.v @ outcome.v)
            cells += [_shown(outcome.v) + ("" if outcome.ended else " and on"), f"{kept:.3f}"]
            curves.append((answerer.short, trace(figure, np.arange(1, BALLS + 1), outcome.v)))
        rows.append((cells[0], cells[1], cells[2], cells[3], cells[4], cells[5]))
    header = ("", "e", "touching: velocities [m/s]", "energy kept", "0.1 mm apart", "energy kept")
    axes = ("ball", "velocity afterwards [m/s]")
    figures = {name: Figure("", *axes, marker="o") for name in ("cradle_touching", "cradle_gaps")}
    return Exhibit("Newton's cradle", prose("cradle"), header, tuple(rows), figures, tuple(curves))


def row_of_balls(gap: float, e: float) -> Case:
    """Return the balls, each free only along the row, with a contact between neighbours."""
    n = BALLS
    J = np.zeros((3 * (n - 1), n))
    for i in range(n - 1):
        J[3 * i + 2, i : i + 2] = -1.0, 1.0
    v = np.eye(n)[0]
    row = cones("cradle", np.eye(n), J, v, v, np.tile(np.eye(3), (n - 1, 1, 1)))
    gaps, es = np.full(n - 1, gap), np.full(n - 1, e)
    return replace(row, mu=np.zeros(n - 1), gap=gaps, restitution=es)


def _shown(v: Floats) -> str:
    return ", ".join(f"{round(x, 3) + 0.0:g}" for x in v.tolist())
