"""Footsteps, read off recorded contacts."""

from dataclasses import dataclass

import numpy as np

POINTS = 4
"""Contact points of a foot, declared foot by foot."""


@dataclass(frozen=True)
class Footstep:
    """A foot in the air: which, rows from lift to touch-down, greatest height of its lowest point.

    ``slip``: the farthest that a point went, [m], while the foot stood on the ground before.
    """

    foot: int
    lift: int
    down: int
    clearance: float
    slip: float


def footsteps(run, least=0.005):
    """Return the footsteps of a run in order of touch-down.

    What does not rise by ``least`` [m] as a whole is no footstep: a foot that rocks is not lifted.
    """
    gaps = run.gap.values.reshape(len(run.time), -1, POINTS)
    touching = run.in_contact.values.astype(bool).reshape(gaps.shape).any(axis=2)
    places = run.contact_position.values.reshape(*gaps.shape, 3)[..., :2]
    found = []
    for foot in range(gaps.shape[1]):
        since = 0
        for lift, down in in_the_air(touching[:, foot]):
            clearance = gaps[lift:down, foot].min(axis=1).max()
            if clearance < least:
                continue
            stood = places[since:lift, foot]
            slip = np.linalg.norm(stood - stood[0], axis=-1).max()
            found.append(Footstep(foot, lift, down, float(clearance), float(slip)))
            since = down
    return sorted(found, key=lambda step: step.down)


def in_the_air(touching):
    """Return pairs of rows: where a foot leaves the ground, and where it is back on it."""
    changes = np.diff(touching.astype(int), prepend=1, append=1)
    return list(zip(np.flatnonzero(changes < 0), np.flatnonzero(changes > 0), strict=True))


def tilt(run):
    """Return the angle of the trunk's axis with the vertical, [rad]."""
    x, y, _, _ = run.base_quaternion.values[:, 0].T
    return 2.0 * np.arcsin(np.minimum(np.hypot(x, y), 1.0))
