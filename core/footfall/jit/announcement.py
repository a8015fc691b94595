"""Tells people that kernels are being compiled, and how long it has taken.

Whoever waits for a first run should know why: one line on stderr, in a log and a notebook too, and
on a terminal a status line as long as it lasts.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter

from footfall.jit.caching import cache_root

USUALLY = "once on this machine, usually 15 to 60 s"
ERASE = "\r\x1b[2K"
"""Goes to the start of a terminal's line and erases it."""


class Compilations:
    """What has been compiled in this process.

    Attributes:
        kernels: how many.
        loaded: how many have been loaded instead, from objects of the installation.
        seconds: wall time that it took, [s].
        told: whether that has been announced.
        silent: whether nothing is announced.
        ahead: whether what may be needed later is compiled at once (see ``LateStage``).
    """

    def __init__(self) -> None:
        self.kernels, self.loaded, self.seconds, self.told = 0, 0, 0.0, False
        self.silent = self.ahead = False

    @contextmanager
    def announced(self, name: str) -> Iterator[None]:
        """Announce and time the compilation of a kernel with what it calls."""
        if not (self.told or self.silent):
            self.told = True
            print(f"compiling kernels, {USUALLY}", file=sys.stderr, flush=True)
        terminal, began = sys.stderr.isatty(), perf_counter()
        self.kernels += 1
        if terminal:
            line = f"{ERASE}  {self.seconds:.0f} s, kernel {self.kernels}: {name}"
            print(line, end="", file=sys.stderr, flush=True)
        try:
            yield
        finally:
            self.seconds += perf_counter() - began
            if terminal:
                print(ERASE, end="", file=sys.stderr, flush=True)

    @property
    def folder(self) -> Path:
        """Where compiled kernels are kept."""
        return cache_root()


compilations = Compilations()
"""What has been compiled in this process."""


def running_clock() -> float:
    """Return a clock that stands still while kernels are compiled, [s]."""
    return perf_counter() - compilations.seconds
