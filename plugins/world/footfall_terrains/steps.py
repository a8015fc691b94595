"""Boxes and stairs; the terrains of this package are registered in its ``__init__.py``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from footfall.api.advanced import Box, plane_patches
from footfall.api.engine import Pose
from footfall.api.kernels import bind
from footfall.api.plugin import Capability, Floats
from footfall.api.viewer import Ground, GroundSurface
from footfall.api.world import HalfSpace, TerrainSample, TerrainSolid
from footfall_terrains.exposed import exposed_faces
from footfall_terrains.kernels.steps import steps_sample
from footfall_terrains.step_tables import BoxTable, StairsTable, StepsConfig
from footfall_terrains.terrain import PatchedTerrain

UP = np.array([0.0, 0.0, 1.0])


class Steps(PatchedTerrain):
    """A floor with boxes and stairs.

    The gap is the signed distance to the surface. If the nearest point is on an outer edge, the
    normal points from this edge to the contact point. An edge can enter a body between its contact
    points, unless the body touches the ground with its shapes (``collisions.ground``).
    """

    name = "steps"
    Config = StepsConfig
    capabilities = frozenset({Capability.TILTED_TERRAIN, Capability.CURVED_TERRAIN})
    kinds = frozenset({"point", "sphere"})

    def __init__(self, config: StepsConfig) -> None:
        self.config = config
        tables: list[BoxTable | StairsTable] = [*config.boxes, *config.stairs]
        owners = [table for table in tables for _ in table.boxes()]
        floor = np.array([-np.inf, -np.inf, -np.inf, np.inf, np.inf, config.floor])
        self._boxes = np.array([floor, *(box for table in tables for box in table.boxes())])
        self._faces, self._axis, self._side, number = exposed_faces(self._boxes)
        super().__init__(config)
        of_box = np.array(
            [
                (np.nan, np.nan),
                *((_number(table.friction), _number(table.restitution)) for table in owners),
            ]
        )
        self._of_box, self._number = of_box, number
        self._greatest = float(
            np.nanmax(of_box[:, 1], initial=self.coefficients.greatest_restitution)
        )
        c, s = np.cos(config.yaw), np.sin(config.yaw)
        self._turn = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])

    def sample(self, time: float, points: Floats, sample: TerrainSample) -> None:
        """Overwrite gaps and normals, and coefficients that vary from place to place."""
        if not self.coefficients.patchy:
            self.bound(points, sample)(time)
            return
        given = *self._arrays(points, sample), time
        steps_sample(*given)
        local, normal = self._turned_back(points), self._turned_back(sample.normal)
        self.coefficients.overlay(local, sample.gap, normal, sample)

    def _turned_back(self, vectors: Floats) -> Floats:
        """Return vectors in the frame of the boxes, each with the same bits as alone.

        A matrix product does not promise that: BLAS rounds the rows of a remainder otherwise.
        """
        (x, y, z), (c, s) = vectors.T, self._turn[:2, 0]
        return np.stack([c * x + s * y, c * y - s * x, z], axis=1)

    def bound(self, points: Floats, sample: TerrainSample) -> Callable[[float], object]:
        """Bind the kernel, if there are no patches."""
        if self.coefficients.patchy:
            return super().bound(points, sample)
        return bind(steps_sample, *self._arrays(points, sample), like=(0.0,))

    def _arrays(self, points: Floats, sample: TerrainSample) -> tuple[Any, ...]:
        """Return the arguments of the kernel, in its order."""
        ground = self._faces, self._axis, self._side, self._boxes
        out = sample.gap, sample.normal, sample.friction, sample.restitution
        return points, *ground, self._turn[:2, 0].copy(), self._own(), *out

    def _own(self) -> Floats:
        """Return the coefficients of each face, shape (faces, 2); no rows if none has its own."""
        if not (np.isfinite(self._of_box).any() or self.coefficients.patchy):
            return np.zeros((0, 2))
        table = self.config
        everywhere = _number(table.friction), _number(table.restitution)
        return np.where(np.isnan(self._of_box), everywhere, self._of_box)[self._number]

    def grounds(self) -> tuple[Ground | GroundSurface, ...]:
        """Return the floor, its patches, and the faces of boxes and stairs with their edges."""
        floor = Ground(UP, float(self.config.floor))
        flat = plane_patches(self.config.patches, UP, float(self.config.floor))
        grounds: list[Ground | GroundSurface] = [floor]
        for surface in (*flat, *self._drawn()):
            points = surface.points @ self._turn.T
            grounds.append(GroundSurface(points, surface.triangles, surface.lines, surface.color))
        return tuple(grounds)

    def solids(self) -> tuple[TerrainSolid, ...]:
        """Return the floor as a half-space, and each box and step; empty if there are patches."""
        config = self.config
        if config.patches:
            return ()
        floor = Pose(np.eye(3), np.array([0.0, 0.0, config.floor]))
        solids = [TerrainSolid(HalfSpace(), floor, config.friction, config.restitution)]
        tables: list[BoxTable | StairsTable] = [*config.boxes, *config.stairs]
        for table in tables:
            for low, high in (np.split(np.array(box), 2) for box in table.boxes()):
                x, y, z = (high - low).tolist()
                pose = Pose(self._turn, self._turn @ (0.5 * (low + high)))
                mu = config.friction if table.friction is None else table.friction
                e = config.restitution if table.restitution is None else table.restitution
                solids.append(TerrainSolid(Box((x, y, z)), pose, mu, e))
        return tuple(solids)

    def _drawn(self) -> tuple[GroundSurface, ...]:
        finite = np.isfinite(self._faces).all(axis=1)
        if not finite.any():
            return ()
        pieces = [
            _corners(face, axis, side)
            for face, axis, side in zip(
                self._faces[finite], self._axis[finite], self._side[finite], strict=True
            )
        ]
        start = 4 * np.arange(len(pieces))[:, None]
        triangles = (start[:, :, None] + np.array([(0, 1, 2), (0, 2, 3)])).reshape(-1, 3)
        lines = (start[:, :, None] + np.array([(0, 1), (1, 2), (2, 3), (3, 0)])).reshape(-1, 2)
        return (GroundSurface(np.concatenate(pieces), triangles, lines),)

    @property
    def greatest_restitution(self) -> float:
        """The largest coefficient of restitution anywhere, [-]."""
        return self._greatest


def _number(value: float | None) -> float:
    return np.nan if value is None else value


def _corners(face: Floats, axis: int, side: float) -> Floats:
    """Return a rectangle's corners, counter-clockwise seen from outside, shape (4, 3)."""
    one, two = (axis + 1) % 3, (axis + 2) % 3
    corners = np.tile(face[:3], (4, 1))
    corners[[1, 2], one] = face[one + 3]
    corners[[2, 3], two] = face[two + 3]
    return corners if side > 0.0 else corners[::-1]
