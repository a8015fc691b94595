"""Workers for independent jobs on all cores; one that dies does not take the others along."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context
from typing import TypeVar

Job = TypeVar("Job")
Answer = TypeVar("Answer")


def cores() -> int:
    """Return the number of processor cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def run_jobs(
    function: Callable[[Job], Answer],
    jobs: Sequence[Job],
    died: Callable[[Job], Answer],
    workers: int | None = None,
) -> Iterator[tuple[int, Answer]]:
    """Yield each job's number and answer as they come in.

    Args:
        function: does one job; of a module, so that other processes find it.
        jobs: what it is called with.
        died: makes the answer of a job whose process died.
        workers: processes; by default one a core. 1: this process does all.
    """
    n = min(workers or cores(), len(jobs))
    if n <= 1:
        for number, job in enumerate(jobs):
            yield number, function(job)
        return
    left = dict(enumerate(jobs))
    for number, answer in _pooled(function, left, n):
        del left[number]
        yield number, answer
    for number, job in left.items():  # one of these killed its process: one process each
        alone = list(_pooled(function, {number: job}, 1))
        yield alone[0] if alone else (number, died(job))


def _pooled(
    function: Callable[[Job], Answer], jobs: dict[int, Job], workers: int
) -> Iterator[tuple[int, Answer]]:
    """Yield answers until all are there or a process dies."""
    # Spawned: a fork would copy locks that threads of NumPy or a progress bar may hold.
    pool = ProcessPoolExecutor(workers, get_context("spawn"), initializer=_leave_interrupts)
    try:
        futures = {pool.submit(function, job): number for number, job in jobs.items()}
        for future in as_completed(futures):
            try:
                answer = future.result()
            except BrokenProcessPool:
                continue
            yield futures[future], answer
    finally:
        pool.shutdown(cancel_futures=True)


def _leave_interrupts() -> None:
    """Leave Ctrl-C to the parent process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
