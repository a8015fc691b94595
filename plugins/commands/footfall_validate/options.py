"""Options of commands that try contact laws and impact models, their progress, and plain tables."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import typer

from footfall.api.plugin import PluginError

Laws = Annotated[
    list[str] | None,
    typer.Option("--law", metavar="NAME", help="Contact law; may be repeated; default: all."),
]
Solver = Annotated[str | None, typer.Option("--solver", help="QP solver of laws that use one.")]


def require_matplotlib(output: Path | None) -> None:
    """Check that the plotting package is installed, if there is a folder for figures.

    Raises:
        PluginError: if matplotlib is not installed; the message tells how to install it.
    """
    if output and find_spec("matplotlib") is None:
        raise PluginError(f'figures need "matplotlib": {PluginError.pip("plots")}')


def print_columns(header: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print a table with columns as wide as their longest cell."""
    widths = [max(map(len, column)) for column in zip(header, *rows, strict=True)]
    for row in (header, *rows):
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)))


@contextmanager
def nothing_if_interrupted() -> Iterator[None]:
    """Say on Ctrl-C that there is nothing to print."""
    try:
        yield
    except KeyboardInterrupt:
        print("interrupted: nothing to print", file=sys.stderr)
        raise


@contextmanager
def counted(total: int, what: str) -> Iterator[Callable[[], None]]:
    """Show the number of finished jobs out of ``total``; call the yielded function after each job.

    On a terminal it is a bar; elsewhere a line at the start and one every ten seconds.
    """
    if not sys.stderr.isatty():
        from footfall import progress_lines

        lines = _Lines(total, what)
        print(lines.line(0.0), file=sys.stderr, flush=True)
        with progress_lines(lines.line, LINES):
            yield lines.advance
        return
    from footfall import progress_bar

    shown = progress_bar(what, "{task.completed}/{task.total}", total)
    try:
        yield lambda: shown.update(shown.task_ids[0], advance=1, refresh=True)
    finally:
        shown.stop()


LINES = 10.0
"""Time between two lines of progress without a terminal, [s]."""


class _Lines:
    """Counts jobs, and reports progress as a line."""

    def __init__(self, total: int, what: str) -> None:
        self._total, self._what, self._done = total, what, 0

    def advance(self) -> None:
        """Count one more job."""
        self._done += 1

    def line(self, elapsed: float) -> str:
        """Return the number of finished jobs, and the estimated time left after ``elapsed`` [s]."""
        rest = elapsed * (self._total - self._done) / max(1, self._done)
        left = f", about {rest:.0f} s left" if self._done else f", {elapsed:.0f} s"
        return f"{self._done} of {self._total} {self._what}{left if elapsed else ''}"
