"""The table of ``footfall compare``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rich.console import Console
from rich.table import Table
from rich.text import Text

from footfall_compare.outcome import Comparison
from footfall_compare.table import columns, notes, rows

WIDTH = 170
"""Columns where there is no terminal."""
GAP = 2
"""Between columns."""
STYLES = {"complete": "", "refused": "yellow", "failed": "bold red", "interrupted": "yellow"}


@dataclass(frozen=True, slots=True)
class Column:
    """A column as it is printed.

    Attributes:
        title: over several lines.
        cells: one a combination.
        left: whether they are text, else figures.
    """

    title: str
    cells: tuple[str, ...]
    left: bool = False

    @property
    def width(self) -> int:
        """What it takes on the screen."""
        return max(len(line) for line in (*self.title.splitlines(), *self.cells, "")) + GAP


def print_comparison(comparison: Comparison) -> None:
    """Print one row a combination, then why some are not complete.

    On a narrow terminal the figures are in several tables, each with the varied values.
    """
    console = Console(highlight=False)
    if not console.is_terminal:
        console = Console(highlight=False, width=WIDTH)
    every = _columns(comparison)
    n = 1 + len(comparison.variations)
    for part in abreast(every[:n], every[n:], console.width):
        table = Table(box=None, padding=(0, GAP, 0, 0), header_style="bold")
        for column in part:
            table.add_column(
                Text(column.title), justify="left" if column.left else "right", no_wrap=True
            )
        for number, outcome in enumerate(comparison.outcomes):
            cells = (Text(column.cells[number]) for column in part)
            table.add_row(*cells, style=STYLES[outcome.ending])
        console.print(table)
    for note in notes(comparison):
        console.print(note, markup=False, soft_wrap=True)


def abreast(
    names: Sequence[Column], figures: Sequence[Column], width: int
) -> Iterator[list[Column]]:
    """Yield the columns of one table after the other, none wider than the screen if possible."""
    part: list[Column] = []
    for column in figures:
        if part and sum(c.width for c in (*names, *part, column)) > width:
            yield [*names, *part]
            part = []
        part.append(column)
    yield [*names, *part]


def _columns(comparison: Comparison) -> list[Column]:
    """Return the table by columns; keys are split at dots, to be as narrow as their values."""
    names = ["", *(variation.key.replace(".", ".\n") for variation in comparison.variations)]
    units = [f"{c.title.replace(' ', chr(10))}\n[{c.unit}]" for c in columns(comparison)]
    titles = [*names, *units, ""]
    by_row = rows(comparison)
    cells = [tuple(row[k] for row in by_row) for k in range(len(titles))]
    found = [
        Column(title, column, left=0 < k < len(names))
        for k, (title, column) in enumerate(zip(titles, cells, strict=True))
    ]
    return found if any(cells[-1]) else found[:-1]  # all are complete
