"""A table of figures of all laws, for choosing a law."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from footfall_validate.circumstances import table
from footfall_validate.laws.check import Measure
from footfall_validate.laws.cost import Cost
from footfall_validate.laws.finding import Finding


@dataclass(frozen=True, slots=True)
class Column:
    """A column with a figure of one check.

    Attributes:
        title: title of the column.
        check: name of the check.
        what: beginning of the measures' names.
        show: function that writes the worst of these measures.
    """

    title: str
    check: str
    what: str
    show: Callable[[Measure], str]


COLUMNS = (
    Column(
        "cube pushed off at 6 m/s: way in 2 s [m] (3.670)",
        "sliding_cube",
        "distance",
        lambda m: f"{m.measured:.3f}",
    ),
    Column("its rise [mm] (0)", "sliding_cube", "rise", lambda m: f"{1e3 * m.measured:.2g}"),
    Column(
        "force at which a box slips, worst of 7 directions [mu m g] (1)",
        "slip_threshold",
        "force",
        lambda m: f"{m.measured:.3f}",
    ),
    Column("creeps in 10 s [m] (0)", "creep", "way", lambda m: f"{m.measured:.0e}"),
    Column(
        "depth on 4 points [mm]", "resting_depth", "depth on 4", lambda m: f"{1e3 * m.measured:.2g}"
    ),
)


def overview(findings: Sequence[Finding], costs: Sequence[Cost]) -> str:
    """Return a Markdown table with one row per law, with the impact model that suits it."""
    first: dict[tuple[str, str], Finding] = {}
    for finding in findings:
        first.setdefault((finding.laws.contact, finding.check), finding)
    header = ["law", *(column.title for column in COLUMNS), "step, relative"]
    rows = []
    by_law = {cost.law: cost for cost in costs}
    for law in dict.fromkeys(finding.laws.contact for finding in findings):
        cells = [_cell(first.get((law, column.check)), column) for column in COLUMNS]
        cost = by_law.get(law)
        relative = f"{cost.relative:.1f}" if cost and not cost.error else ""
        rows.append([f"`{law}`", *cells, relative])
    return table(header, rows)


def _cell(finding: Finding | None, column: Column) -> str:
    if finding is None:
        return ""
    fitting = [m for m in finding.measures if m.what.startswith(column.what)]
    if not fitting:
        return "refused" if finding.refused else "no answer"
    return column.show(max(fitting, key=lambda m: m.excess))
