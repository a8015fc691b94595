"""Readers of URDF and MJCF files: checked trees, geoms, mass properties, loops, meshes."""

from __future__ import annotations

from footfall.formats.inertia import check_inertias, odd_inertias
from footfall.formats.mesh_paths import find_mesh
from footfall.formats.urdf import Inertial, Joint, PlacedShape, Urdf, Visual
from footfall.formats.urdf_file import read_urdf, read_xml
from footfall.formats.xml import Place
from footfall.model.description import ModelCoupling, ModelDescription, ModelJoining

__all__ = [
    "Inertial",
    "Joint",
    "ModelCoupling",
    "ModelDescription",
    "ModelJoining",
    "Place",
    "PlacedShape",
    "Urdf",
    "Visual",
    "check_inertias",
    "find_mesh",
    "odd_inertias",
    "read_urdf",
    "read_xml",
]
