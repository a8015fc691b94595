"""Progress of long work: a bar on a terminal, lines elsewhere."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event, Thread
from time import monotonic
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from rich.progress import Progress


class ProgressBar:
    """A progress bar for runs longer than a second; without a terminal, a line now and then.

    ``update`` is cheap enough to be called every few hundred steps.
    """

    def __init__(self, total: float, *, shown: bool) -> None:
        self._total = total
        self._due = (1.0 if sys.stderr.isatty() else LINES) if shown else math.inf
        self._bar: Progress | None = None

    def __enter__(self) -> Self:
        return self

    def update(self, simulated: float, wall: float) -> None:
        """Show the progress of the run after ``wall`` seconds."""
        if wall < self._due:
            return
        speed = simulated / max(wall, 1e-9)
        if sys.stderr.isatty():
            self._bar = self._bar or self._started()
            self._bar.update(self._bar.task_ids[0], completed=simulated, rtf=speed)
            return
        self._due = wall + LINES
        told = f"simulated {simulated:.2f} of {self._total:g} s, {speed:.1f} x real time"
        print(told, file=sys.stderr, flush=True)

    def _started(self) -> Progress:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

        bar = Progress(
            TextColumn("simulated {task.completed:.2f} / {task.total:g} s"),
            BarColumn(),
            TextColumn("{task.fields[rtf]:.1f} x real time"),
            TimeRemainingColumn(),
            console=Console(stderr=True),
            transient=True,
        )
        bar.add_task("run", total=self._total, rtf=0.0)
        bar.start()
        return bar

    def __exit__(self, *error: object) -> None:
        if self._bar is not None:
            self._bar.stop()


LINES = 10.0
"""Time between two lines of progress without a terminal, [s]."""


SOON = 2.0
"""Time to the first line of progress without a terminal, [s]."""


@contextmanager
def progress_lines(line: Callable[[float], str], soon: float | None = None) -> Iterator[None]:
    """Report on standard error that other work goes on: after 2 s, then every 10 s.

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
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()
