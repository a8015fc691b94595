"""The table of ``footfall validate solvers``."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from footfall_validate.qp_problems import Collection
from footfall_validate.solver_scores import Score
from footfall_validate.solver_table_validation import HEADER, cells, remarks

WIDTH = 120
"""Columns where there is no terminal."""


def print_scores(scores: Sequence[Score], collections: Sequence[Collection]) -> None:
    """Print one row a solver, then what failed and what could not be asked."""
    console = Console(highlight=False)
    if not console.is_terminal:
        console = Console(highlight=False, width=WIDTH)
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="bold")
    for number, title in enumerate(HEADER):
        table.add_column(title, justify="right" if number else "left")
    for score in scores:
        style = "bold red" if score.failures else "" if score.solves else "dim"
        table.add_row(*(Text(cell) for cell in cells(score)), style=style)
    console.print(table)
    count = sum(len(collection.asked) for collection in collections)
    console.print(f"{count} problems of {sum(bool(c.asked) for c in collections)} scenes")
    lines = [f"{c.source.title}: left out: {c.error}" for c in collections if c.error]
    for line in (*remarks(scores), *lines):
        console.print(line, markup=False, soft_wrap=True)
