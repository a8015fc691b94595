"""Volume, centre of mass and inertia of uniform solids that triangles enclose."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from footfall.errors import RobotError
from footfall.geometry.shapes import TriangleMesh
from footfall.geometry.triangles import is_closed
from footfall.typing import Floats


@dataclass(frozen=True, slots=True, eq=False)
class Solid:
    """A uniform solid of density 1.

    Attributes:
        volume: [m^3].
        com: shape (3,), centre of mass, [m].
        inertia: shape (3, 3), about the centre of mass, for a density of 1 kg/m^3, [m^5].
    """

    volume: float
    com: Floats
    inertia: Floats


def solid_of(mesh: TriangleMesh, name: str) -> Solid:
    """Return the solid inside a closed mesh.

    The tetrahedra from the origin over each triangle are summed with their signs: with corners
    a, b, c, ``V = det(a, b, c) / 6``, first moment ``V (a + b + c) / 4``, second moment
    ``V / 20 (a a' + b b' + c c' + s s')`` with ``s = a + b + c`` (Tonon, Explicit exact formulas
    for the 3-D tetrahedron inertia tensor, J. Math. Stat. 1, 2005).

    Args:
        mesh: closed, its triangles counter-clockwise seen from outside.
        name: what it is, for errors.

    Raises:
        RobotError: if it is not closed, or encloses no volume (is inside out).
    """
    if not is_closed(mesh):
        raise RobotError(f"{name}: mesh is not closed: it has no volume")
    corners = mesh.vertices[mesh.triangles]
    volumes = np.linalg.det(corners) / 6.0
    total, sums = float(volumes.sum()), corners.sum(axis=1)
    if total <= 0.0:
        raise RobotError(f"{name}: mesh is inside out: its volume is {total:.3g} m^3")
    com = volumes @ sums / (4.0 * total)
    second = np.einsum("t,tki,tkj->ij", volumes, corners, corners)
    second += np.einsum("t,ti,tj->ij", volumes, sums, sums)
    about_com = second / 20.0 - total * np.outer(com, com)
    inertia = np.trace(about_com) * np.eye(3) - about_com
    return Solid(total, com, 0.5 * (inertia + inertia.T))
