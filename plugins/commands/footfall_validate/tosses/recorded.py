"""The recorded tosses of a real cube, and the protocol that scores simulators on them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
import numpy.typing as npt

from footfall.api.plugin import Floats, FootfallError
from footfall_stepper.api import StepperSimulator
from footfall_validate.lab import Lab
from footfall_validate.results import DataError, read_data
from footfall_validate.rotations import rotation_matrix
from footfall_validate.shapes import Shape, corners, points, rigid_model

FILE = "tosses_acosta550.npz"
RATE = 148.0
"""Rows per second of the recorded tosses."""
WIDTH, MASS, INERTIA, MU = 0.1048, 0.37, 0.00081, 0.18
"""Data of the real cube: width [m], mass [kg], inertia [kg m^2], friction by a tilt test."""
ARRAYS = {"state": 2, "offsets": 1, "group": 1, "ic_row": 1, "ic_vel": 2}
"""Names of the file's arrays with their number of dimensions."""


@dataclass(frozen=True, slots=True, eq=False)
class Tosses:
    """All recorded tosses.

    Attributes:
        state: shape (rows, 13), all rows of all tosses: position [m], quaternion w x y z, linear
            velocity (world) [m/s], angular velocity (body) [rad/s].
        offsets: shape (n + 1,), first row of each toss, and the end.
        group: shape (n,), number of the physical toss; some occur twice, turned.
        ic_row: shape (n,), first scored row.
        ic_vel: shape (n, 6), velocity at the start.
    """

    state: Floats
    offsets: npt.NDArray[np.int64]
    group: npt.NDArray[np.int64]
    ic_row: npt.NDArray[np.int64]
    ic_vel: Floats

    def __len__(self) -> int:
        return len(self.ic_row)

    def rows(self, index: int) -> Floats:
        """Return the scored rows of a toss; the first is the start."""
        first = self.offsets[index] + self.ic_row[index]
        return self.state[first : self.offsets[index + 1]]


@lru_cache(maxsize=1)
def read_tosses(folder: Path) -> Tosses:
    """Read the tosses from the folder with their file.

    Raises:
        DataError: if the folder or file is missing, or the file does not hold tosses.
    """
    path = folder / FILE
    arrays = read_data(path, "the recorded tosses")
    found = {name: array for name, array in arrays.items() if name in ARRAYS}
    for name, dimensions in ARRAYS.items():
        if name not in found or found[name].ndim != dimensions:
            raise DataError(f"{path} is not a file of tosses: no array {name!r} as expected")
    _check_shapes(path, found)
    return Tosses(**found)


def _check_shapes(path: Path, arrays: dict[str, npt.NDArray[np.generic]]) -> None:
    n = len(arrays["ic_row"])
    expected = {
        "state": (len(arrays["state"]), 13),
        "offsets": (n + 1,),
        "group": (n,),
        "ic_vel": (n, 6),
    }
    for name, shape in expected.items():
        if arrays[name].shape != shape:
            given = arrays[name].shape
            raise DataError(f"{path}: array {name!r} has shape {given}, expected {shape}")
    offsets = np.asarray(arrays["offsets"], np.int64)
    rows = offsets[:-1] + np.asarray(arrays["ic_row"], np.int64)
    ends = offsets[-1] == len(arrays["state"])
    if n == 0 or offsets[0] != 0 or not ends or (rows >= offsets[1:]).any():
        raise DataError(f"{path}: the offsets do not divide the rows into tosses")


def cube_simulator(lab: Lab, substeps: int) -> StepperSimulator:
    """Return the cube over the table, with the measured mass, inertia and friction, e = 0."""
    shape = Shape(rigid_model(MASS, [INERTIA] * 3), points(corners([WIDTH] * 3)))
    return lab.simulator(shape.at((0, 0, 1)), mu=MU, dt=1.0 / RATE / substeps)


def play(
    sim: StepperSimulator, blank: Floats, rows: Floats, velocity: Floats, substeps: int
) -> Floats:
    """Play one toss from the pose of its first row.

    Args:
        sim: simulator of the cube.
        blank: vector of its initial state.
        rows: shape (n, 13), the scored rows.
        velocity: shape (6,), velocity at the start: linear (world), angular (body).
        substeps: steps between two rows.

    Returns:
        Position and quaternion x y z w in each row, shape (n, 7); NaN if the simulation fails.
    """
    sim.state.assign(blank)
    sim.q[:] = np.r_[rows[0, :3], rows[0, 4:7], rows[0, 3]]
    sim.v[:] = np.r_[rotation_matrix(sim.q[3:]).T @ velocity[:3], velocity[3:]]
    played = np.full((len(rows), 7), np.nan)
    played[0] = sim.q
    try:
        for index in range(1, len(rows)):
            for _ in range(substeps):
                sim.step()
            played[index] = sim.q
    except FootfallError:
        played[:] = np.nan
    return played


def row_errors(played: Floats, rows: Floats) -> tuple[float, float]:
    """Return the mean errors of positions [percent of the width] and of rotations [deg].

    Args:
        played: shape (n, 7), position and quaternion x y z w.
        rows: shape (n, 13), as recorded.
    """
    away = np.linalg.norm(played[:, :3] - rows[:, :3], axis=1)
    cosine = np.abs(np.einsum("ij,ij->i", played[:, 3:], rows[:, [4, 5, 6, 3]]))
    turned = 2.0 * np.arccos(np.minimum(1.0, cosine))
    return 100.0 * float(away.mean()) / WIDTH, float(np.degrees(turned.mean()))
