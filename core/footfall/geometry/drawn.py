"""Shapes as they are drawn, and as robot files give them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Shape:
    """A drawable shape in its own frame.

    Attributes:
        kind: ``box``, ``sphere``, ``cylinder`` or ``capsule`` (axis z), ``mesh``, ``hull`` (the
            convex hull of a mesh), or ``heightfield`` (heights on a grid about the origin).
        size: box: full lengths x, y, z; sphere: radius; cylinder and capsule: radius, length
            (of the straight part), [m]; mesh and hull: scale x, y, z; heightfield: lengths x and y
            and the height of a unit, [m].
        mesh: path of the mesh file (STL, OBJ or DAE), for ``mesh`` and ``hull``; of the heights
            (NPY, CSV or PNG), for ``heightfield``.
    """

    kind: str
    size: tuple[float, ...]
    mesh: str | None = None
