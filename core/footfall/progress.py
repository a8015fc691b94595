"""Progress of long work: a bar on a terminal, lines elsewhere."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from threading import Event, Thread
from time import monotonic
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.progress import Progress


def progress_bar(before: str, after: str, total: float, **fields: Any) -> Progress:
    """Return a started bar of one task on the terminal, with texts as ``TextColumn`` reads them.

    It needs no thread: it changes with ``update(..., refresh=True)``.
    """
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    columns = TextColumn(before), BarColumn(), TextColumn(after), TimeRemainingColumn()
    made = Progress(*columns, console=Console(stderr=True), auto_refresh=False, transient=True)
    made.add_task("", total=total, **fields)
    made.start()
    return made


LINES = 10.0
"""Time between two lines of progress without a terminal, [s]."""


SOON = 2.0
"""Time to the first line of progress without a terminal, [s]."""


@contextmanager
def progress_lines(line: Callable[[float], str], soon: float | None = None) -> Iterator[None]:
    """Report on standard error that other work goes on: after 2 s, then every 10 s.

    If no thread can be started, the work goes on without a report.

    Args:
        line: returns the text, given the time since the start, [s]; called in another thread.
        soon: time to the first line, [s]; None: 2 s.
    """
    began, ended = monotonic(), Event()

    def tell() -> None:
        wait = SOON if soon is None else soon
        while not ended.wait(wait):
            print(line(monotonic() - began), file=sys.stderr, flush=True)
            wait = LINES

    thread = Thread(target=tell, daemon=True)
    with suppress(RuntimeError):
        thread.start()
    try:
        yield
    finally:
        ended.set()
        if thread.ident:
            thread.join()
