"""Kernels that are being compiled: on all cores, and each kernel by one process at a time.

A kernel that is bound is translated at once, which finds mistakes in its source and takes little.
LLVM then has its code optimised while Python goes on. Whoever needs an address waits for all of
them. Processes of a worker's own do the work, since LLVM holds a lock in each process; this process
helps while it waits.

A file beside the object is locked while a process compiles it. Another process that needs the same
kernel waits. The lock ends with its owner, however that dies.
"""

from __future__ import annotations

import fcntl
import os
import subprocess
import sys
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from threading import Event, Thread
from time import perf_counter, sleep
from typing import NamedTuple

from footfall.errors import KernelError
from footfall.jit.announcement import compilations

LONGEST_WAIT = 120.0
"""Time after which a kernel that another process compiles is compiled here as well, [s]."""
LINGERS = 2.0
"""Time that a worker waits for more, [s]."""


class Code(NamedTuple):
    """A translated kernel.

    Attributes:
        text: LLVM's code.
        result: see ``footfall.jit.native.Entry``.
        names: of the functions that are called from outside.
        slp: see ``footfall.jit.compiling.kernel``.
    """

    text: str
    result: str
    names: tuple[str, ...]
    slp: bool

    @property
    def seconds(self) -> float:
        """About how long LLVM takes, on one core, [s]."""
        return 2.5e-6 * len(self.text)


class Job:
    """An object to be made.

    Attributes:
        kernel: for messages.
        code: the translated kernel.
        path: where the object is kept; None if nowhere.
        made: the object, once it is there; empty after a failure.
        failure: the exception that LLVM raised.
    """

    def __init__(self, kernel: str, code: Code, path: Path | None) -> None:
        self.kernel, self.code, self.path = kernel, code, path
        self.made: bytes | None = None
        self.failure: Exception | None = None
        self.there = Event()
        self._lock: int | None = None

    def claim(self) -> bool:
        """Lock the object against other processes; return False if another one makes it.

        Where no lock can be had, each process makes it.
        """
        if self.path is None:
            return True
        with suppress(OSError):
            self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._lock = os.open(self.path.with_suffix(".lock"), os.O_RDWR | os.O_CREAT, 0o600)
            try:
                fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                os.close(self._lock)
                self._lock = None
                return False
        return True

    def release(self) -> None:
        """Let other processes look for the object."""
        if self._lock is not None and self.path is not None:
            with suppress(OSError):
                self.path.with_suffix(".lock").unlink(missing_ok=True)
            os.close(self._lock)
            self._lock = None


class Worker(Thread):
    """A process that makes objects, and the thread that gives it jobs."""

    def __init__(self, program: Path, jobs: deque[Job]) -> None:
        super().__init__(daemon=True)
        self._jobs, self._command = jobs, [sys.executable, "-P", str(program)]
        self.broken = False

    def run(self) -> None:
        """Have jobs done until none comes, or the process fails: then others do them."""
        pipe = subprocess.PIPE
        try:
            self._process = subprocess.Popen(
                self._command, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL
            )
        except (OSError, RuntimeError):  # no process to be had: it is done by others
            return
        idle = perf_counter()
        while not self.broken and perf_counter() - idle < LINGERS:
            try:
                job = self._jobs.popleft()
            except IndexError:
                sleep(0.005)
                continue
            try:
                job.made = self._object(job.code)
                job.there.set()
            except (OSError, ValueError):
                self.broken = True
                self._jobs.append(job)
            idle = perf_counter()
        self._process.kill()
        with suppress(OSError):
            self._process.communicate()  # closes its pipes

    def _object(self, code: Code) -> bytes:
        assert self._process.stdin
        assert self._process.stdout
        text = code.text.encode()
        head = f"{len(text)} {int(code.slp)} {' '.join(code.names)}\n"
        self._process.stdin.write(head.encode() + text)
        self._process.stdin.flush()
        length = int(self._process.stdout.readline())
        made = self._process.stdout.read(length)
        if len(made) < length:
            raise ValueError("the worker has ended")
        return made


class Making:
    """The kernels that are being compiled, for one thread at a time.

    Args:
        program: file of the worker's program.
        make: makes an object here.
        keep: writes an object that is finished; it returns why it could not, or "".
        kept: reads an object that another process may have written.
    """

    def __init__(
        self,
        program: Path,
        make: Callable[[Code], bytes],
        keep: Callable[[Path, bytes, str], str],
        kept: Callable[[Path], tuple[bytes, str] | None],
    ) -> None:
        self._program, self._make, self._keep, self._kept = program, make, keep, kept
        self._waiting: deque[Job] = deque()
        self._mine: list[Job] = []
        self._others: list[Job] = []
        self._ready: list[tuple[Job, Callable[[bytes], None]]] = []
        self._workers: list[Worker] = []
        self._lost = False

    def __bool__(self) -> bool:
        return bool(self._ready)

    def add(self, job: Job, ready: Callable[[bytes], None]) -> None:
        """Begin to make an object; ``ready`` gets it when ``finish`` is called."""
        if not job.claim():
            self._others.append(job)
        elif found := job.path and self._kept(job.path):  # just written by another process
            job.made = found[0]
        else:
            self._mine.append(job)
            self._waiting.append(job)
            self._hire()
        self._ready.append((job, ready))

    def _hire(self) -> None:
        """Start a worker if there is work for it, and a core besides that of this process."""
        self._workers = [worker for worker in self._workers if worker.is_alive()]
        if len(self._waiting) < 2 or len(self._workers) >= min(4, cores()) - 1:
            return
        if "python" not in Path(sys.executable or "").name.lower():
            return  # a program with Python inside, which would be started a second time
        with suppress(RuntimeError):  # no thread to be had: it is done here
            worker = Worker(self._program, self._waiting)
            worker.start()
            self._workers.append(worker)

    def finish(self) -> None:
        """Wait for all objects, and make those that nobody else makes.

        Raises:
            KernelError: if LLVM does not take one; another call goes on with the others.
        """
        if self._mine:
            seconds = sum(job.code.seconds for job in self._mine) / min(4, cores())
            with compilations.announced([job.kernel for job in self._mine], seconds):
                self._finish_mine()
        self._await()
        self._others = []
        while self._ready:
            job, done = self._ready[0]
            job.release()
            if job.made:
                done(job.made)
            del self._ready[0]
            if job.failure:
                why = str(job.failure).partition("\n")[0]
                raise KernelError(f"{job.kernel} cannot be compiled: {why}") from job.failure

    def _finish_mine(self) -> None:
        """Make what is left, together with the workers; another try makes what an error left."""
        began = perf_counter()
        try:
            while left := [job for job in self._mine if job.made is None]:
                try:
                    job = self._waiting.pop()  # a worker takes the oldest
                except IndexError:
                    works = any(worker.is_alive() for worker in self._workers)
                    if works and perf_counter() - began < LONGEST_WAIT:
                        left[0].there.wait(0.05)
                        continue
                    job = left[0]
                compilations.now(job.kernel)
                self._make_here(job)
        finally:
            for job in self._mine:
                self._keep_made(job)
            self._mine = [job for job in self._mine if job.made is None]

    def _make_here(self, job: Job) -> None:
        try:
            job.made = self._make(job.code)
        except Exception as error:  # told when all others are there
            job.made, job.failure = b"", error

    def _keep_made(self, job: Job) -> None:
        """Count an object that is finished, and keep it; say once if that fails."""
        compilations.kernels += bool(job.made)
        if job.path is not None and job.made:
            why = self._keep(job.path, job.made, job.code.result)
            job.release()
            compilations.kept += not why
            if why and not self._lost:
                self._lost = True
                compilations.say(f"compiled kernels cannot be kept in {job.path.parent}: {why}")

    def _await(self) -> None:
        """Wait for what other processes make; make it here if they end, or take too long."""
        began, told = perf_counter(), False
        for job in self._others:
            assert job.path is not None
            while job.made is None:
                taken = job.claim() or perf_counter() - began > LONGEST_WAIT
                if found := self._kept(job.path):
                    job.made = found[0]
                elif taken:
                    self._make_here(job)
                    self._keep_made(job)
                else:
                    if not told:
                        count = f"{len(self._others)} kernel{'s' * (len(self._others) > 1)}"
                        compilations.say(f"waiting for {count} that another process compiles")
                        told = True
                    sleep(0.05)

    def forget_workers(self) -> None:
        """Leave the workers to the process that this one is a copy of."""
        self._workers = []


def cores() -> int:
    """Return the number of cores that this process may use."""
    known = hasattr(os, "sched_getaffinity")  # not on macOS
    return len(os.sched_getaffinity(0)) if known else os.cpu_count() or 1
