"""Workers that do the runs: processes of this machine, or a given executor."""

from __future__ import annotations

import os
import signal
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import BrokenExecutor, Executor, Future, ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context
from multiprocessing.connection import Connection
from threading import Thread
from typing import Any, Self

from footfall.api.plugin import PluginError, SimulationError, error_line
from footfall_sweep.task import Brief, Outcome, do_run, make_a_step, unfitness

Values = Mapping[str, Any]
"""Values of the varied keys."""
THREADS = (
    *("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"),
    "VECLIB_MAXIMUM_THREADS",
)
"""Environment variables that limit the threads of libraries to one per worker."""
AT_ONCE = 256
"""Runs handed to an executor of unknown size at a time."""


class Workers(ABC):
    """Workers of a sweep; a context that cancels unfinished runs on exit."""

    at_once: int
    """Most runs handed out at a time."""

    @abstractmethod
    def begin(self, brief: Brief, samples: Sequence[Values]) -> None:
        """Start the workers, check that they fit, and compile the kernels of the samples.

        Raises:
            FootfallError: if they cannot do the runs; the message gives the reason.
        """

    @abstractmethod
    def submit(self, brief: Brief, number: int, values: Values) -> Future[Outcome]:
        """Submit a run."""

    def do_alone(self, brief: Brief, number: int, values: Values) -> Outcome:
        """Repeat a run that was out when a worker died, alone.

        Raises:
            SimulationError: if these workers cannot be replaced.
        """
        raise SimulationError("a worker died and broke the executor")

    def look_after(self) -> None:  # noqa: B027
        """Check, while no run finishes, that workers are still there.

        Most workers report that by their futures.

        Raises:
            SimulationError: if no worker is there.
        """

    def __enter__(self) -> Self:
        return self

    @abstractmethod
    def __exit__(self, *error: object) -> None: ...


class Given(Workers):
    """A ``concurrent.futures.Executor`` of the caller, who shuts it down."""

    def __init__(self, executor: Executor) -> None:
        self.executor = executor
        self.at_once = AT_ONCE

    def begin(self, brief: Brief, samples: Sequence[Values]) -> None:
        """Check one worker and compile there; each run checks its own worker."""
        try:
            unfit = self.executor.submit(unfitness, brief).result()
            if unfit:
                raise PluginError(unfit)
            for values in samples:
                self.executor.submit(make_a_step, brief, values).result()
        except BrokenExecutor as error:
            raise SimulationError(f"the executor failed: {error_line(error)}") from error

    def submit(self, brief: Brief, number: int, values: Values) -> Future[Outcome]:
        """Submit a run."""
        return self.executor.submit(do_run, brief, number, values)

    def __exit__(self, *error: object) -> None:
        """Do nothing; the executor belongs to the caller."""


class Processes(Workers):
    """Processes of this machine; a dead one is replaced, and its runs are repeated alone.

    They end when this process ends for any reason: each watches a pipe whose other end only this
    process holds.
    """

    def __init__(self, count: int) -> None:
        """Prepare so many processes; they start with the first run."""
        self.count = count
        self.at_once = 2 * count
        self._context = get_context("spawn")  # a fork would copy locks that threads may hold
        self._life: tuple[Connection, Connection] | None = None
        self._pool: ProcessPoolExecutor | None = None
        self._environment = dict.fromkeys(THREADS)

    def begin(self, brief: Brief, samples: Sequence[Values]) -> None:
        """Compile in one process, so that the others load compiled kernels."""
        try:
            unfit = self._submit(unfitness, brief).result()
        except BrokenExecutor as error:
            raise PluginError(
                "worker processes cannot start: a script must call footfall.sweep under "
                'if __name__ == "__main__":'
            ) from error
        if unfit:
            raise PluginError(unfit)
        for values in samples:
            try:
                self._submit(make_a_step, brief, values).result()
            except BrokenExecutor:  # the run itself reports it
                self._stop(self.count)

    def submit(self, brief: Brief, number: int, values: Values) -> Future[Outcome]:
        """Submit a run."""
        return self._submit(do_run, brief, number, values)

    def do_alone(self, brief: Brief, number: int, values: Values) -> Outcome:
        """Repeat a run in a process of its own; if that dies too, the run has failed."""
        self._stop(1)
        try:
            return self.submit(brief, number, values).result()
        except BrokenExecutor:
            return Outcome(number, "failed", "its process died, twice")
        finally:
            self._stop(self.count)

    def _submit(self, function: Callable[..., Any], *arguments: Any) -> Future[Any]:
        if self._pool is None:
            self._pool = self._start(self.count)
        with _interrupts_held():  # a process that starts now inherits the block
            return self._pool.submit(function, *arguments)

    def _start(self, count: int) -> ProcessPoolExecutor:
        if self._life is None:
            self._life = self._context.Pipe(duplex=False)
        return ProcessPoolExecutor(count, self._context, _settle, (self._life[0],))

    def _stop(self, count: int) -> None:
        """Shut down the pool and prepare another one with so many processes."""
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)
        self._pool = self._start(count)

    def __enter__(self) -> Self:
        self._environment = {name: os.environ.get(name) for name in THREADS}
        for name in THREADS:
            os.environ.setdefault(name, "1")
        return self

    def __exit__(self, *error: object) -> None:
        """Stop the processes: at once if the sweep was interrupted."""
        for name, value in self._environment.items():
            if value is None:
                os.environ.pop(name, None)
        if self._life is not None and error[0] is not None:
            self._life[1].close()
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)
        if self._life is not None:
            self._life[0].close()
            self._life[1].close()


def cores() -> int:
    """Return the number of processor cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


@contextmanager
def _interrupts_held() -> Iterator[None]:
    """Block Ctrl-C: it reaches this process a moment later, and never its workers."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _settle(life: Connection) -> None:
    """Set up a worker: it ignores Ctrl-C, and ends when its parent ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Thread(target=_end_with, args=(life,), daemon=True).start()


def _end_with(life: Connection) -> None:
    """End this process when the other end of a pipe is closed."""
    try:
        life.recv_bytes()
    except (EOFError, OSError):
        os._exit(1)
