"""Output of compiled libraries, caught so that it ends up in an error, not on the screen."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def captured(descriptor: int) -> Iterator[Callable[[], list[str]]]:
    """Divert a file descriptor of this process; yields a function that returns the lines so far.

    Python's own ``sys.stderr`` is diverted with it. Not for use in several threads at once.

    Args:
        descriptor: 1 for standard output, 2 for standard error.
    """
    saved = os.dup(descriptor)
    with tempfile.TemporaryFile() as sink:

        def lines() -> list[str]:
            sink.seek(0)
            return sink.read().decode(errors="replace").splitlines()

        os.dup2(sink.fileno(), descriptor)
        try:
            yield lines
        finally:
            os.dup2(saved, descriptor)
            os.close(saved)
