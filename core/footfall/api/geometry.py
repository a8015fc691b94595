"""Shapes that can touch one another, meshes from files, and poses."""

from __future__ import annotations

from footfall.collision.coal_pairs import coal_geometry
from footfall.geometry.convex_hull import convex_hull
from footfall.geometry.mesh_file import read_triangles
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
from footfall.geometry.triangles import surface as convex_surface
from footfall.model.collision_shapes import height_field
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
    "coal_geometry",
    "convex_hull",
    "convex_surface",
    "height_field",
    "read_triangles",
    "rotation_about",
    "rotation_from_rpy",
    "rpy_from_rotation",
]
