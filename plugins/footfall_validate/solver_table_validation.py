"""The table of the solvers, for a terminal and for a page."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from footfall_validate.solver_scores import How, Score

HEADER = (
    "solver",
    "cold, median [us]",
    "cold, worst",
    "warm, median [us]",
    "warm, worst",
    "worst KKT residual",
    "made exact",
    "failed",
)


def cells(score: Score) -> list[str]:
    """Return a solver's figures as text, in the order of ``HEADER``."""
    if not score.solves:
        return [score.variant.name, *([""] * 6), "not installed"]
    failed = sum(score.failures.values())
    return [
        score.variant.name,
        *_times(score, "cold"),
        *_times(score, "warm"),
        f"{score.residual:.0e}" if np.isfinite(score.residual) else "no answer",
        f"{100.0 * score.polished:.0f} %",
        f"{failed} of {len(score.solves)}" if failed else "",
    ]


def remarks(scores: Sequence[Score]) -> list[str]:
    """Return one line for every kind of failure, and for every solver that is not there."""
    found = []
    for score in scores:
        if score.variant.error:
            found.append(f"{score.variant.name}: {score.variant.error}")
        for (source, why), count in score.failures.items():
            times = f" ({count} times)" if count > 1 else ""
            found.append(f"{score.variant.name} fails where {source}: {why}{times}")
    return found


def _times(score: Score, how: How) -> list[str]:
    times = score.times(how)
    if not times:
        return ["", ""]
    return [f"{1e6 * float(np.median(times)):.0f}", f"{1e6 * max(times):.0f}"]
