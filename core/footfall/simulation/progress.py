"""A progress bar with simulated time, real-time factor and time left."""

from __future__ import annotations

import sys
from types import TracebackType
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID


class ProgressBar:
    """Shown on a terminal only, and only if the run takes longer than a second.

    ``update`` is cheap enough to be called every few hundred steps.
    """

    def __init__(self, total: float, *, shown: bool) -> None:
        self._total = total
        self._shown = shown and sys.stderr.isatty()
        self._bar: Progress | None = None
        self._task: TaskID | None = None

    def __enter__(self) -> Self:
        return self

    def update(self, simulated: float, wall: float) -> None:
        """Show how far the run is after ``wall`` seconds."""
        if not self._shown or (self._bar is None and wall < 1.0):
            return
        if self._bar is None:
            self._start()
        assert self._bar is not None
        assert self._task is not None
        self._bar.update(self._task, completed=simulated, rtf=simulated / max(wall, 1e-9))

    def _start(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

        self._bar = Progress(
            TextColumn("simulated {task.completed:.2f} / {task.total:g} s"),
            BarColumn(),
            TextColumn("{task.fields[rtf]:.1f} x real time"),
            TimeRemainingColumn(),
            console=Console(stderr=True),
            transient=True,
        )
        self._task = self._bar.add_task("run", total=self._total, rtf=0.0)
        self._bar.start()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._bar is not None:
            self._bar.stop()
