"""Readers of URDF and MJCF files: checked trees, geoms, mass properties, loops, meshes."""

from __future__ import annotations

from footfall.formats.inertia import check_inertias, odd_inertias
from footfall.formats.mesh_paths import find_mesh
from footfall.formats.mjcf_document import Document, read_document, write_out
from footfall.formats.mjcf_geometry import Geom, read_geom
from footfall.formats.urdf import Inertial, Joint, Urdf
from footfall.formats.urdf_file import read_urdf, read_xml
from footfall.formats.xml import Place
from footfall.model.model_loops import ModelCoupling, ModelJoining, read_equalities
from footfall.model.robot import load_robot

__all__ = [
    "Document",
    "Geom",
    "Inertial",
    "Joint",
    "ModelCoupling",
    "ModelJoining",
    "Place",
    "Urdf",
    "check_inertias",
    "find_mesh",
    "load_robot",
    "odd_inertias",
    "read_document",
    "read_equalities",
    "read_geom",
    "read_urdf",
    "read_xml",
    "write_out",
]
