"""Masses of a URDF's bodies without any, from their collision shapes and a density."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from xml.etree.ElementTree import Element

import numpy as np

from footfall.api.advanced import Inertial, Urdf
from footfall.api.engine import Pose
from footfall_import.checks import Finding
from footfall_import.mjcf.geometry import Geom
from footfall_import.mjcf.geoms_as_shapes import add_inertial, mass_of
from footfall_import.sole import Placed
from footfall_import.urdf.inertia_repair import read_again, with_absolute_files


def add_masses(top: Element, path: Path, density: float) -> list[Finding]:
    """Give mass properties to links of bodies without mass that have collision shapes.

    Bodies are links that fixed joints weld together; if one link of a body has a mass, the others
    keep none.

    Args:
        top: the URDF's element; changed in place, meshes get absolute names.
        path: the file; meshes are relative to it.
        density: [kg/m^3]

    Raises:
        RobotError: if the URDF is malformed or a mesh cannot be read.
    """
    with_absolute_files(top, path)
    urdf = read_again(top, path)
    nodes = {node.get("name"): node for node in top.findall("link")}
    given: dict[str, float] = {}
    for body in _bodies(urdf):
        if any(urdf.links[name].inertial for name in body):
            continue
        for name in body:
            found = _parts(name, urdf.links[name].collisions, density)
            parts = [part for part in found if part is not None]
            if parts:
                node, whole = nodes[name], Inertial.weld((Pose.identity(), p) for p in parts)
                for old in node.findall("inertial"):
                    node.remove(old)
                add_inertial(node, whole)
                given[name] = whole.mass
    if not given:
        return [Finding("warning", "--density", "every body has a mass or no collision shape")]
    masses = ", ".join(f"{name} {mass:.4g} kg" for name, mass in list(given.items())[:3])
    more = ", ..." if len(given) > 3 else ""
    text = f"of collision shapes at {density:g} kg/m^3: {masses}{more}"
    return [Finding("note", "masses", text)]


def _bodies(urdf: Urdf) -> Iterator[list[str]]:
    of = {urdf.root: [urdf.root]}
    for joint in urdf.depth_first():
        of[joint.child] = of[joint.parent] if joint.type == "fixed" else []
        of[joint.child].append(joint.child)
    yield from {id(body): body for body in of.values()}.values()


def _parts(link: str, shapes: Iterable[Placed], density: float) -> Iterator[Inertial | None]:
    for placed in shapes:
        shape, halves = placed.shape, np.array(placed.shape.size)
        if shape.kind == "box":
            halves = halves / 2.0
        elif shape.kind in ("cylinder", "capsule"):
            halves = halves * (1.0, 0.5)
        yield mass_of(
            Geom(
                name=link,
                kind=shape.kind,
                pose=placed.origin,
                size=tuple(halves.tolist()),
                mesh=Path(shape.mesh) if shape.mesh else None,
                inertia="exact",
                group=0,
                touches=True,
                drawn=False,
                color="",
                texture="",
                mass=None,
                density=density,
            ),
            [],
        )
