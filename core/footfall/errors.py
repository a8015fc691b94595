"""The tree of errors: each says where, what was given, what is allowed and what to do."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class FootfallError(Exception):
    """Base of every error that a user can cause; printed as one line at the command line."""


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


class DataError(FootfallError):
    """Reference data is missing, or not what it should be."""


def nearest(given: str, allowed: Iterable[str]) -> str:
    """Return ``", did you mean 'x'?"`` for the closest allowed name, or an empty string."""
    close = difflib.get_close_matches(given, list(allowed), n=1, cutoff=0.5)
    return f", did you mean {close[0]!r}?" if close else ""


MOST = 8
"""Names that are listed where none is near."""


def known(name: str, names: Iterable[str], what: str) -> str:
    """Return the nearest name as a hint or, where none is near, all of them if they are few.

    Args:
        name: what was given.
        names: what is allowed.
        what: what they are, in the plural, e.g. ``links``.
    """
    allowed = list(names)
    hint = nearest(name, allowed)
    if hint or len(allowed) > MOST:
        return hint
    return f" ({what}: {', '.join(allowed) or 'none'})"


class RobotWarning(UserWarning):
    """Something in a robot's files is left out or cannot be honoured; the robot works without."""
