"""The page on the QP solvers, and their table for a terminal."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from footfall_validate.circumstances import table, write_page
from footfall_validate.laws.figures import figure_file
from footfall_validate.solvers.problems import Collection
from footfall_validate.solvers.scores import HOWS, How, Score

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
SHOWN = 0, 1, 3, 5, 6, 7
"""Columns on the page, beside the figure with the worst times; a terminal shows all."""


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
    """Return one line for every kind of failure, and for every solver that is not installed."""
    found = []
    for score in scores:
        if score.variant.error:
            found.append(f"{score.variant.name}: {score.variant.error}")
        for (source, why), count in score.failures.items():
            times = f" ({count} times)" if count > 1 else ""
            found.append(f"{score.variant.name} fails when {source}: {why}{times}")
    return found


def _times(score: Score, how: How) -> list[str]:
    times = score.times(how)
    if not times:
        return ["", ""]
    return [f"{1e6 * float(np.median(times)):.0f}", f"{1e6 * max(times):.0f}"]


def write_solver_page(
    folder: Path, scores: Sequence[Score], collections: Sequence[Collection]
) -> Path:
    """Write ``solvers.md``, and its figure to a folder ``solvers`` beside it.

    Returns:
        Path of the page.
    """
    beside = folder / "solvers"
    beside.mkdir(parents=True, exist_ok=True)
    _draw(beside / "times.svg", scores)
    told = remarks(scores) + [f"{c.source.title}: {c.error}" for c in collections if c.error]
    asked = [c for c in collections if c.asked]
    names = (f"`{c.source.scene}` (`{c.source.asks[1]}`)" for c in asked)
    return write_page(
        folder,
        "solvers",
        chosen=sum(len(c.asked) for c in asked),
        problems=", ".join(names),
        solvers=table(HEADER, [[f"`{name}`", *rest] for name, *rest in map(cells, scores)], SHOWN),
        remarks="".join(f"- {line}\n" for line in told),
    )


def _draw(path: Path, scores: Sequence[Score]) -> None:
    """Draw median and worst times, and the worst residuals, on logarithmic axes."""
    shown = [score for score in reversed(scores) if score.solves]
    size = (8, 0.8 + 0.24 * len(shown))
    with figure_file(path, 1, 2, figsize=size, sharey=True, width_ratios=(3, 2)) as (left, right):
        _draw_times(left, shown)
        _draw_residuals(right, shown)


def _draw_times(axes: Any, scores: Sequence[Score]) -> None:
    for how, colour, shift in zip(HOWS, ("tab:blue", "tab:orange"), (0.13, -0.13), strict=True):
        found = [(k, s.times(how)) for k, s in enumerate(scores) if s.times(how)]
        rows = [k + shift for k, _ in found]
        medians = [1e6 * float(np.median(times)) for _, times in found]
        worst = [1e6 * max(times) for _, times in found]
        axes.hlines(rows, medians, worst, color=colour, linewidth=1.2)
        axes.plot(medians, rows, "o", color=colour, markersize=4, label=f"{how}: median to worst")
    axes.set(xscale="log", xlabel="time of a solve [us]")
    axes.set_yticks(range(len(scores)), [score.variant.name for score in scores])
    axes.legend(loc="upper right")


def _draw_residuals(axes: Any, scores: Sequence[Score]) -> None:
    finite = [(k, s.residual) for k, s in enumerate(scores) if np.isfinite(s.residual)]
    axes.plot([r for _, r in finite], [k for k, _ in finite], "o", color="tab:green", markersize=4)
    axes.axvline(1e-9, color="k", linestyle=":", linewidth=1.0)
    axes.set(xscale="log", xlabel="worst KKT residual, in scale")
