"""Options of the commands that try contact laws and impact models, and their progress bar."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Annotated

import typer

Laws = Annotated[
    list[str] | None,
    typer.Option("--law", metavar="NAME", help="Contact law; may be repeated; default: every one."),
]
Solver = Annotated[
    str | None, typer.Option("--solver", help="QP solver of laws that are made with one.")
]


@contextmanager
def counted(total: int, what: str) -> Iterator[Callable[[], None]]:
    """Show how many of ``total`` jobs are done; call what is yielded after each.

    A bar on a terminal; elsewhere a line at the start, and then one every ten seconds.
    """
    if not sys.stderr.isatty():
        from footfall import progress_lines

        lines = _Lines(total, what)
        print(lines.line(0.0), file=sys.stderr, flush=True)
        with progress_lines(lines.line, LINES):
            yield lines.advance
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
    from rich.progress import TimeRemainingColumn as Remaining

    columns = (TextColumn(what), BarColumn(), MofNCompleteColumn(), Remaining())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(what, total=total)
        yield lambda: bar.advance(task)


LINES = 10.0
"""Time between two lines of progress where there is no terminal, [s]."""


class _Lines:
    """Counts jobs, and says in a line how many are done."""

    def __init__(self, total: int, what: str) -> None:
        self._total, self._what, self._done = total, what, 0

    def advance(self) -> None:
        """Count one more."""
        self._done += 1

    def line(self, elapsed: float) -> str:
        """Return how many are done, and how long the rest may take after so much time, [s]."""
        rest = elapsed * (self._total - self._done) / max(1, self._done)
        left = f", about {rest:.0f} s left" if self._done else f", {elapsed:.0f} s"
        return f"{self._done} of {self._total} {self._what}{left if elapsed else ''}"
