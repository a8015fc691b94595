"""Motions as functions of time, and their differences."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from footfall.api.plugin import Floats, Ints

if TYPE_CHECKING:
    import xarray as xr

    from footfall_stepper.api import StepperSimulator

LEAST = 1e-5
"""Smallest difference that is judged, [m or rad]."""


@dataclass(frozen=True, slots=True)
class Difference:
    """The difference of two motions at one time.

    Attributes:
        time: [s].
        position: largest distance between a body's bases, [m]; NaN without floating bases.
        angle: largest angle between a body's bases, [rad]; NaN without floating bases.
        joints: largest difference of a joint position, [rad or m]; NaN without joints.
    """

    time: float
    position: float
    angle: float
    joints: float

    @property
    def counts(self) -> bool:
        """Whether it is more than rounding: 1e-5 m or rad."""
        return any(value > LEAST for value in (self.position, self.angle, self.joints))


@dataclass(frozen=True, slots=True)
class Trajectory:
    """Positions over time, including the end of the last step.

    Attributes:
        time: shape (n,), rising, [s].
        q: shape (n, nq).
        names: names of the entries of q.
        bases: shape (k,), index in q of each floating base's position and quaternion.
    """

    time: Floats
    q: Floats
    names: tuple[str, ...]
    bases: Ints

    @classmethod
    def of(cls, run: xr.Dataset, sim: StepperSimulator) -> Trajectory:
        """Return the motion of a recording, with its simulator's final state appended."""
        time, q = run["time"].values, run["q"].values
        if not len(time) or sim.time > time[-1]:
            time, q = np.append(time, sim.time), np.vstack([q.reshape(-1, len(sim.q)), sim.q])
        bodies = enumerate(sim.world.bodies)
        bases = [sim.world.q_slice(i).start for i, b in bodies if b.model.base == "floating"]
        return cls(time, q, sim.labels.position, np.array(bases, np.int64))

    def at(self, times: Floats) -> Floats:
        """Return q at times, shape (n, nq), by linear interpolation.

        Quaternions are then normalised; the error is of third order in the angle between two rows.
        """
        k = np.clip(np.searchsorted(self.time, times, side="right") - 1, 0, len(self.time) - 2)
        part = ((times - self.time[k]) / (self.time[k + 1] - self.time[k]))[:, None]
        before, after = self.q[k], self.q[k + 1].copy()
        for base in self.bases:
            at = slice(base + 3, base + 7)
            after[:, at] *= _sign(before[:, at], after[:, at])
        q: Floats = (1.0 - part) * before + part * after
        for base in self.bases:
            at = slice(base + 3, base + 7)
            q[:, at] /= np.linalg.norm(q[:, at], axis=1, keepdims=True)
        return q

    def differences(self, other: Trajectory, times: Floats) -> Floats:
        """Return position [m], angle [rad] and joint [rad or m] differences, shape (n, 3).

        NaN where there are no floating bases or no joints.
        """
        one, two = self.at(times), other.at(times)
        is_joint = np.ones(one.shape[1], bool)
        out = np.full((len(times), 3), np.nan)
        for base in self.bases:
            is_joint[base : base + 7] = False
            p, at = slice(base, base + 3), slice(base + 3, base + 7)
            out[:, 0] = np.fmax(out[:, 0], np.linalg.norm(one[:, p] - two[:, p], axis=1))
            out[:, 1] = np.fmax(out[:, 1], _angle(one[:, at], two[:, at]))
        if is_joint.any():
            out[:, 2] = np.abs(one[:, is_joint] - two[:, is_joint]).max(axis=1)
        return out

    def is_like(self, other: Trajectory) -> bool:
        """Return whether both are motions of the same bodies."""
        return self.names == other.names and len(self.time) > 1 and len(other.time) > 1

    def difference(self, other: Trajectory) -> Difference | None:
        """Return the difference at the last common time; None for other bodies."""
        if not self.is_like(other):
            return None
        end = min(self.time[-1], other.time[-1])
        position, angle, joints = self.differences(other, np.array([end]))[0]
        return Difference(float(end), float(position), float(angle), float(joints))


def _sign(one: Floats, two: Floats) -> Floats:
    """Return -1 where the second quaternion is nearer to the first with opposite sign, else 1."""
    signs: Floats = np.where((one * two).sum(axis=1, keepdims=True) < 0.0, -1.0, 1.0)
    return signs


def _angle(one: Floats, two: Floats) -> Floats:
    """Return the angle between two rotations, [rad]; accurate for small angles."""
    two = two * _sign(one, two)
    apart, together = np.linalg.norm(one - two, axis=1), np.linalg.norm(one + two, axis=1)
    angle: Floats = 4.0 * np.arctan2(apart, together)
    return angle
