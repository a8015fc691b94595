"""Solids of the ground, mesh files, triangles of drawn shapes, and poses."""

from __future__ import annotations

from footfall.geometry.shapes import Box as Box, HalfSpace as HalfSpace, HeightField as HeightField
from footfall.model.collision_shapes import drawn_triangles as drawn_triangles
from footfall.model.mesh_file import MeshFile as MeshFile
from footfall.spatial.pose import (
    Pose as Pose,
    rotation_about as rotation_about,
    rotation_from_rpy as rotation_from_rpy,
)
