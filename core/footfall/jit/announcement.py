"""The message that kernels are being compiled, and a count of them.

A first run takes longer, and the user is told why: one line on stderr, also in logs and notebooks,
and on a terminal a status line while it lasts.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter

from footfall.jit.cache_folder import cache_root

USUALLY = "once on this machine, usually 15 to 60 s"
ERASE = "\r\x1b[2K"
"""Goes to the start of a terminal's line and erases it."""


class Compilations:
    """Count of the kernels that this process has compiled.

    Attributes:
        kernels: number of kernels compiled.
        loaded: number of kernels loaded from objects of the installation instead.
        seconds: wall time of all compilations, [s].
        told: true after the first message.
        silent: true if nothing is to be announced.
        ahead: true if kernels that may be needed later are compiled at once (see ``LateStage``).
    """

    def __init__(self) -> None:
        self.kernels, self.loaded, self.seconds, self.told = 0, 0, 0.0, False
        self.silent = self.ahead = False

    @contextmanager
    def announced(self, name: str) -> Iterator[None]:
        """Announce and time the compilation of a kernel and of the functions that it calls."""
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
        """The folder of compiled kernels."""
        return cache_root()


compilations = Compilations()
"""Count of the kernels that this process has compiled."""


def running_clock() -> float:
    """Return a clock that stands still while kernels are compiled, [s]."""
    return perf_counter() - compilations.seconds
