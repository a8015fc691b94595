"""Rigid bodies of simple shapes, composed from objects without robot file or engine."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import numpy.typing as npt

from footfall import Body, ContactFeature
from footfall.api.engine import TreeModel
from footfall.api.plugin import Floats
from footfall_validate.rotations import UPRIGHT, rotation_matrix


def rigid_model(
    mass: float, inertia: npt.ArrayLike, com: npt.ArrayLike = (0.0, 0.0, 0.0)
) -> TreeModel:
    """Return one rigid body.

    Args:
        mass: [kg].
        inertia: about the centre of mass, (3,) principal or (3, 3), [kg m^2].
        com: centre of mass in the body's frame, (3,), [m].
    """
    given = np.asarray(inertia, float)
    full = np.diag(given) if given.ndim == 1 else given
    return TreeModel.rigid_body("body", mass, np.array(com, float), full)


def feature(
    name: str,
    position: npt.ArrayLike,
    *,
    kind: Literal["point", "sphere", "rim"] = "point",
    axis: npt.ArrayLike = (0.0, 0.0, 0.0),
    radius: float = 0.0,
    mu: float = np.nan,
    e: float = np.nan,
) -> ContactFeature:
    """Return a feature of link 0 that can touch the ground; coefficients are the body's side."""
    place, along = np.array(position, float), np.array(axis, float)
    return ContactFeature(name, 0, kind, place, along, radius, mu, e)


def points(positions: npt.ArrayLike) -> list[ContactFeature]:
    """Return point features at (n, 3), [m]."""
    return [feature(f"p{i}", p) for i, p in enumerate(np.asarray(positions, float))]


def corners(lengths: npt.ArrayLike) -> Floats:
    """Return the eight corners of a box, (8, 3), [m]; the lowest four come first."""
    signs = [(x, y, z) for z in (-1, 1) for x in (-1, 1) for y in (-1, 1)]
    lowest_first: Floats = 0.5 * np.array(signs, float) * np.asarray(lengths, float)
    return lowest_first


@dataclass(frozen=True)
class Shape:
    """A rigid body without a pose.

    Attributes:
        model: its mass properties.
        features: its contact features.
    """

    model: TreeModel
    features: list[ContactFeature]

    def at(
        self,
        position: npt.ArrayLike,
        quaternion: npt.ArrayLike = UPRIGHT,
        linear: npt.ArrayLike = (0.0, 0.0, 0.0),
        angular: npt.ArrayLike = (0.0, 0.0, 0.0),
        name: str = "body",
    ) -> Body:
        """Return a body; velocities are world-aligned, [m/s] and [rad/s]."""
        R = rotation_matrix(quaternion)
        q = np.concatenate([np.asarray(position, float), np.asarray(quaternion, float)])
        v = np.concatenate([R.T @ np.asarray(linear, float), R.T @ np.asarray(angular, float)])
        return Body(name, self.model, None, q, v, tuple(self.features))

    def touching(self, **coefficients: float) -> Shape:
        """Return the same body with the given coefficients (friction, restitution) on its side."""
        features = [replace(f, **coefficients) for f in self.features]  # type: ignore[arg-type]
        return replace(self, features=features)


def box(mass: float = 1.0, lengths: npt.ArrayLike = (0.1, 0.1, 0.1)) -> Shape:
    """Return a uniform box that touches with its corners."""
    x, y, z = np.asarray(lengths, float) ** 2
    inertia = mass / 12.0 * np.array([y + z, x + z, x + y])
    return Shape(rigid_model(mass, inertia), points(corners(lengths)))


def ball(mass: float = 1.0, radius: float = 0.1) -> Shape:
    """Return a solid sphere."""
    inertia = np.full(3, 0.4 * mass * radius**2)
    return Shape(
        rigid_model(mass, inertia), [feature("s", (0, 0, 0), kind="sphere", radius=radius)]
    )


def coin(mass: float = 0.2, radius: float = 0.05) -> Shape:
    """Return a thin disc that touches with its rim; its axis is y."""
    inertia = mass * radius**2 * np.array([0.25, 0.5, 0.25])
    rim = feature("rim", (0, 0, 0), kind="rim", axis=(0, 1, 0), radius=radius)
    return Shape(rigid_model(mass, inertia), [rim])


def table(
    n: int, radius: float = 0.3, height: float = 0.2, com: npt.ArrayLike = (0.0, 0.0, 0.0)
) -> Shape:
    """Return a body of 2 kg that stands on n points on a circle below its origin."""
    angle = 2.0 * np.pi * np.arange(n) / n
    feet = np.column_stack([radius * np.cos(angle), radius * np.sin(angle), np.full(n, -height)])
    return Shape(rigid_model(2.0, (0.05, 0.06, 0.07), com), points(feet))
