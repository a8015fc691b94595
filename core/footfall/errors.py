"""The tree of errors: each says where, what was given, what is allowed and what to do."""

from __future__ import annotations

import difflib
import os
import sys
import tempfile
import traceback
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import PurePath

LONGEST_MESSAGE = 1500
"""Characters of a message; of a longer one the middle is left out."""

_ESCAPED = dict.fromkeys("\n\r\t", " ")


class FootfallError(Exception):
    """Base of every error that a user can cause: one line of at most ``LONGEST_MESSAGE``."""

    def __init__(self, message: str = "") -> None:
        if len(message) > LONGEST_MESSAGE:
            message = f"{message[: LONGEST_MESSAGE // 2]} ... {message[-LONGEST_MESSAGE // 3 :]}"
        super().__init__(
            "".join(c if c.isprintable() else _ESCAPED.get(c, ascii(c)[1:-1]) for c in message)
        )


class SceneError(FootfallError):
    """A scene file, or an override of it, is not valid.

    Attributes:
        file: path of the scene or robot file, or None for overrides given in Python.
        line: line number in that file, from 1, or None.
        key: dotted key, e.g. ``contact.solver.eps_abs``, or None.
    """

    def __init__(
        self,
        message: str,
        *,
        file: str | None = None,
        line: int | None = None,
        key: str | None = None,
    ) -> None:
        self.file, self.line, self.key = file, line, key
        where = ":".join(str(part) for part in (file, line) if part is not None)
        parts = [part for part in (where, key) if part]
        super().__init__(": ".join([*parts, message]))


class RobotError(FootfallError):
    """A robot package or its model file is not valid."""


class PluginError(FootfallError):
    """A plugin is missing, broken, or returned what its role does not allow."""


class SettingError(PluginError):
    """A plugin cannot be made with one of its settings, e.g. a file with a bad number in it.

    Attributes:
        reason: what is wrong, without the key.
        path: keys from the plugin's table to the setting, e.g. ``("motion", "file")``.
    """

    def __init__(self, reason: str, *path: str | int) -> None:
        self.reason, self.path = reason, path
        super().__init__(f"{'.'.join(map(str, path))}: {reason}")


class SolverError(FootfallError):
    """A QP solver failed and the failure policy does not let the run go on."""


class SimulationError(FootfallError):
    """The simulation cannot go on: names the step, the time and the first bad signal."""


class RecordingError(FootfallError):
    """A recording cannot be written or read."""


@contextmanager
def file_errors(kind: Callable[[str], FootfallError]) -> Iterator[None]:
    """Turn what the operating system refuses about a file into one of our errors, with its path."""
    try:
        yield
    except OSError as error:
        raise kind(f"{error.filename}: cannot be read: {error.strerror}") from error


MOST = 8
"""Names that are listed where none is near."""
LONGEST_NAME = 200
"""Characters of a name for which a near one is looked for."""


def nearest(given: str, allowed: Iterable[str], what: str = "") -> str:
    """Return ``", did you mean 'x'?"`` for the closest allowed name, or an empty string.

    Args:
        given: what was given.
        allowed: what is allowed.
        what: what they are, in the plural, e.g. ``links``; with it, where none is near, all of them
            are told if they are few.
    """
    names = list(allowed)
    given = str(given)
    near = names if len(given) <= LONGEST_NAME else ()
    close = difflib.get_close_matches(given, near, n=1, cutoff=0.5)
    if close:
        return f", did you mean {close[0]!r}?"
    return f" ({what}: {', '.join(names) or 'none'})" if what and len(names) <= MOST else ""


class RobotWarning(UserWarning):
    """Something in a robot's files is left out or cannot be honoured; the robot works without."""


FOREIGN = sys.stdlib_module_names | {
    *("click", "coal", "llvmlite", "numba", "numcodecs", "numpy", "pinocchio", "pluggy"),
    *("pydantic", "pydantic_core", "rich", "scipy", "tornado", "typer", "xarray", "zarr"),
}
"""Packages that core calls and that are no plugins."""
USED: set[str] = set()
"""Packages whose functions a scene names; each is one's own, whichever plugin calls it."""
COMMANDS = "footfall.cli"
"""The package that calls commands."""


def reason(error: BaseException) -> str:
    """Write an exception in one line, with the place in a plugin's code that it comes from.

    ``NameError: name 'x' is not defined (my_law/contact.py:31)``. An error of Footfall's own tree
    says itself what is wrong, and gets no place.
    """
    said = error.msg if isinstance(error, SyntaxError) else error
    text = " ".join(f"{type(error).__name__}: {said}".split()).rstrip(":")
    place = None if isinstance(error, FootfallError) else plugin_place(error)
    return f"{text} ({place})" if place else text


def plugin_place(error: BaseException) -> str | None:
    """Return file and line of the innermost frame of a plugin's own, ``package/file.py:31``.

    A plugin is what core calls and is neither core nor ``FOREIGN``; what a plugin calls in turn
    (its QP backend, NumPy) is not its own, unless it is a function that the scene names (``USED``):
    then the place is in that. The frame that caught the error does not count, nor do
    those of a command where core fails below it.

    Returns:
        None if no plugin took part.
    """
    if isinstance(error, SyntaxError) and error.filename:
        return f"{_short(error.filename, '')}:{error.lineno}"
    place, plugins, below_core = None, set(USED), True
    caught = error.__traceback__
    in_command = caught is not None and caught.tb_frame.f_globals.get("__package__") == COMMANDS
    for frame, line in traceback.walk_tb(caught.tb_next if caught else None):
        module, file = str(frame.f_globals.get("__name__", "")), frame.f_code.co_filename
        package = module.partition(".")[0] or PurePath(file).parent.name
        if package in FOREIGN:
            continue
        if below_core and package != "footfall":
            plugins.add(package)
        if package == "footfall" and in_command:
            place = None
        below_core = package == "footfall"
        in_command = in_command and not below_core
        if package in plugins:
            place = f"{_short(file, module)}:{line}"
    return place


def _short(file: str, module: str) -> str:
    """Return a file's path from its top-level package on; with its folder if that is not known."""
    path = PurePath(file)
    folders = module.count(".") + (path.stem == "__init__") if module else 1
    return "/".join(path.parts[-1 - folders :])


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
