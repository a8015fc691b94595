"""Ctrl-C and SIGTERM: the first ends a command in order, the second at once."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import wraps
from pathlib import Path
from time import time
from typing import Any

PROMISED = ("output", "save", "html")
"""Options that name what a command writes."""


class Interrupts:
    """A handler of signals: it raises KeyboardInterrupt, in a ``whole`` block at its end.

    Attributes:
        number: of the first signal; 0: none has come.
    """

    def __init__(self) -> None:
        self.number, self._held = 0, False

    def __call__(self, number: int, frame: object) -> None:
        """Take a signal."""
        if self.number:
            os.write(2, b"ended at once\n")
            if processes := sys.modules.get("multiprocessing.process"):
                for worker in processes.active_children():
                    worker.kill()
            os._exit(128 + number)
        self.number = number
        if not self._held:
            raise KeyboardInterrupt

    @contextmanager
    def whole(self) -> Iterator[None]:
        """Let a block, such as a step, end before an interrupt is raised."""
        before, self._held = self.number, True
        try:
            yield
        finally:
            self._held = False
        if self.number != before:
            raise KeyboardInterrupt

    @contextmanager
    def caught(self) -> Iterator[None]:
        """Handle the signals in a block, if this thread may and nobody ignores them."""
        self.number, former = 0, {}
        with suppress(ValueError):  # not the main thread
            for number in (signal.SIGINT, signal.SIGTERM):
                if signal.getsignal(number) in (signal.SIG_DFL, signal.default_int_handler):
                    former[number] = signal.signal(number, self)
        try:
            yield
        except SystemExit as end:
            end.code = 128 + self.number if end.code == 130 and self.number else end.code
            raise
        finally:
            for number, handler in former.items():
                signal.signal(number, handler)


interrupts = Interrupts()


def telling(command: Callable[..., Any]) -> Callable[..., Any]:
    """Return a command that prints which promised files an interrupt has kept it from writing."""

    @wraps(command)
    def call(*arguments: Any, **options: Any) -> Any:
        began = time()
        try:
            return command(*arguments, **options)
        except KeyboardInterrupt:
            # Old versions of Typer give text.
            paths = [Path(options[k]) for k in PROMISED if isinstance(options.get(k), str | Path)]
            left = [str(p) for p in paths if not p.exists() or p.stat().st_mtime < began - 1.0]
            if left:
                print(f"interrupted: not written: {', '.join(left)}", file=sys.stderr)
            raise

    return call
