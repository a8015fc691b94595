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
from footfall.model.object_schema import ObjectShape
from footfall.simulator.simulator import Distance
from footfall.spatial.pose import Pose
from footfall.typing import Floats, Ints
from footfall_stepper.collision.detector import Detector
from footfall_stepper.collision.kernels.arrays import ShapeKind
from footfall_stepper.collision.kernels.narrow import find_pair, place_shapes
from footfall_stepper.collision.shape import FIXED, CollisionShape

MOST = 256
"""Most points of a pair that are compared."""
FAR = 1e30
"""Margin of a half-space, [m]."""
SAME = 1e-9
"""Largest difference of two normals with which two boxes keep the gap of their closed form."""
UNIT = 1e-6
"""Largest error of a rotation matrix, [-]."""


class Distances(Detector):
    """Signed distances between shapes.

    Two shapes that overlap have the deepest of their contacts. Others have the contact with the
    smallest gap, however large; meshes and height fields the distance that Coal finds.
    """

    def __init__(self, shapes: Sequence[CollisionShape]) -> None:
        super().__init__(shapes, max_points_per_pair=MOST)

    def place(self, poses: Floats, fixed: Mapping[int, Pose]) -> None:
        """Place the shapes.

        Args:
            poses: of the links, shape (links, 12).
            fixed: new places of fixed shapes by index.
        """
        for index, pose in fixed.items():
            self._geometries.pose[index, :9] = pose.rotation.T.ravel()
            self._geometries.pose[index, 9:] = pose.translation
        self._work.margin[0] = 0.0  # boxes around shapes are enlarged by half of it
        self._slow(place_shapes, np.zeros((1, 12)))(poses)

    def nearest(self, pairs: Ints) -> Distance:
        """Return the smallest distance of pairs of placed shapes, shape (n, 2) with n > 0.

        Pairs are looked at in the order of the distances of their bounding boxes.
        """
        least = self._box_distances(pairs) if len(pairs) > 1 else np.zeros(1)
        best, found = np.inf, (np.inf, np.zeros(3), np.zeros(3), pairs[0])
        for k in np.argsort(least, kind="stable"):
            if least[k] > max(best, 0.0):
                break
            between = self._between(*pairs[k].tolist())
            if between[0] < best:
                best, found = between[0], (*between, pairs[k])
        gap, middle, normal, pair = found
        half, (one, other) = 0.5 * gap * normal, (self.shapes[k].name for k in pair)
        return Distance(gap, normal, middle - half, middle + half, (one, other))

    def _box_distances(self, pairs: Ints) -> Floats:
        (low, high), (i, j) = np.hsplit(self._geometries.bounds, 2), pairs.T
        apart = np.maximum(0.0, np.maximum(low[j] - high[i], low[i] - high[j]))
        unbounded = (self._geometries.kind[pairs] == ShapeKind.HALF_SPACE).any(axis=1)
        return np.where(unbounded, 0.0, np.linalg.norm(apart, axis=1))

    def _between(self, i: int, j: int) -> tuple[float, Floats, Floats]:
        """Return gap, middle of the nearest points and normal from shape i to j."""
        kind, shapes, found = self._geometries.kind, self.shapes, self.found
        fields = (isinstance(shapes[k].geometry, HeightField) for k in (i, j))
        if (kind[i], next(fields)) < (kind[j], next(fields)):  # half-spaces and fields come first
            gap, middle, normal = self._between(j, i)
            return gap, middle, -normal
        corners = self._geometries.bounds[[i, j]].reshape(4, 3)
        margin = float(np.linalg.norm(np.ptp(corners, axis=0)))  # no gap is larger
        if kind[i] >= ShapeKind.MESH:
            margin = 0.0 if kind[i] == ShapeKind.MESH else FAR
        self._work.margin[0] = margin
        self._coal.within(margin)
        closed = self._slow(find_pair, 0, 0)(i, j)
        if not closed:
            self._find(i, j)
        flat = not closed or kind[i] == kind[j] == ShapeKind.BOX
        k = int(np.argmin(found.gap)) if found.n else -1
        if k < 0 or (flat and found.gap[k] > 0.0):  # other points may be nearer
            apart = self._coal.apart(i, j)
            if k < 0 or not closed or np.abs(apart[2] - found.normal[k]).max() > SAME:
                return apart
        return float(found.gap[k]), found.position[k].copy(), found.normal[k].copy()


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
    find. Gaps are exact to 1e-6 m, those of spheres, boxes and capsules to 1e-8 m.

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
    poses = {0: _pose(pose_a, "pose_a"), 1: _pose(pose_b, "pose_b")}
    found.place(np.zeros((0, 12)), poses)
    return found.nearest(np.array([[0, 1]]))


@lru_cache(maxsize=256)
def _of_pair(text: str) -> Distances:
    pair = validate(_Pair, json.loads(text), file=None, lines={})
    shapes = []
    for number, (key, table) in enumerate(pair):
        geometry = geometry_of(shape_of(table), key, getattr(table, "use", "hull"))
        shapes.append(CollisionShape(geometry, Pose.identity(), FIXED, number, key))
    return Distances(shapes)


def _pose(given: npt.ArrayLike, name: str) -> Pose:
    pose = np.asarray(given, float)
    if pose.shape not in ((3,), (4, 4)) or not np.isfinite(pose).all():
        raise SimulationError(f"{name}: expected (4, 4) or (3,) finite numbers, got {pose.shape}")
    if pose.shape == (3,):
        return Pose(np.eye(3), pose)
    R = pose[:3, :3]
    if np.abs(R @ R.T - np.eye(3)).max() > UNIT or np.linalg.det(R) < 0.0:
        raise SimulationError(f"{name}: its first three rows and columns are no rotation")
    return Pose(R, pose[:3, 3])
