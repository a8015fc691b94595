"""Repair of a URDF's impossible mass properties by the nearest possible ones."""

from __future__ import annotations

import math
import tempfile
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

import numpy as np

from footfall.api.advanced import Inertial, Urdf, find_mesh, odd_inertias, read_urdf
from footfall.api.plugin import Floats, RobotError
from footfall_import.checks import Finding, massless_joints
from footfall_import.mjcf.geoms_as_shapes import add_inertial

STEEL = 7850.0
"""Density of the ball whose second moments are a repaired link's lower bound, [kg/m^3]."""


def nearest_inertia(inertial: Inertial) -> Inertial:
    """Return the nearest possible mass properties of a rigid body with the same mass and centre.

    A body's second moments ``S = tr(I)/2 1 - I``, the integral of ``x x'`` over its mass, have no
    negative eigenvalue. Eigenvalues below ``m r^2 / 5`` of a steel ball of the same mass are raised
    to this value. The result is the nearest one in the Frobenius norm of S, with
    ``I = tr(S) 1 - S`` (Wensing, Kim, Slotine, Linear matrix inequalities for physically
    consistent inertial parameter identification, RA-L 2018, eq. 13).
    """
    moments = 0.5 * (inertial.inertia + inertial.inertia.T)
    second = 0.5 * np.trace(moments) * np.eye(3) - moments
    values, axes = np.linalg.eigh(second)
    radius = (0.75 * inertial.mass / (math.pi * STEEL)) ** (1.0 / 3.0)
    second = axes @ np.diag(np.maximum(values, 0.2 * inertial.mass * radius**2)) @ axes.T
    repaired: Floats = np.trace(second) * np.eye(3) - second
    return Inertial(inertial.mass, inertial.com, 0.5 * (repaired + repaired.T))


def repaired(top: Element, path: Path) -> tuple[Urdf, str, list[Finding]]:
    """Return a URDF with repaired mass properties, its text, and a finding per repair.

    - Inertias without a mass are removed.
    - Inertias that ``check_masses`` rejects become the nearest possible ones.
    - Joints that move no mass are welded.

    Args:
        top: the URDF's element; changed in place, meshes get absolute names.
        path: the file; meshes are relative to it.

    Raises:
        RobotError: if the URDF is malformed in another way.
    """
    found = _without_mass(top)
    with_absolute_files(top, path)
    urdf = read_again(top, path)
    links = {node.get("name"): node for node in top.findall("link")}
    root_moves = urdf.root != "world"
    for odd in odd_inertias(urdf, urdf.movable, root_moves=root_moves):
        before = urdf.links[odd.link].inertial
        if not odd.allowed and before is not None:
            after = nearest_inertia(before)
            _write(links[odd.link], after)
            said = f"{odd.problem}; repaired to {_moments(after)}"
            found.append(Finding("warning", f'link "{odd.link}"', said))
    welded = {joint.name: joint.child for joint in massless_joints(urdf)}
    for node in top.findall("joint"):
        if node.get("name") in welded:
            node.set("type", "fixed")
            said = f'moves link "{welded[node.get("name", "")]}" without mass: welded'
            found.append(Finding("warning", f'joint "{node.get("name")}"', said))
    return read_again(top, path), ElementTree.tostring(top, encoding="unicode") + "\n", found


def with_absolute_files(top: Element, path: Path) -> None:
    """Make the mesh and image paths of a URDF absolute, so that it can be read elsewhere.

    Args:
        top: its top element.
        path: the file; meshes and images are relative to it.
    """
    for tag in ("mesh", "texture"):
        for node in top.iter(tag):
            file = find_mesh(node.get("filename", ""), path) if node.get("filename") else None
            if file is not None:
                node.set("filename", str(file.resolve()))


def read_again(top: Element, path: Path) -> Urdf:
    """Return the checked tree of a URDF in memory, as if it were the file at ``path``.

    Raises:
        RobotError: if it is malformed; names ``path``.
    """
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / f"{path.stem}.urdf"
        file.write_text(ElementTree.tostring(top, encoding="unicode"), encoding="utf-8")
        try:
            return replace(read_urdf(file), path=path)
        except RobotError as error:
            raise RobotError(str(error).replace(str(file), str(path))) from error


def _without_mass(top: Element) -> list[Finding]:
    found = []
    for link in top.findall("link"):
        inertial = link.find("inertial")
        mass = inertial.find("mass") if inertial is not None else None
        if inertial is None or mass is None or mass.get("value", "").strip(" 0.+-") != "":
            continue
        if inertial.find("inertia") is not None:
            link.remove(inertial)
            said = "has an inertia but no mass: inertia removed"
            found.append(Finding("warning", f'link "{link.get("name")}"', said))
    return found


def _write(link: Element, inertial: Inertial) -> None:
    node = link.find("inertial")
    if node is not None:
        link.remove(node)
    add_inertial(link, inertial)


def _moments(inertial: Inertial) -> str:
    small, middle, large = np.linalg.eigvalsh(inertial.inertia)
    return f"{small:.4g}, {middle:.4g}, {large:.4g} kg m^2"
