"""Solids of the ground, triangles of what is drawn, and poses."""

from __future__ import annotations

from footfall.geometry.shapes import (
    Box,
    HalfSpace,
    HeightField,
)
from footfall.model.collision_shapes import drawn_triangles
from footfall.spatial.pose import Pose, rotation_about, rotation_from_rpy

__all__ = [
    "Box",
    "HalfSpace",
    "HeightField",
    "Pose",
    "drawn_triangles",
    "rotation_about",
    "rotation_from_rpy",
]
