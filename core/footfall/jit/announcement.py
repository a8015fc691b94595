"""The message that kernels are being compiled, and a count of them.

A first run takes longer, and the user is told why: one line on stderr, also in logs and notebooks,
and on a terminal a status line while it lasts.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter

from footfall.jit.cache_folder import cache_root

ERASE = "\r\x1b[2K"
"""Goes to the start of a terminal's line and erases it."""
SHORT = 0.3
"""Seconds of compiling that are not announced, [s]."""


class Compilations:
    """Count of the kernels that this process has compiled.

    Attributes:
        kernels: number of kernels compiled.
        kept: number of these that have been written to ``folder``.
        loaded: number of kernels loaded from objects of the installation instead.
        seconds: wall time of all compilations that somebody waited for, [s].
        silent: true if nothing is to be announced.
        ahead: true if kernels that may be needed later are compiled at once (see ``LateStage``).
    """

    def __init__(self) -> None:
        self.kernels = self.kept = self.loaded = self._done = self._many = 0
        self.seconds, self.silent, self.ahead = 0.0, False, False

    @contextmanager
    def announced(self, kernels: Sequence[str], about: float) -> Iterator[None]:
        """Announce and time the compilation of kernels.

        Args:
            kernels: their names, with the package first.
            about: time that it will take, [s].
        """
        packages = sorted({name.partition(".")[0] for name in kernels})
        if about > SHORT:
            count = f"{len(kernels)} kernel{'s' * (len(kernels) > 1)} of {', '.join(packages)}"
            self.say(f"compiling {count}, about {max(1, round(about))} s")
        self._done, self._many, began = 0, len(kernels), perf_counter()
        try:
            yield
        finally:
            self.seconds += perf_counter() - began
            if self._done and sys.stderr is not None and sys.stderr.isatty():
                print(ERASE, end="", file=sys.stderr, flush=True)

    def now(self, kernel: str) -> None:
        """Show the kernel that is being compiled, on a terminal."""
        self._done += 1
        if not self.silent and sys.stderr is not None and sys.stderr.isatty():
            line = f"{ERASE}  kernel {self._done} of {self._many}: {kernel}"
            print(line, end="", file=sys.stderr, flush=True)

    def say(self, text: str) -> None:
        """Print a line on stderr, unless nothing is to be said."""
        if not self.silent and sys.stderr is not None:  # a program without a console has none
            print(text, file=sys.stderr, flush=True)

    @property
    def folder(self) -> Path:
        """The folder of compiled kernels."""
        return cache_root()


compilations = Compilations()
"""Count of the kernels that this process has compiled."""


def running_clock() -> float:
    """Return a clock that stands still while kernels are compiled, [s]."""
    return perf_counter() - compilations.seconds
