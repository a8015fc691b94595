"""The tree of errors. A message names the place, the given value, the allowed ones and a remedy."""

from __future__ import annotations

import difflib
import os
import sys
import tempfile
import traceback
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path, PurePath
from typing import Any

LONGEST_MESSAGE = 1500
"""Most characters of a message; a longer one loses its middle."""

_ESCAPED = dict.fromkeys("\n\r\t", " ")


class FootfallError(Exception):
    """Base of every error that a user can cause: one line of at most ``LONGEST_MESSAGE``."""

    def __init__(self, message: str = "") -> None:
        if len(message) > LONGEST_MESSAGE:
            message = f"{message[: LONGEST_MESSAGE // 2]} ... {message[-LONGEST_MESSAGE // 3 :]}"
        super().__init__(
            "".join(c if c.isprintable() else _ESCAPED.get(c, ascii(c)[1:-1]) for c in message)
        )

    @staticmethod
    def pip(extra: str, distribution: str = "footfall") -> str:
        """Return the pip command that installs an extra of a distribution.

        It names the wheel or folder from which pip installed the distribution; Footfall's clone is
        the current folder. If there is none, it names the distribution, or the packages of the
        extra for Footfall itself, which is on no package index.
        """
        from importlib.metadata import Distribution, PackageNotFoundError
        from json import loads
        from urllib.parse import unquote

        own, wanted = distribution == "footfall", [f"{distribution}[{extra}]"]
        origin: dict[str, Any] = {"dir_info": {"editable": own}}
        with suppress(PackageNotFoundError, ValueError):
            found = Distribution.from_name(distribution)
            origin = loads(found.read_text("direct_url.json") or "{}")
            if own:
                needs = [need.partition("; ") for need in found.requires or ()]
                wanted = [name for name, _, mark in needs if mark.endswith(f"extra == '{extra}'")]
        editable = origin.get("dir_info", {}).get("editable", False)
        place = "." if own and editable else unquote(origin.get("url", "")).removeprefix("file://")
        if os.path.exists(place):
            wanted = [f"{place}[{extra}]"]
        return f"pip install {'-e ' * editable}" + " ".join(f'"{each}"' for each in wanted)

    @classmethod
    @contextmanager
    def of_file(cls, written: Path | None = None) -> Iterator[None]:
        """Turn an operating system error about a file into an error of this class with its path.

        Args:
            written: the path that is written; None: files are read.
        """
        try:
            yield
        except OSError as error:
            why = f"{written} cannot be written" if written else f"{error.filename}: cannot be read"
            raise cls(f"{why}: {error.strerror or error}") from error

    @classmethod
    def refuse_unwritable(cls, path: Path, overwrite: bool) -> None:
        """Reject a file before the long work of making it.

        Raises:
            FootfallError: of this class, if it exists and may not be overwritten, or its folder
                does not exist.
        """
        if path.exists() and not overwrite:
            cure = "choose another name or add --overwrite (in Python: overwrite=True)"
            raise cls(f"{path} exists: {cure}")
        if not path.parent.is_dir():
            raise cls(f"{path} cannot be written: there is no folder {path.parent}")


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
    """A plugin is missing or broken, or returned something that its role does not allow."""


class SettingError(PluginError):
    """A plugin cannot be built with one of its settings, e.g. a file that holds a bad number.

    Attributes:
        reason: the fault, without the key.
        path: keys from the plugin's table to the setting, e.g. ``("motion", "file")``.
    """

    def __init__(self, reason: str, *path: str | int) -> None:
        self.reason, self.path = reason, path
        super().__init__(f"{'.'.join(map(str, path))}: {reason}")


class SolverError(FootfallError):
    """A QP solver failed, and the failure policy ends the run."""


class SimulationError(FootfallError):
    """The simulation cannot go on; names the step, the time and the first bad signal."""


class RecordingError(FootfallError):
    """A recording cannot be written or read."""


MOST = 8
"""Most names that are listed if none is similar."""
LONGEST_NAME = 200
"""Most characters of a name for which a similar one is searched."""


def nearest(given: str, allowed: Iterable[str], what: str = "") -> str:
    """Return ``", did you mean 'x'?"`` for the closest allowed name, or an empty string.

    Args:
        given: the given name.
        allowed: the allowed names.
        what: a plural noun for the names, e.g. ``links``. With it, all names are listed if none is
            similar and there are at most ``MOST``.
    """
    names = list(allowed)
    given = str(given)
    near = names if len(given) <= LONGEST_NAME else ()
    close = difflib.get_close_matches(given, near, n=1, cutoff=0.5)
    if close:
        return f", did you mean {close[0]!r}?"
    return f" ({what}: {', '.join(names) or 'none'})" if what and len(names) <= MOST else ""


class KernelError(PluginError):
    """A kernel has, or is given, what kernels cannot do; the message tells the place."""


class Alarm(FootfallError, UserWarning):  # noqa: N818  # it is a warning first
    """A fault of a run: its results are wrong. In Python a warning, once for each kind and run.

    ``warnings.filterwarnings("error", category=footfall.Alarm)`` and ``raise_on_alarm=True`` make
    it an error.

    Attributes:
        kind: ``energy``, ``contacts``, ``depth``, ``missed``, ``squeeze``, ``chatter``, ``spin``,
            ``ground``.
        time: simulated, [s].
        what: the fault.
        place: the contact, joint or body, or the run of a batch; "" if nothing touches.
        cause: the cause and its cure.
    """

    def __init__(self, kind: str, time: float, what: str, place: str, cause: str) -> None:
        self.kind, self.time, self.what, self.place, self.cause = kind, time, what, place, cause
        where = f"at {place}" if place else "where nothing touches"
        super().__init__(f"t = {time:.6g} s: {what}, {where}: {cause}")

    def __reduce__(self) -> tuple[type[Alarm], tuple[str, float, str, str, str]]:
        return Alarm, (self.kind, self.time, self.what, self.place, self.cause)

    def sound(self) -> None:
        """Warn at the user's line, the innermost one outside Footfall."""
        level, frame = 2, sys._getframe(1)
        while frame.f_back and frame.f_globals["__name__"].startswith("footfall"):
            level, frame = level + 1, frame.f_back
        warnings.warn(self, stacklevel=level)


class RobotWarning(UserWarning):
    """Something in a robot's files is left out or not supported; the robot works without it."""


CALLING = frozenset({"footfall", "footfall_stepper"})
"""Packages that call plugins."""
FOREIGN = sys.stdlib_module_names | {
    *("click", "coal", "llvmlite", "numcodecs", "numpy", "pinocchio", "pluggy"),
    *("pydantic", "pydantic_core", "rich", "scipy", "tornado", "typer", "xarray", "zarr"),
}
"""Packages that core calls and that are not plugins."""
USED: set[str] = set()
"""Packages whose functions a scene names; they count as plugins, whichever plugin calls them."""
MORE_PROCESSES = "allow more processes (ulimit -u, or the container's limit)"
"""Remedy if the system starts no further thread."""
COMMANDS = "footfall.cli"
"""Package that calls commands."""
AROUND = "footfall.interrupts"
"""Module whose wrapper stands between it and a command."""


def error_line(error: BaseException) -> str:
    """Return an exception in one line, with its place in a plugin's code.

    Example: ``NameError: name 'x' is not defined (my_law/contact.py:31)``. A ``FootfallError``
    explains itself and gets no place. An error for lack of threads ends with its remedy.
    """
    said = error.msg if isinstance(error, SyntaxError) else error
    text = " ".join(f"{type(error).__name__}: {said}".split()).rstrip(":")
    place = None if isinstance(error, FootfallError) else plugin_place(error)
    remedy = f": {MORE_PROCESSES}" * ("can't start new thread" in text)
    return f"{text} ({place}){remedy}" if place else text + remedy


def plugin_place(error: BaseException) -> str | None:
    """Return file and line of the innermost frame in a plugin's own code, ``package/file.py:31``.

    A package is a plugin if one of ``CALLING`` calls it and it is neither core nor ``FOREIGN``.
    Packages that a plugin calls in turn (its QP backend, NumPy) do not count, except those of
    functions that the scene names (``USED``). These frames do not count either:

    * the frame that caught the error,
    * the frames of a command if core fails below it.

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
        if package in FOREIGN or module == AROUND:
            continue
        if below_core and package != "footfall":
            plugins.add(package)
        if package == "footfall" and in_command:
            place = None
        below_core = package in CALLING
        in_command = in_command and not below_core
        if package in plugins:
            place = f"{_short(file, module)}:{line}"
    return place


def _short(file: str, module: str) -> str:
    """Return a file's path below its top-level package, or with its folder if that is unknown."""
    path = PurePath(file)
    folders = module.count(".") + (path.stem == "__init__") if module else 1
    return "/".join(path.parts[-1 - folders :])


@contextmanager
def captured_output(descriptor: int) -> Iterator[Callable[[], list[str]]]:
    """Capture a file descriptor of this process; yield a function that returns the lines so far.

    Python's own ``sys.stderr`` is captured with it. Do not use it in several threads at once.

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
