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

    On a terminal only.
    """
    if not sys.stderr.isatty():
        yield lambda: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
    from rich.progress import TimeRemainingColumn as Remaining

    columns = (TextColumn(what), BarColumn(), MofNCompleteColumn(), Remaining())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(what, total=total)
        yield lambda: bar.advance(task)
