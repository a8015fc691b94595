"""The table of a comparison, one row per combination."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import degrees, inf, isnan, nan

from rich.table import Table
from rich.text import Text

from footfall.api.command import console
from footfall_compare.outcome import Comparison, Outcome
from footfall_compare.reference import own_text
from footfall_compare.variation import value_text


@dataclass(frozen=True, slots=True)
class Column:
    """A column of figures.

    Attributes:
        title: short title.
        unit: unit of the figures.
        meaning: description in a sentence.
    """

    title: str
    unit: str
    meaning: str


COLUMNS = (
    Column(
        "residual median", "m/s", "natural map of the contact problem: 0 is Coulomb's law exactly"
    ),
    Column("residual worst", "m/s", "the largest of all steps"),
    Column("penetration worst", "mm", "deepest point under the ground"),
    Column("energy lost", "J", "dissipated by contacts and joints"),
    Column("energy drift", "J", "added by the integrator or by moving bodies out of the ground"),
    Column("balance", "J", "residual of the energy balance: 0 up to rounding"),
    Column("step time", "us", "wall-clock time with recording, median over blocks of 100 steps"),
    Column("base off", "mm", "distance of the final base position from the reference's"),
    Column("base off", "deg", "angle of the final base orientation from the reference's"),
    Column("joints off", "rad, m", "largest difference of a final joint position"),
)


def columns(comparison: Comparison) -> list[Column]:
    """Return the columns with figures; e.g. a scene without joints has no joint column."""
    return [COLUMNS[k] for k in _present(comparison)]


def rows(comparison: Comparison) -> list[list[str]]:
    """Return number, varied values, figures and ending of every combination as text."""
    present = _present(comparison)
    return [
        [
            str(outcome.combination.number),
            *(value_text(value) for value in outcome.combination.values.values()),
            *(found[k] for k in present),
            mark(outcome),
        ]
        for outcome in comparison.outcomes
        for found in [figures(outcome)]
    ]


def mark(outcome: Outcome) -> str:
    """Return the ending of a combination, or a mark if its run has an alarm or a note."""
    if outcome.ending != "complete":
        return outcome.ending
    report = outcome.report
    return "ALARM" if report and report.alarms else "note" if report and report.notes else ""


def _present(comparison: Comparison) -> list[int]:
    found = [figures(outcome) for outcome in comparison.outcomes]
    return [k for k in range(len(COLUMNS)) if any(row[k] not in ("", "-") for row in found)]


def notes(comparison: Comparison) -> list[str]:
    """Return notes: the reference, reasons of incomplete combinations, alarms and notes of runs."""
    every = comparison.outcomes
    told = [(f"{o.ending}: {o.reason}", o) for o in every if o.ending != "complete"]
    for outcome in every:
        if outcome.report:
            told += [(f"ALARM: {line}", outcome) for line in outcome.report.alarms]
            told += [(f"note: {line}", outcome) for line in outcome.report.notes]
    numbers: dict[str, list[str]] = {}
    for line, outcome in told:
        numbers.setdefault(line, []).append(str(outcome.combination.number))
    found = [f"{', '.join(of)} {line}" for line, of in numbers.items()]
    reference = comparison.reference
    if reference is not None and sum(o.difference is not None for o in every) > 1:
        ends = {round(o.difference.time, 9) for o in every if o.difference}
        when = f"at {ends.pop():g} s" if len(ends) == 1 else "at the last common time"
        found.insert(0, f"off: from {reference.combination.label}, {when}")
    own = comparison.own
    if own and reference:
        name = reference.combination.label
        found += [f"{name} itself {way}: {own_text(off)}" for way, off in own.differences().items()]
        found += [f"{name} not {reason}" for reason in own.missing]
        if own.horizon < inf:
            parts = f"{name} itself changes by 10 mm, 5 deg or 0.1 rad from {own.horizon:g} s on"
            found.append(f"{parts}: later differences say nothing about laws")
    return found + [f"{n} {text}" for n, (_, text) in comparison.judgements().items()]


def figures(outcome: Outcome) -> list[str]:
    """Return the figures of a combination as text, in the order of ``COLUMNS``."""
    report, off = outcome.report, outcome.difference
    if report is None or not report.steps:
        return [""] * len(COLUMNS)
    worst = report.natural_map_worst
    found = [
        _short(nan if isnan(worst) else report.natural_map_median),  # none in continuous time
        _short(worst),
        f"{1e3 * report.penetration_worst:.3g}",
        f"{report.dissipated:.3g}",
        _short(report.integration_error),
        _short(report.energy_balance),
        f"{1e6 * report.typical_step:.1f}",
    ]
    if off is None:
        return [*found, "", "", ""]
    apart = 1e3 * off.position, degrees(off.angle), off.joints
    return [*found, *("-" if isnan(value) else f"{value:.3g}" for value in apart)]


def _short(value: float) -> str:
    return "-" if isnan(value) else f"{value:.1e}"


WIDTH = 170
"""Width without a terminal, [columns]."""
GAP = 2
"""Space between columns, [characters]."""
STYLES = {"complete": "", "refused": "yellow", "failed": "bold red", "interrupted": "yellow"}


@dataclass(frozen=True, slots=True)
class PrintedColumn:
    """A printed column.

    Attributes:
        title: title in several lines.
        cells: one per combination.
        left: True for left-aligned text, False for figures.
    """

    title: str
    cells: tuple[str, ...]
    left: bool = False

    @property
    def width(self) -> int:
        """Width on the screen with the gap, [characters]."""
        return max(len(line) for line in (*self.title.splitlines(), *self.cells, "")) + GAP


def print_comparison(comparison: Comparison) -> None:
    """Print one row per combination, then the notes.

    On a narrow terminal the figures are split into several tables, each with the varied values.
    """
    screen = console(WIDTH)
    every = _columns(comparison)
    n = 1 + len(comparison.variations)
    for part in abreast(every[:n], every[n:], screen.width):
        table = Table(box=None, padding=(0, GAP, 0, 0), header_style="bold")
        for column in part:
            table.add_column(
                Text(column.title), justify="left" if column.left else "right", no_wrap=True
            )
        for number, outcome in enumerate(comparison.outcomes):
            cells = (Text(column.cells[number]) for column in part)
            table.add_row(*cells, style=STYLES[outcome.ending])
        screen.print(table)
    for note in notes(comparison):
        screen.print(note, markup=False, soft_wrap=True)


def abreast(
    names: Sequence[PrintedColumn], figures: Sequence[PrintedColumn], width: int
) -> Iterator[list[PrintedColumn]]:
    """Yield the columns of each table, not wider than the screen if possible."""
    part: list[PrintedColumn] = []
    for column in figures:
        if part and sum(c.width for c in (*names, *part, column)) > width:
            yield [*names, *part]
            part = []
        part.append(column)
    yield [*names, *part]


def _columns(comparison: Comparison) -> list[PrintedColumn]:
    """Return the table by columns; keys are split at dots to be narrow."""
    names = ["", *(variation.key.replace(".", ".\n") for variation in comparison.variations)]
    units = [f"{c.title.replace(' ', chr(10))}\n[{c.unit}]" for c in columns(comparison)]
    titles = [*names, *units, ""]
    by_row = rows(comparison)
    cells = [tuple(row[k] for row in by_row) for k in range(len(titles))]
    found = [
        PrintedColumn(title, column, left=0 < k < len(names))
        for k, (title, column) in enumerate(zip(titles, cells, strict=True))
    ]
    return found if any(cells[-1]) else found[:-1]  # all are complete
