"""Workers for independent jobs on all cores; a job whose process dies does not stop the others."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import active_children, get_context
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
    """Yield each job's number and answer as they arrive.

    Args:
        function: does one job; must belong to a module, so that other processes find it.
        jobs: arguments of the calls.
        died: makes the answer for a job whose process died.
        workers: number of processes; by default one per core. 1: this process does all.
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
    for number, job in left.items():  # one of these killed its process; run each in its own
        alone = list(_pooled(function, {number: job}, 1))
        yield alone[0] if alone else (number, died(job))


def _pooled(
    function: Callable[[Job], Answer], jobs: dict[int, Job], workers: int
) -> Iterator[tuple[int, Answer]]:
    """Yield answers until all have arrived or a process dies."""
    # Spawned: a fork would copy locks that threads of NumPy or a progress bar may hold.
    others, pool = {*active_children()}, ProcessPoolExecutor(workers, get_context("spawn"))
    try:
        # Processes that start now inherit it: Ctrl-C is the parent's, also while they import.
        mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            futures = {pool.submit(function, job): number for number, job in jobs.items()}
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        for future in as_completed(futures):
            try:
                answer = future.result()
            except BrokenProcessPool:
                continue
            yield futures[future], answer
    except BaseException:  # Ctrl-C waits for no job
        for child in {*active_children()} - others:
            child.terminate()
        raise
    finally:
        pool.shutdown(cancel_futures=True)
