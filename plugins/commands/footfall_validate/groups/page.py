"""The page on the cost of collision groups, with a figure."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from footfall_validate.circumstances import table, write_page
from footfall_validate.groups.costs import GroupCost, slope
from footfall_validate.laws.figures import figure_file

HEADER = (
    "cubes",
    "contacts",
    "groups",
    "one group [us]",
    "many groups [us]",
    "whole step [us]",
    "matrix entries",
)
SHOWN = 0, 1, 3, 4, 5
"""Columns on the page; a terminal shows all."""
LINES = (
    ("one_group", "as one group", "s-"),
    ("many_groups", "as groups", "o-"),
    ("step", "whole step, grouped", "^:"),
)


def cells(cost: GroupCost) -> tuple[str, ...]:
    """Return a row of the table."""
    times = (cost.one_group, cost.many_groups, cost.step)
    return (
        *(str(n) for n in (cost.cubes, cost.contacts, cost.groups)),
        *("" if np.isnan(t) else f"{1e6 * t:.1f}" for t in times),
        str(cost.entries),
    )


def growth(costs: Sequence[GroupCost]) -> list[str]:
    """Return lines of text on the growth of the costs."""
    largest = max(cost.cubes for cost in costs)
    dense = [cost for cost in costs if np.isfinite(cost.one_group)]
    few = max(cost.cubes for cost in dense)
    said = [f"one group, 5 to {few} cubes: exponent {slope(dense, 'one_group'):.2f}"]
    for upto in dict.fromkeys((few, largest)):
        chosen = [cost for cost in costs if cost.cubes <= upto]
        for what, name in (("many_groups", "many groups"), ("step", "whole step")):
            said.append(f"{name}, 5 to {upto} cubes: exponent {slope(chosen, what):.2f}")
    return said


def write_group_page(folder: Path, costs: Sequence[GroupCost]) -> Path:
    """Write ``groups.md``, and its figure to a folder ``groups`` beside it; return the page."""
    beside = folder / "groups"
    beside.mkdir(parents=True, exist_ok=True)
    few = [cost for cost in costs if np.isfinite(cost.one_group)]
    with figure_file(beside / "groups.svg", 1, 2, figsize=(8, 3.2)) as axes:
        _plot(axes[0], few, LINES[:2])
        _plot(axes[1], costs, LINES)
        axes[1].set(xscale="log", yscale="log")
    difference = max(c.difference for c in costs if np.isfinite(c.difference))
    same = (
        "bit for bit" if difference == 0.0 else f"velocities differ by {difference:.0e} m/s at most"
    )
    shown = table(HEADER, [cells(cost) for cost in costs[::-3][::-1]], SHOWN)
    grown = "".join(f"- {line}\n" for line in growth(costs))
    return write_page(folder, "groups", difference=same, rows=shown, growth=grown)


def _plot(axes: Any, costs: Sequence[GroupCost], lines: Sequence[tuple[str, str, str]]) -> None:
    for what, label, style in lines:
        x = [cost.cubes for cost in costs]
        y = [1e6 * getattr(cost, what) for cost in costs]
        axes.plot(x, y, style, label=label, markersize=3, linewidth=1.2)
    axes.set(xlabel="cubes", ylabel="time [us]")
    axes.legend()
