"""Meshes of an MJCF that are no files: vertices in the file, and MuJoCo's built-in ones."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from xml.etree.ElementTree import Element, SubElement, tostring

import numpy as np
from scipy.spatial import ConvexHull, QhullError

from footfall.api.advanced import FileElement
from footfall.api.plugin import Floats, FootfallError, Ints


def made_mesh(node: Element, place: FileElement) -> Path:
    """Return an OBJ file with the vertices of a ``<mesh>`` that names no file.

    The file lasts as long as the process. Without faces it is the convex hull, as in MuJoCo.

    Raises:
        RobotError: if the vertices span no volume, a face names none of them, or MuJoCo, which
            makes the built-in meshes, is not installed.
    """
    if node.get("builtin", "none") != "none":
        points, faces = _builtin(node, place)
    else:
        given = place.numbers(node, "vertex", count=_count(node, "vertex"), default=None)
        if len(given) % 3:
            raise place.error(f"vertex has {len(given)} numbers, which are no triples")
        points = np.array(given).reshape(-1, 3)
        corners = place.numbers(node, "face", count=_count(node, "face"), default=())
        faces = np.array(corners, np.int64).reshape(-1, 3) if corners else _hull(points, place)
        if not len(faces) or faces.min() < 0 or faces.max() >= len(points):
            raise place.error(f"face must name vertices 0 to {len(points) - 1}")
    lines = [f"v {' '.join(repr(float(x)) for x in point)}" for point in points]
    lines += [f"f {' '.join(str(k + 1) for k in face)}" for face in faces]
    path = Path(_folder().name) / f"mesh_{len(list(Path(_folder().name).iterdir()))}.obj"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


@cache
def _folder() -> TemporaryDirectory[str]:
    return TemporaryDirectory(prefix="footfall_meshes")


def _count(node: Element, key: str) -> int:
    return len(node.get(key, "").split())


def _hull(points: Floats, place: FileElement) -> Ints:
    """Return the triangles of the convex hull, outward, shape (n, 3)."""
    try:
        hull = ConvexHull(points)
    except (QhullError, ValueError) as error:
        raise place.error("its vertices span no volume") from error
    a, b, c = points[hull.simplices].swapaxes(0, 1)
    inward = np.einsum("ki,ki->k", np.cross(b - a, c - a), hull.equations[:, :3]) < 0.0
    faces: Ints = np.where(inward[:, None], hull.simplices[:, ::-1], hull.simplices)
    return faces


def _builtin(node: Element, place: FileElement) -> tuple[Floats, Ints]:
    """Return the vertices and triangles of a built-in mesh, computed by MuJoCo."""
    try:
        import mujoco
    except ImportError as error:
        text = f'builtin="{node.get("builtin")}" needs MuJoCo: {FootfallError.pip("mujoco")}'
        raise place.error(text) from error
    top, kept = Element("mujoco"), ("builtin", "params")
    SubElement(SubElement(top, "asset"), "mesh", {key: node.get(key, "") for key in kept}, name="m")
    SubElement(SubElement(top, "worldbody"), "geom", type="mesh", mesh="m")
    try:
        model = mujoco.MjModel.from_xml_string(tostring(top, encoding="unicode"))
    except ValueError as error:
        raise place.error(f"MuJoCo: {str(error).splitlines()[0]}") from error
    turn = np.zeros(9)
    mujoco.mju_quat2Mat(turn, model.mesh_quat[0])
    points = model.mesh_vert @ turn.reshape(3, 3).T + model.mesh_pos[0]
    return np.array(points, np.float64), np.array(model.mesh_face, np.int64)
