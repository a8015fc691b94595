"""Findings about mesh files that are unreadable, garbled or not closed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np

from footfall.api.advanced import MeshFile, Urdf
from footfall.api.plugin import Floats, RobotError
from footfall.api.viewer import Shape
from footfall_import.checks import Finding

SMALLEST, LARGEST = 1e-4, 50.0
"""Bounds of a mesh's size outside which its unit is in doubt, [m]."""
CRUMPLED = 20.0
"""Ratio of a mesh's area to its bounding box's area from which its faces look garbled."""


@dataclass(frozen=True, slots=True)
class MeshFacts:
    """Measurements of a scaled mesh.

    Attributes:
        triangles: number of triangles.
        area: total area, [m^2].
        box: lengths of the bounding box, shape (3,), [m].
        unused: number of vertices without a triangle.
        flat: number of triangles with zero area.
        closed: True if each edge has two triangles, one in each direction.
    """

    triangles: int
    area: float
    box: Floats
    unused: int
    flat: int
    closed: bool


def facts_of(mesh: MeshFile, scale: tuple[float, ...] = (1.0, 1.0, 1.0)) -> MeshFacts:
    """Return the measurements of a mesh file with scaled vertices."""
    corners = mesh.vertices[mesh.indices].astype(float) * np.array(scale)
    a, b, c = corners[:, 0], corners[:, 1], corners[:, 2]
    areas = 0.5 * np.linalg.norm(np.cross(b - a, c - a), axis=1)
    return MeshFacts(
        triangles=len(areas),
        area=float(areas.sum()),
        box=np.ptp(corners.reshape(-1, 3), axis=0),
        unused=len(mesh.vertices) - len(np.unique(mesh.indices)),
        flat=int((areas == 0.0).sum()),
        closed=_is_closed(mesh),
    )


def _is_closed(mesh: MeshFile) -> bool:
    """Return whether each directed edge has one triangle, and its reverse another."""
    _, place = np.unique(mesh.vertices, axis=0, return_inverse=True)
    corners = place.reshape(-1)[mesh.indices]
    corners = corners[(corners != np.roll(corners, 1, axis=1)).all(axis=1)]
    ends = np.roll(corners, -1, axis=1)
    there = np.sort(corners.ravel() * len(mesh.vertices) + ends.ravel())
    back = np.sort(ends.ravel() * len(mesh.vertices) + corners.ravel())
    return bool((there == back).all())


@lru_cache(maxsize=64)
def read_mesh(path: str) -> MeshFile:
    """Return a mesh file; an import needs each one twice."""
    return MeshFile.read(path)


def check_meshes(urdf: Urdf, *, looks: bool = True) -> list[Finding]:
    """Return warnings of a model's mesh files, and a note that sums them up.

    An unreadable visual mesh is a warning; an unreadable collision mesh raises an error elsewhere.

    Args:
        urdf: the model.
        looks: True if the files' materials are drawn; missing materials are then noted.
    """
    found: list[Finding] = _textures(urdf)
    read: dict[tuple[str, tuple[float, ...]], MeshFacts] = {}
    drawn = {visual.shape.mesh for link in urdf.links.values() for visual in link.visuals}
    for link, shape in _mesh_shapes(urdf):
        try:
            mesh = read_mesh(str(shape.mesh))
            facts = facts_of(mesh, shape.size)
        except RobotError as error:
            text = str(error).removeprefix(f"{shape.mesh}: ")
            text = f'{text} (link "{link}")'
            found.append(Finding("warning", Path(str(shape.mesh)).name, text))
            continue
        read[str(shape.mesh), shape.size] = facts
        name = Path(str(shape.mesh)).name
        found += [Finding("warning", name, text) for text in oddities(facts)]
        if looks and shape.mesh in drawn:
            found += [Finding("note", name, f"{text}: not drawn") for text in mesh.lost]
    return list(dict.fromkeys(found)) + _summary(read)


def _textures(urdf: Urdf) -> list[Finding]:
    """Return a note for each texture of the model's own materials that cannot be shown."""
    told: dict[str, str] = {}
    for link in urdf.links.values():
        for visual in link.visuals:
            name = visual.texture
            if name is None or name in told:
                continue
            if not Path(name).is_file():
                told[name] = "was not found: drawn in plain colour"
            elif visual.shape.kind != "mesh":
                told[name] = f"a {visual.shape.kind} of {link.name} is drawn in its mean colour"
    return [Finding("note", f"texture {Path(name).name}", text) for name, text in told.items()]


def oddities(facts: MeshFacts) -> Iterator[str]:
    """Yield descriptions of oddities of a mesh."""
    size = float(facts.box.max())
    if not SMALLEST <= size <= LARGEST:
        yield f"is {size:.3g} m long: is its unit the metre, or its scale wrong?"
    x, y, z = facts.box
    around = 2.0 * (x * y + y * z + z * x)
    if facts.area > CRUMPLED * around:
        ratio = facts.area / around if around else np.inf
        yield f"has {ratio:.0f} times the area of the box around it: are its faces garbled?"


def _mesh_shapes(urdf: Urdf) -> Iterable[tuple[str, Shape]]:
    """Return the visual and collision meshes, each once, with the first link that uses it."""
    shapes: dict[tuple[str | None, tuple[float, ...]], tuple[str, Shape]] = {}
    for link in urdf.links.values():
        drawn = [visual.shape for visual in link.visuals]
        for shape in (*drawn, *(collision.shape for collision in link.collisions)):
            if shape.kind == "mesh":
                shapes.setdefault((shape.mesh, shape.size), (link.name, shape))
    return shapes.values()


def _summary(read: dict[tuple[str, tuple[float, ...]], MeshFacts]) -> list[Finding]:
    if not read:
        return []
    triangles = sum(facts.triangles for facts in read.values())
    said = [f"{triangles} triangles"]
    for what, chosen in (
        ("not closed", [key for key, facts in read.items() if not facts.closed]),
        ("with triangles of zero area", [key for key, facts in read.items() if facts.flat]),
        ("with unused vertices", [key for key, facts in read.items() if facts.unused]),
    ):
        if chosen:
            more = ", ..." if len(chosen) > 1 else ""
            said.append(f"{len(chosen)} {what} ({Path(chosen[0][0]).name}{more})")
    files = len({file for file, _ in read})
    return [Finding("note", f"{files} mesh file{'s' * (files > 1)}", "; ".join(said))]
