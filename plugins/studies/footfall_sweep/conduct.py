"""The loop of a sweep: hands out missing runs and stores their outcomes."""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, CancelledError, Future, wait
from contextlib import ExitStack
from typing import TYPE_CHECKING, Self

from footfall import progress_bar, progress_lines
from footfall.api.plugin import PluginError, RecordingError, SimulationError, error_line
from footfall_sweep.grid import Grid
from footfall_sweep.store import Store
from footfall_sweep.task import Brief, Outcome
from footfall_sweep.workers import Workers

if TYPE_CHECKING:
    from rich.progress import Progress as Bar

LOOK = 1.0
"""Time without a result after which the workers are checked, [s]."""


def conduct(grid: Grid, brief: Brief, store: Store, workers: Workers, progress: Progress) -> None:
    """Do every run of a grid that the store does not hold; after an error, stored runs are kept.

    Raises:
        PluginError: if a worker is not fit.
        RecordingError: if something cannot be written.
        SimulationError: if the workers cannot be reached.
    """
    hand = _Hand(grid, brief, store, workers)
    while hand.fill():
        outcomes = hand.collect()
        store.add(outcomes)
        progress.add(outcomes)
        for outcome in hand.redo():
            store.add([outcome])
            progress.add([outcome])


class _Hand:
    """Runs handed out to workers."""

    def __init__(self, grid: Grid, brief: Brief, store: Store, workers: Workers) -> None:
        self._grid, self._brief, self._workers = grid, brief, workers
        self._waiting = store.missing(grid.runs)
        self._back: deque[int] = deque()
        self._suspects: list[int] = []
        self._futures: dict[Future[Outcome], int] = {}

    def fill(self) -> bool:
        """Hand out as many runs as the workers take at once; return whether any is out."""
        room = self._workers.at_once - len(self._futures)
        for _ in range(room if not self._suspects else 0):
            number = self._back.popleft() if self._back else next(self._waiting, None)
            if number is None:
                break
            try:
                future = self._workers.submit(self._brief, number, self._grid.values(number))
            except BrokenExecutor:  # the runs that are out report it
                self._back.append(number)
                if not self._futures:
                    self._suspects.append(self._back.pop())
                break
            self._futures[future] = number
        return bool(self._futures or self._suspects)

    def collect(self) -> list[Outcome]:
        """Return outcomes; wait for the first, at most ``LOOK`` seconds."""
        done, _ = wait(self._futures, timeout=LOOK, return_when=FIRST_COMPLETED)
        if not done:
            self._workers.look_after()
        found = []
        for future in done:
            number = self._futures.pop(future)
            try:
                outcome = future.result()
            except BrokenExecutor:
                self._suspects.append(number)
                continue
            except CancelledError as error:
                raise SimulationError(
                    "the workers, or their scheduler, are gone: start the same sweep again to "
                    "continue"
                ) from error
            except Exception as error:
                outcome = _undelivered(number, error)
            found.append(_sound(outcome))
        return found

    def redo(self) -> Iterator[Outcome]:
        """Repeat, each alone, the runs that were out when a worker died."""
        if self._futures:
            return
        while self._suspects:
            number = self._suspects.pop()
            values = self._grid.values(number)
            yield _sound(self._workers.do_alone(self._brief, number, values))


def _undelivered(number: int, error: Exception) -> Outcome:
    """Return the outcome of a run that killed several workers.

    Raises:
        SimulationError: if the run could not be handed out, or its result did not come back.
    """
    if type(error).__name__ == "KilledWorker":  # Dask's, after several attempts
        return Outcome(number, "failed", "its worker died, several times")
    raise SimulationError(f"run {number} could not be done: {error_line(error)}") from error


def _sound(outcome: Outcome) -> Outcome:
    """Return an outcome if it counts as run.

    Raises:
        PluginError: if the worker is not fit.
        RecordingError: if the worker could not write.
    """
    if outcome.ending == "unfit":
        raise PluginError(outcome.error)
    if outcome.ending == "unstored":
        raise RecordingError(f"{outcome.error}; run {outcome.number} was not stored")
    return outcome


class Progress:
    """Progress of a sweep: a bar on a terminal, else a line after 2 s and every 10 s."""

    def __init__(self, total: int, done: int, failed: int, *, shown: bool) -> None:
        """Prepare the display.

        Args:
            total: number of runs.
            done: number of runs done before this process began.
            failed: number of these that failed.
            shown: whether to show progress.
        """
        self._total, self._before, self._done, self._failed = total, done, done, failed
        self._shown = shown
        self._lines = ExitStack()
        self._bar: Bar | None = None

    def add(self, outcomes: list[Outcome]) -> None:
        """Count finished runs."""
        self._done += len(outcomes)
        self._failed += sum(outcome.ending != "complete" for outcome in outcomes)
        if self._bar is not None:
            done, failed = self._done, self._failed
            self._bar.update(self._bar.task_ids[0], completed=done, failed=failed, refresh=True)

    def line(self, elapsed: float) -> str:
        """Return the number of runs done, and the estimated time left, after a time, [s]."""
        rate = (self._done - self._before) / elapsed
        left = f", about {(self._total - self._done) / rate:.0f} s left" if rate else ""
        return f"sweep: {self._done} of {self._total} runs, {self._failed} failed{left}"

    def __enter__(self) -> Self:
        if self._shown and not sys.stderr.isatty():
            self._lines.enter_context(progress_lines(self.line))
        elif self._shown:
            text = "{task.completed}/{task.total} {task.fields[failed]} failed"
            counts = {"completed": self._done, "failed": self._failed}
            self._bar = progress_bar("runs", text, self._total, **counts)
        return self

    def __exit__(self, *error: object) -> None:
        self._lines.close()
        if self._bar is not None:
            self._bar.stop()
