"""Rest of tosses, predicted with the measured errors of their starts.

The recording's own resting parts say how wrong a pose is: there the centre's height is the same in
all tosses, and a face is level. Starts are drawn from these errors and played; the values at rest
are judged against the prediction by coverage and CRPS.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from scipy.spatial.transform import Rotation

from footfall.api.plugin import Floats
from footfall_stepper.api import StepperSimulator
from footfall_validate.lab import G
from footfall_validate.tosses.recorded import RATE, WIDTH, Tosses, play

STARTS = 19
"""Starts of a toss; one more value from their distribution lies within their range in 90 %."""
REST = 8
"""Rows at the end of a toss in which the cube rests; 10 are recorded."""
FREE = 4
"""Rows of free flight before the start from which on the start's velocity is a fit to poses."""
EVERY = 5
"""Every so many of the physical tosses with a fitted velocity is predicted."""


class Noise(NamedTuple):
    """Errors of recorded poses.

    Attributes:
        scale: recorded lengths over true ones, [-].
        position: standard deviation of each coordinate, in true lengths, [m].
        angle: standard deviation of the rotation about each axis, [rad].
    """

    scale: float
    position: float
    angle: float


@lru_cache(maxsize=1)
def measured_noise(tosses: Tosses) -> Noise:
    """Return the errors of poses, from the spread of height and tilt between resting cubes."""
    ends = tosses.offsets[1:, None] - np.arange(1, REST + 1)
    rest = tosses.state[ends]
    heights = rest[:, :, 2].mean(axis=1) / (WIDTH / 2.0)
    scale = float(np.median(heights))
    ups = np.sort(abs(_turns(rest[:, 0]).as_matrix()[:, 2]), axis=1)  # of the cube's axes, up
    tilt = np.sqrt(np.mean(np.sum(ups[:, :2] ** 2, axis=1)) / 2.0)
    return Noise(scale, float(heights.std() * WIDTH / 2.0 / scale), float(tilt))


def predicted(tosses: Tosses) -> list[int]:
    """Return the numbers of the tosses that are predicted."""
    _, first = np.unique(tosses.group, return_index=True)
    return [int(k) for k in sorted(first) if tosses.ic_row[k] >= FREE][::EVERY]


def drawn_starts(tosses: Tosses, index: int, noise: Noise) -> tuple[Floats, Floats]:
    """Draw starts of a toss; the same for all laws.

    Errors of the poses in the first row of free flight and in the start's row also act on the
    velocity, which is their difference. The vertical velocity of the protocol is that of one row
    earlier, by a parabola of fixed curvature through lengths that are short; both are undone.

    Returns:
        Poses (STARTS, 7), position and quaternion w x y z, and velocities (STARTS, 6), linear
        (world) and angular (body).
    """
    rng, k = np.random.default_rng(index), int(tosses.ic_row[index])
    sizes = np.repeat([noise.position, noise.angle], 3)
    first, last = sizes * rng.standard_normal((2, STARTS, 6))
    pose, velocity = tosses.rows(index)[0], tosses.ic_vel[index].copy()
    velocity[2] += 0.5 * G * (1.0 - noise.scale) * (k - 1) / RATE
    velocity[:3] /= noise.scale
    velocity[2] -= G / RATE
    turned = _turns(pose[None]) * Rotation.from_rotvec(last[:, 3:])
    places = pose[:3] / noise.scale + last[:, :3]
    poses = np.column_stack([places, turned.as_quat()[:, [3, 0, 1, 2]]])
    return poses, velocity + (last - first) * RATE / k


def spread_scores(
    sim: StepperSimulator, blank: Floats, tosses: Tosses, index: int, substeps: int
) -> Floats:
    """Predict the rest of a toss; see ``recorded.play`` for the arguments.

    Returns:
        Measured values within the central 90 % of the prediction, of x and y and of the turn from
        the start [percent]; CRPS, of x and y [percent of the width] and of the turn [deg].
        NaN if a simulation fails.
    """
    noise, rows = measured_noise(tosses), tosses.rows(index)
    ends = []
    for pose, velocity in zip(*drawn_starts(tosses, index, noise), strict=True):
        start = np.vstack([np.r_[pose, np.zeros(6)], rows[1:]])
        ends.append(play(sim, blank, start, velocity, substeps)[-1])
    reached = np.array(ends)
    if not np.isfinite(reached).all():
        return np.full(4, np.nan)
    rest = rows[-1].copy()
    rest[:3] /= noise.scale
    begun = _turns(rows[:1]).inv()
    values = _values(reached[:, :2], begun * Rotation.from_quat(reached[:, 3:]))
    (value,) = _values(rest[None, :2], begun * _turns(rest[None]))
    inside = (values.min(axis=0) <= value) & (value <= values.max(axis=0))
    scores = np.vstack([100.0 * inside, crps(values, value)])
    return np.column_stack([scores[:, :2].mean(axis=1), scores[:, 2]]).ravel()


def crps(values: Floats, value: Floats) -> Floats:
    """Return the continuous ranked probability score of an ensemble, (k,); smaller is better.

    ``CRPS(F, x) = E|X - x| - E|X - X'| / 2`` with X, X' drawn from the ensemble (Gneiting and
    Raftery, Strictly Proper Scoring Rules, Prediction, and Estimation, 2007, equation 21 with its
    sign turned). Of one value it is the absolute error.

    Args:
        values: shape (members, k).
        value: shape (k,), what came about.
    """
    apart = abs(values[:, None] - values[None]).mean(axis=(0, 1))
    found: Floats = abs(values - value).mean(axis=0) - 0.5 * apart
    return found


def _values(places: Floats, turns: Rotation) -> Floats:
    """Return x and y [percent of the width], and the angle of a rotation [deg], (n, 3)."""
    return np.column_stack([100.0 * places / WIDTH, np.degrees(turns.magnitude())])


def _turns(rows: Floats) -> Rotation:
    return Rotation.from_quat(rows[:, [4, 5, 6, 3]])
