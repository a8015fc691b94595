"""Residuals: differences of simulated and measured rows, divided by their expected sizes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from footfall.api.plugin import Floats, SceneError
from footfall_fit.data import Trajectory
from footfall_stepper.api import StepperSimulator

KNOWN = {
    "position": ("m", 0.01),
    "orientation": ("rad", 0.05),
    "joint_position": ("rad, m", 0.01),
    "linear_velocity": ("m/s", 0.1),
    "angular_velocity": ("rad/s", 0.5),
    "joint_velocity": ("rad/s, m/s", 0.1),
}
"""Unit and expected size by name; other names are recorded variables, in their own units."""
NOISELESS = 1e-3
"""Root mean square error up to which a measured coordinate counts as exact, in sizes."""


@dataclass(frozen=True, slots=True)
class Motion:
    """Simulated rows of a trajectory; NaN after a failure of the simulation.

    Attributes:
        q: shape (n, nq); v: shape (n, nv).
        signals: by name, shape (n, ...); the first row is not simulated.
    """

    q: Floats
    v: Floats
    signals: Mapping[str, Floats]


class Residuals:
    """Definition of the residuals of a motion.

    Attributes:
        sigma: size of an error that counts as 1, by name.
        signals: names of recorded variables among them.
        labels: labels of positions; floating: True if the first of them belong to a base.
    """

    def __init__(self, sim: StepperSimulator, sigma: Mapping[str, float] | None) -> None:
        """Choose the residuals.

        Args:
            sim: simulator of the scene.
            sigma: sizes by name; None: positions and orientations of bases, and joint positions.

        Raises:
            SceneError: if the scene has no quantity with a name, or a size is not positive.
        """
        topology = sim.world.topology
        self._bases = topology.tree_q[np.flatnonzero(topology.floating)]
        self._base_rates = topology.tree_v[np.flatnonzero(topology.floating)]
        self._dofs = np.flatnonzero(topology.dof_q >= 0)
        joints, rates, axes = (
            topology.dof_q[self._dofs],
            len(sim.q) + self._base_rates,
            np.arange(3),
        )
        self._units = {one.name: one.units for one in sim.layout.variables}
        self.labels = tuple(sim.labels.position)
        self.floating = bool(len(self._bases)) and int(self._bases[0]) == 0
        self._at = {
            "position": self._bases[:, None] + axes,
            "orientation": self._bases[:, None] + np.arange(3, 7),
            "joint_position": joints[:, None],
            "linear_velocity": rates[:, None] + axes,
            "angular_velocity": rates[:, None] + 3 + axes,
            "joint_velocity": len(sim.q) + self._dofs[:, None],
        }
        here = {name: len(at) for name, at in self._at.items()}
        if sigma is None:
            chosen = ("position", "orientation", "joint_position")
            sigma = {name: KNOWN[name][1] for name in chosen if here[name]}
        for name, size in sigma.items():
            if not here.get(name, 1):
                raise SceneError(f"residual {name}: this scene has no such quantity")
            if name not in KNOWN and name not in self._units:
                known = ", ".join([n for n in KNOWN if here[n]])
                raise SceneError(f"residual {name!r}: choose {known} or a recorded variable")
            if (
                isinstance(size, bool)
                or not isinstance(size, int | float)
                or not 0.0 < size < 1e300
            ):
                raise SceneError(f"residual {name}: its size must be a number > 0, got {size!r}")
        if not sigma:
            raise SceneError("residuals: name at least one")
        self.sigma = {name: float(size) for name, size in sigma.items()}
        self.signals = tuple(name for name in self.sigma if name not in KNOWN)

    def unit(self, name: str) -> str:
        """Return the unit of a residual."""
        return KNOWN[name][0] if name in KNOWN else self._units[name]

    def errors(self, motion: Motion, measured: Trajectory) -> dict[str, Floats]:
        """Return simulated minus measured by name, from the second row, (n - 1, items, size).

        Positions are along the world's axes, orientations are rotation vectors along the measured
        body's axes, velocities of bases are along their own axes.
        """
        from scipy.spatial.transform import Rotation

        x, to = (np.hstack([one.q, one.v])[1:] for one in (motion, measured))
        rows, out = len(x), dict[str, Floats]()
        for name in self.sigma:
            if name == "orientation":
                at = self._at[name]
                is_lost = ~np.isfinite(x[:, at]).all(axis=-1, keepdims=True)
                one = np.where(is_lost, np.eye(4)[3], x[:, at])
                turn = Rotation.from_quat(to[:, at].reshape(-1, 4)).inv()
                vector = (turn * Rotation.from_quat(one.reshape(-1, 4))).as_rotvec()
                out[name] = np.where(is_lost, np.nan, vector.reshape(rows, -1, 3))
            elif name in KNOWN:
                out[name] = (x - to)[:, self._at[name]]
            else:
                apart = motion.signals[name][1:] - np.asarray(measured.signals[name][1:], float)
                last = apart.shape[-1] if apart.ndim > 1 else 1
                out[name] = apart.reshape(rows, -1, last)
        return out

    def vector(self, errors: Mapping[str, Floats]) -> Floats:
        """Return the residuals of a trajectory, each error over its size, row by row."""
        parts = [errors[name].reshape(len(errors[name]), -1) / s for name, s in self.sigma.items()]
        return np.hstack(parts).reshape(-1)

    def moved_starts(
        self, motions: Sequence[Motion], pieces: Sequence[Trajectory]
    ) -> list[list[Trajectory]]:
        """Return the pieces with one coordinate of their starts moved by its noise, for each.

        The noise is the root mean square of the coordinate's errors. Coordinates without noise
        and recorded variables are left out.
        """
        from scipy.spatial.transform import Rotation

        each = [self.errors(m, p) for m, p in zip(motions, pieces, strict=True)]
        found = list[list[Trajectory]]()
        for name in self.sigma.keys() & KNOWN.keys():
            noise = np.sqrt(np.nanmean(np.concatenate([e[name] for e in each]) ** 2, axis=0))
            for item, axis in np.argwhere(noise > NOISELESS * self.sigma[name]):
                moved = [np.hstack([one.q, one.v]) for one in pieces]
                at, size = self._at[name][item], noise[item, axis]
                for x in moved:
                    if name == "orientation":
                        turn = Rotation.from_rotvec(size * np.eye(3)[axis])
                        x[0, at] = (Rotation.from_quat(x[0, at]) * turn).as_quat()
                    else:
                        x[0, at[axis]] += size
                nq = pieces[0].q.shape[1]
                both = zip(pieces, moved, strict=True)
                found.append([replace(one, q=x[:, :nq], v=x[:, nq:]) for one, x in both])
        return found

    def slope(self, tangent: Floats, motion: Motion, measured: Trajectory) -> Floats:
        """Return the derivative of ``vector`` by parameters, shape (residuals, parameters).

        Args:
            tangent: shape (n, 2 nv, parameters), derivatives of positions in tangent coordinates
                (bases along their own axes), then of velocities.
            motion: the simulated rows.
            measured: the trajectory.

        Raises:
            SceneError: if a residual is a recorded variable.
        """
        from scipy.spatial.transform import Rotation

        if self.signals:
            raise SceneError(f"residual {self.signals[0]}: has no exact derivative")
        nv, rows, parts = tangent.shape[1] // 2, len(motion.q) - 1, list[Floats]()
        moved, rates = tangent[1:, :nv], tangent[1:, nv:]
        count = tangent.shape[2]
        errors = self.errors(motion, measured) if "orientation" in self.sigma else {}
        for name, size in self.sigma.items():
            blocks = list[Floats]()
            for b, (p, i) in enumerate(zip(self._bases, self._base_rates, strict=True)):
                if name == "position":
                    R = Rotation.from_quat(motion.q[1:, p + 3 : p + 7]).as_matrix()
                    blocks.append(R @ moved[:, i : i + 3])
                elif name == "orientation":
                    blocks.append(_inverse_right(errors[name][:, b]) @ moved[:, i + 3 : i + 6])
                elif name in ("linear_velocity", "angular_velocity"):
                    at = i + (0 if name == "linear_velocity" else 3)
                    blocks.append(rates[:, at : at + 3])
            if name.startswith("joint"):
                of = moved if name == "joint_position" else rates
                blocks.append(of[:, self._dofs])
            parts.append(np.concatenate(blocks, axis=1) / size)
        return np.concatenate(parts, axis=1).reshape(rows * sum(p.shape[1] for p in parts), count)


def _inverse_right(vectors: Floats) -> Floats:
    """Return the inverse right Jacobians of rotation vectors, shape (n, 3, 3)."""
    angle = np.linalg.norm(vectors, axis=1)
    small = angle < 1e-4
    safe = np.where(small, 1.0, angle)
    factor = np.where(
        small, 1.0 / 12.0, 1.0 / safe**2 - (1.0 + np.cos(safe)) / (2.0 * safe * np.sin(safe))
    )
    K = np.zeros((len(vectors), 3, 3))
    x, y, z = vectors.T
    K[:, 0, 1], K[:, 0, 2], K[:, 1, 2] = -z, y, -x
    K[:, 1, 0], K[:, 2, 0], K[:, 2, 1] = z, -y, x
    found: Floats = np.eye(3) + 0.5 * K + factor[:, None, None] * (K @ K)
    return found


def mean_errors(found: Sequence[Mapping[str, Floats]]) -> dict[str, float]:
    """Return the mean distance of simulated from measured values by name."""
    out = {}
    for name in found[0] if found else ():
        sizes = np.concatenate([np.linalg.norm(one[name], axis=-1).reshape(-1) for one in found])
        out[name] = float(sizes.mean())
    return out
