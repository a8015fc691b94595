"""Readers of URDF and MJCF files: checked trees, geoms, mass properties, loops, meshes."""

from __future__ import annotations

from footfall.formats.inertia import odd_inertias as odd_inertias
from footfall.formats.mesh_paths import find_mesh as find_mesh
from footfall.formats.urdf import (
    Inertial as Inertial,
    Joint as Joint,
    PlacedShape as PlacedShape,
    Urdf as Urdf,
    Visual as Visual,
)
from footfall.formats.urdf_file import read_urdf as read_urdf, read_xml as read_xml
from footfall.formats.xml import Place as Place
from footfall.model.description import (
    ModelCoupling as ModelCoupling,
    ModelDescription as ModelDescription,
    ModelJoining as ModelJoining,
)
