"""Shapes that can touch one another, and poses."""

from __future__ import annotations

from footfall.geometry.shapes import (
    Box,
    Capsule,
    Convex,
    Cylinder,
    Geometry,
    HalfSpace,
    HeightField,
    Sphere,
    TriangleMesh,
)
from footfall.spatial.pose import Pose, rotation_about, rotation_from_rpy, rpy_from_rotation

__all__ = [
    "Box",
    "Capsule",
    "Convex",
    "Cylinder",
    "Geometry",
    "HalfSpace",
    "HeightField",
    "Pose",
    "Sphere",
    "TriangleMesh",
    "rotation_about",
    "rotation_from_rpy",
    "rpy_from_rotation",
]
