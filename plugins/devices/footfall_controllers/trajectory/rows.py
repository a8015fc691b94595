"""Rows of joint trajectories, independent of the file format."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from footfall.api.plugin import Floats, SettingError, nearest


@dataclass(frozen=True, slots=True)
class Rows:
    """Joint trajectories at instants.

    Attributes:
        file: path of their file.
        time: shape (n,), increasing, [s].
        joints: names of the m joints with positions in the file.
        position: shape (n, m), [rad or m].
        rate: shape (n, m), [rad/s or m/s], or None if the file has none.
        torque: shape (n, m), [N m or N], or None if the file has none.
    """

    file: str
    time: Floats
    joints: tuple[str, ...]
    position: Floats
    rate: Floats | None = None
    torque: Floats | None = None


def checked(rows: Rows, known: Sequence[str]) -> Rows:
    """Return rows after a check of their names, shapes and numbers.

    Raises:
        SettingError: with the file, the row and the joint.
    """
    for name in rows.joints:
        if name not in known:
            raise SettingError(f"{rows.file}: no joint {name!r}{nearest(name, known)}", "file")
    if len(set(rows.joints)) < len(rows.joints):
        raise SettingError(f"{rows.file}: a joint has two positions", "file")
    n, m = len(rows.time), len(rows.joints)
    if n < 2:
        raise SettingError(f"{rows.file} needs at least two rows, it has {n}", "file")
    for what in ("position", "rate", "torque"):
        values = getattr(rows, what)
        if values is not None and values.shape != (n, m):
            raise SettingError(
                f"{rows.file}: {what} has shape {values.shape}, expected ({n}, {m}): times, joints",
                "file",
            )
        if values is not None and not np.isfinite(values).all():
            k, j = (int(i) for i in np.argwhere(~np.isfinite(values))[0])
            raise SettingError(
                f"{rows.file}: row {k}: {what} of {rows.joints[j]} is not finite", "file"
            )
    _check_time(rows)
    return rows


def _check_time(rows: Rows) -> None:
    if not np.isfinite(rows.time).all():
        k = int(np.argmin(np.isfinite(rows.time)))
        raise SettingError(f"{rows.file}: row {k}: time is not finite", "file")
    late = np.diff(rows.time) <= 0.0
    if late.any():
        k = int(np.argmax(late)) + 1
        raise SettingError(
            f"{rows.file}: row {k}: time must increase, {rows.time[k]:g} s follows "
            f"{rows.time[k - 1]:g} s",
            "file",
        )
