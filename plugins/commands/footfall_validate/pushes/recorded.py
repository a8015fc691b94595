"""Recorded pushes of a real cube, with the runs that others published of them.

The gripper's shape is not part of the data. A round bar, horizontal along the gripper's x axis,
stands for it: its place and radius are those whose distance to the cube fits the training runs,
zero while the cube is pushed and not negative before and after. Friction of the table is that of
the cube's slowing down once the gripper has left it. No contact law takes part in either.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
from scipy.optimize import least_squares
from scipy.spatial.transform import Rotation

from footfall.api.plugin import Floats
from footfall_validate.lab import G
from footfall_validate.results import DataError, read_data

SIDE, MASS, RATE = 0.075, 0.0884, 100.0
"""Data of the cube: side [m], mass [kg]; recorded rows per second [Hz]."""
REST = 1.0, 10.0
"""Times between which every cube lies still, [s]: after artefacts, before the gripper comes."""
MOVED, FULL = 2e-3, 0.9
"""Way of the first motion [m]; part of the largest speed until which the gripper pushes."""
BEFORE, AFTER = 60, 140
"""Rows before and after the first motion in which the bar must not enter the cube."""
GRID: Floats = np.append(np.arange(-0.9, 1.1, 0.05), 3.5)
"""Compared times from the middle of the cube's way, [s]; the last is the end."""


@dataclass(frozen=True, slots=True)
class Push:
    """A recorded push.

    Attributes:
        gripper: shape (n, 3), position, [m].
        axes: shape (n, 3, 3), rotation from the gripper's axes to the world's.
        cube: shape (n, 3), position of the cube's centre, [m].
        yaw: angle of the resting cube about the vertical, [rad].
        table: height of the table, below the resting cube, [m].
        first: row of the cube's first motion.
        middle: time at which half of its way is made, [s].
        way: shape (len(GRID), 6), displacement [m] and rotation vector [rad] from rest, world axes.
    """

    gripper: Floats
    axes: Floats
    cube: Floats
    yaw: float
    table: float
    first: int
    middle: float
    way: Floats

    @property
    def speed(self) -> Floats:
        """Speed along x from the first motion on, of a mean of three rows, [m/s]."""
        smooth = np.convolve(self.cube[:, 0], np.ones(3) / 3.0, "same")
        found: Floats = (np.gradient(smooth) * RATE)[self.first : self.first + AFTER]
        return found

    @property
    def pushed(self) -> int:
        """Number of rows from the first motion on in which the gripper pushes."""
        return int(np.flatnonzero(self.speed >= FULL * self.speed.max())[-1]) + 1


def sampled(times: Floats, way: Floats, middle: float) -> Floats:
    """Return a way, shape (n, 6), at the times of ``GRID`` from its middle, shape (m, 6)."""
    return np.column_stack([np.interp(middle + GRID, times, column) for column in way.T])


def errors(one: Floats, other: Floats) -> Floats:
    """Return the errors of sampled ways: end [mm], mean of the path [mm], the same in [deg]."""
    away = 1e3 * np.linalg.norm(one[:, :3] - other[:, :3], axis=1)
    apart = Rotation.from_rotvec(one[:, 3:]).inv() * Rotation.from_rotvec(other[:, 3:])
    angle = np.degrees(apart.magnitude())
    return np.array([away[-1], away[:-1].mean(), angle[-1], angle[:-1].mean()])


@lru_cache(maxsize=1)
def read_pushes(folder: Path) -> dict[str, Push]:
    """Read ``real.npz``; return the runs in the order of their names.

    Raises:
        DataError: if the file is missing, damaged, or holds other columns, units or frames.
    """
    runs = {name: _push(name, rows) for name, rows in sorted(_arrays(folder, "real.npz").items())}
    if len(runs) < 3:
        raise DataError(f"{folder / 'real.npz'}: needs three runs, one of them to fit on")
    return runs


def training(runs: Iterable[str]) -> list[str]:
    """Return the names of the runs that are fitted on: every third, from the first on."""
    return sorted(runs)[::3]


def read_published(folder: Path) -> dict[str, list[Floats]]:
    """Read ``simulators.npz``; return the sampled ways of each simulator's runs.

    Raises:
        DataError: if the file is missing, damaged, or does not hold such runs.
    """
    found: dict[str, list[Floats]] = {}
    for name, rows in _arrays(folder, "simulators.npz").items():
        if rows.ndim != 2 or rows.shape[1] != 14 or len(rows) < 300:
            raise DataError(f"{folder / 'simulators.npz'}: {name} has shape {rows.shape}, not 14")
        if not np.isfinite(rows).all() or (abs(rows[:, 10:]).max(axis=1) < 0.1).any():
            raise DataError(f"{folder / 'simulators.npz'}: {name}: not finite, or no quaternions")
        turns = rows[:, 10:] if abs(rows[0, 13]) > 0.9 else rows[:, [11, 12, 13, 10]]  # w first
        made = _way(np.arange(len(rows)) / 20.0, rows[:, 7:10], Rotation.from_quat(turns))
        found.setdefault(name.removeprefix("CubeExp_").rsplit("_", 1)[0], []).append(made[0])
    return found


def _arrays(folder: Path, name: str) -> dict[str, Floats]:
    found = read_data(folder / name, "the recorded pushes")
    return {key: np.asarray(rows, float) for key, rows in found.items()}


def _push(name: str, rows: Floats) -> Push:
    """Return a run; check columns, times, units and frames."""
    if rows.ndim != 2 or rows.shape[1] != 50 or len(rows) < 1900:
        raise DataError(f"{name}: shape {rows.shape}, expected 50 columns and 20 s of rows")
    if not np.isfinite(rows).all() or abs(np.diff(rows[:, 1]) * RATE - 1.0).max() > 0.01:
        raise DataError(f"{name}: not finite, or times are not 0.01 s apart")
    if not 0.0 <= rows[0, 1] <= REST[0]:
        raise DataError(f"{name}: begins at {rows[0, 1]:g} s, not at 0")
    times, places = rows[:, 1], 1e-3 * rows[:, 34:37]
    axes, turned = (rows[:, k : k + 9].reshape(-1, 3, 3).swapaxes(1, 2) for k in (25, 41))
    euler = Rotation.from_euler("xyz", rows[:, 37:40], degrees=True)
    if abs(euler.as_matrix() - turned).max() > 0.01:
        raise DataError(f"{name}: matrices are not roll, pitch, yaw [degree] of columns as rows")
    way, middle = _way(times, places, Rotation.from_matrix(turned))
    start = int(REST[1] * RATE)
    height, along = np.median(places[:start, 2]), turned[:start, :2, 0].mean(axis=0)
    if not 0.8 < height / (SIDE / 2.0) < 1.2:
        raise DataError(f"{name}: the cube rests at z = {1e3 * height:.3g} mm, not about 37.5 mm")
    first = start + int(np.argmax(places[start:, 0] > np.median(places[:start, 0]) + MOVED))
    if not start < first < len(rows) - AFTER or way[-1, 0] < SIDE / 4:
        raise DataError(f"{name}: the cube is not pushed along +x after {REST[1]:g} s")
    yaw, table = np.arctan2(along[1], along[0]), height - SIDE / 2.0
    return Push(1e-3 * rows[:, 18:21], axes, places, yaw, table, first, middle, way)


def _way(times: Floats, places: Floats, turns: Rotation) -> tuple[Floats, float]:
    """Return the sampled way from rest, and its middle, [s]."""
    resting = (times >= REST[0]) & (times <= REST[1])
    moved = places - np.median(places[resting], axis=0)
    turned = turns * turns[resting].mean().inv()
    far = np.linalg.norm(moved, axis=1)
    middle = float(times[np.argmax((far >= 0.5 * far[-1]) & (times > REST[1]))])
    return sampled(times, np.hstack([moved, turned.as_rotvec()]), middle), middle


def gaps(bar: Floats, push: Push, rows: slice) -> Floats:
    """Return the distance of the bar's surface from the cube in side view, (n,), [m].

    Args:
        bar: shape (3,), y and z of its axis in the gripper's frame, and radius, [m].
        push: the run.
        rows: rows of the run.
    """
    place = push.gripper[rows] - push.cube[rows] + push.axes[rows, :, 1:] @ bar[:2]
    x, z = (abs(place[:, k]) - SIDE / 2.0 for k in (0, 2))
    outside = np.hypot(np.maximum(x, 0.0), np.maximum(z, 0.0))
    found: Floats = outside + np.minimum(np.maximum(x, z), 0.0) - bar[2]
    return found


def fitted_bar(pushes: Iterable[Push]) -> Floats:
    """Return the bar that fits runs best, shape (3,), as ``gaps`` takes it."""
    listed = list(pushes)

    def misses(bar: Floats) -> Floats:
        parts = []
        for push in listed:
            found = gaps(bar, push, slice(push.first - BEFORE, push.first + AFTER))
            pushed = slice(BEFORE, BEFORE + push.pushed)
            free = np.delete(found, pushed)
            parts += [found[pushed], np.minimum(free, 0.0)]
        return np.concatenate(parts)

    return np.asarray(least_squares(misses, [-0.05, -0.15, 0.02]).x)


def fitted_friction(pushes: Iterable[Push]) -> float:
    """Return the table's friction, the median deceleration at 0.85 to 0.15 of full speed, [g]."""
    found = []
    for push in pushes:
        late = push.speed[push.pushed - 1 :]
        rows = np.flatnonzero(abs(late / push.speed.max() - 0.5) < 0.35)
        found.append(-np.polyfit(rows / RATE, late[rows], 1)[0] / G)
    return float(np.median(found))
