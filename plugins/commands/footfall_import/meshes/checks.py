"""Findings about mesh files: what cannot be read, what looks garbled, what is not closed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from footfall.api.errors import RobotError
from footfall.api.formats import Urdf
from footfall.api.geometry import MeshFile
from footfall.api.plugin import Floats
from footfall.api.visualizer import Shape
from footfall_import.checks import Finding

SMALLEST, LARGEST = 1e-4, 50.0
"""Size of a part of a robot beyond which its unit is in doubt, [m]."""
CRUMPLED = 20.0
"""Area of a mesh, relative to that of the box around it, from which its faces look garbled."""


@dataclass(frozen=True, slots=True)
class MeshFacts:
    """What there is to say of a mesh, scaled.

    Attributes:
        triangles: how many.
        area: of them all, [m^2].
        box: lengths of the box around its triangles, shape (3,), [m].
        unused: vertices that no triangle has.
        flat: triangles without an area.
        closed: whether each edge has two triangles, one in each direction.
    """

    triangles: int
    area: float
    box: Floats
    unused: int
    flat: int
    closed: bool


def facts_of(mesh: MeshFile, scale: tuple[float, ...] = (1.0, 1.0, 1.0)) -> MeshFacts:
    """Return the facts of a mesh file, its vertices times the scale."""
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
    """Whether each directed edge between places has one triangle, and its reverse another."""
    _, place = np.unique(mesh.vertices, axis=0, return_inverse=True)
    corners = place.reshape(-1)[mesh.indices]
    corners = corners[(corners != np.roll(corners, 1, axis=1)).all(axis=1)]
    ends = np.roll(corners, -1, axis=1)
    there = np.sort(corners.ravel() * len(mesh.vertices) + ends.ravel())
    back = np.sort(ends.ravel() * len(mesh.vertices) + corners.ravel())
    return bool((there == back).all())


def check_meshes(urdf: Urdf, *, looks: bool = True) -> list[Finding]:
    """Return what is wrong with the mesh files of a model, and a note of what they are.

    A mesh to be drawn that cannot be read is a warning; one that touches is refused where it is
    used.

    Args:
        urdf: the model.
        looks: whether materials of the files are drawn, so that it counts what is missing of them.
    """
    found: list[Finding] = _textures(urdf)
    read: dict[tuple[str, tuple[float, ...]], MeshFacts] = {}
    drawn = {visual.shape.mesh for link in urdf.links.values() for visual in link.visuals}
    for link, shape in _mesh_shapes(urdf):
        try:
            mesh = MeshFile.read(str(shape.mesh))
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
    """Return a note for each image of the model's own materials that cannot be shown."""
    told: dict[str, str] = {}
    for link in urdf.links.values():
        for visual in link.visuals:
            name = visual.texture
            if name is None or name in told:
                continue
            if not Path(name).is_file():
                told[name] = "was not found: drawn in its colour alone"
            elif visual.shape.kind != "mesh":
                told[name] = f"a {visual.shape.kind} of {link.name} is drawn in its mean colour"
    return [Finding("note", f"texture {Path(name).name}", text) for name, text in told.items()]


def oddities(facts: MeshFacts) -> Iterator[str]:
    """Yield what looks wrong with a mesh."""
    size = float(facts.box.max())
    if not SMALLEST <= size <= LARGEST:
        yield f"is {size:.3g} m long: is its unit the metre, or its scale wrong?"
    x, y, z = facts.box
    around = 2.0 * (x * y + y * z + z * x)
    if facts.area > CRUMPLED * around:
        ratio = facts.area / around if around else np.inf
        yield f"has {ratio:.0f} times the area of the box around it: are its faces garbled?"


def _mesh_shapes(urdf: Urdf) -> Iterable[tuple[str, Shape]]:
    """Return the meshes that links are drawn as and touch with, each once with its first link."""
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
        ("with triangles that have no area", [key for key, facts in read.items() if facts.flat]),
        ("with vertices of no triangle", [key for key, facts in read.items() if facts.unused]),
    ):
        if chosen:
            more = ", ..." if len(chosen) > 1 else ""
            said.append(f"{len(chosen)} {what} ({Path(chosen[0][0]).name}{more})")
    files = len({file for file, _ in read})
    return [Finding("note", f"{files} mesh file{'s' * (files > 1)}", "; ".join(said))]
