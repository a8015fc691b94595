"""Signed distances between shapes, by the code that finds their contacts."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from footfall.config.validate import validate
from footfall.errors import SimulationError
from footfall.geometry.shapes import HeightField
from footfall.interfaces.plugin import PluginConfig
from footfall.model.collision_shapes import geometry_of, shape_of
from footfall.model.object_schema import MeshShape, ObjectShape
from footfall.simulator.simulator import Distance
from footfall.spatial.pose import Pose
from footfall.typing import Floats, Ints
from footfall_stepper.collision.detector import Detector
from footfall_stepper.collision.kernels.arrays import ShapeKind
from footfall_stepper.collision.shape import FIXED, CollisionShape

MOST = 256
"""Most points of a pair that are compared."""
FAR = 1e30
"""Margin of a half-space, [m]."""
UNIT = 1e-6
"""Largest error of a rotation matrix, [-]."""


class Distances:
    """Signed distances between shapes.

    Two shapes that overlap have the deepest of their contacts. Others have the contact with the
    smallest gap, however large; meshes and height fields the distance that Coal finds.

    Attributes:
        shapes: by number.
    """

    def __init__(self, shapes: Sequence[CollisionShape]) -> None:
        self._detector = Detector(shapes, max_points_per_pair=MOST)
        self.shapes = self._detector.shapes
        self._geometries = self._detector.place(np.zeros((1 + max(s.link for s in shapes), 12)))

    def set_pose(self, index: int, pose: Pose) -> None:
        """Move a fixed shape; ``place`` then takes it into account."""
        self._geometries.pose[index] = np.append(pose.rotation.T.ravel(), pose.translation)

    def place(self, poses: Floats) -> None:
        """Place the shapes by the poses of the links, shape (links, 12)."""
        self._detector.place(poses)

    def nearest(self, pairs: Ints) -> Distance:
        """Return the smallest distance of pairs of placed shapes, shape (n, 2) with n > 0.

        Pairs are looked at in the order of the distances of their bounding boxes.
        """
        if len(pairs) == 1:
            return self._between(*pairs[0].tolist())
        low, high = np.hsplit(self._geometries.bounds, 2)
        i, j = pairs.T
        apart = np.maximum(0.0, np.maximum(low[j] - high[i], low[i] - high[j]))
        least = np.linalg.norm(apart, axis=1)
        least[(self._geometries.kind[pairs] == ShapeKind.HALF_SPACE).any(axis=1)] = 0.0
        best: Distance | None = None
        for k in np.argsort(least, kind="stable"):
            if best is not None and least[k] > max(best.distance, 0.0):
                break
            found = self._between(*pairs[k].tolist())
            if best is None or found.distance < best.distance:
                best = found
        assert best is not None
        return best

    def _between(self, i: int, j: int) -> Distance:
        kind, shapes = self._geometries.kind, self.shapes
        swapped = self._rank(j) > self._rank(i)
        a, b = (j, i) if swapped else (i, j)
        corners = self._geometries.bounds[[a, b]].reshape(4, 3)
        margin = float(np.linalg.norm(np.ptp(corners, axis=0)))  # no gap is larger
        if kind[a] >= ShapeKind.MESH:
            margin = 0.0 if kind[a] == ShapeKind.MESH else FAR
        found = self._detector.deepest(a, b, margin)
        gap, middle, normal = found or self._detector.apart(a, b)
        normal = -normal if swapped else normal
        half = 0.5 * gap * normal
        names = shapes[i].name, shapes[j].name
        return Distance(gap, normal, middle - half, middle + half, names)

    def _rank(self, i: int) -> tuple[int, bool]:
        """Return the place of a shape in a pair: half-spaces, height fields, meshes come first."""
        is_field = isinstance(self.shapes[i].geometry, HeightField)
        return int(self._geometries.kind[i]), is_field


class _Pair(PluginConfig):
    shape_a: ObjectShape
    shape_b: ObjectShape


def distance(
    shape_a: Mapping[str, Any],
    pose_a: npt.ArrayLike,
    shape_b: Mapping[str, Any],
    pose_b: npt.ArrayLike,
) -> Distance:
    """Return the signed distance of two shapes, with nearest points and normal, world frame.

    It is negative where they overlap: the depth of the deepest contact that a simulation would
    find. Spheres, boxes and capsules have closed forms, others are exact to 1e-7 m.

    Args:
        shape_a: table as in a scene, e.g. ``{"type": "box", "size": [0.2, 0.2, 0.1]}``. A file is
            read once.
        pose_a: shape (4, 4), homogeneous matrix from the shape to the world; or (3,), its
            position, [m].
        shape_b: likewise.
        pose_b: likewise.

    Raises:
        SceneError: if a table is wrong; names the key.
        SimulationError: if a pose is not finite, or no pose.
        RobotError: if a mesh or a height field cannot be read.
    """
    found = _of_pair(json.dumps({"shape_a": shape_a, "shape_b": shape_b}))
    found.set_pose(0, _pose(pose_a, "pose_a"))
    found.set_pose(1, _pose(pose_b, "pose_b"))
    found.place(np.zeros((0, 12)))
    return found.nearest(np.array([[0, 1]]))


@lru_cache(maxsize=256)
def _of_pair(text: str) -> Distances:
    pair = validate(_Pair, json.loads(text), file=None, lines={})
    shapes = []
    for number, (key, table) in enumerate(pair):
        use = table.use if isinstance(table, MeshShape) else "hull"
        geometry = geometry_of(shape_of(table), key, use)
        shapes.append(CollisionShape(geometry, Pose.identity(), FIXED, number, key))
    return Distances(shapes)


def _pose(given: npt.ArrayLike, name: str) -> Pose:
    pose = np.asarray(given, float)
    if pose.shape not in ((3,), (4, 4)) or not np.isfinite(pose).all():
        raise SimulationError(f"{name}: expected (4, 4) or (3,) finite numbers, got {pose.shape}")
    if pose.shape == (3,):
        return Pose(np.eye(3), pose)
    R = pose[:3, :3]
    if np.abs(np.cross(R[0], R[1]) - R[2]).max() + np.abs(R @ R.T - np.eye(3)).max() > UNIT:
        raise SimulationError(f"{name}: its first three rows and columns are no rotation")
    return Pose(R, pose[:3, 3])
