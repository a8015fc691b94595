"""Patches as they are drawn: tinted by their friction."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from footfall.interfaces.visualizer import GroundSurface
from footfall.terrain.patches import Patch
from footfall.typing import Floats

Color = tuple[float, float, float]
FAR = 50.0
"""How far a patch without an end is drawn, [m]."""
_SLIPPERY, _ROUGH, _PLAIN = (0.62, 0.80, 0.95), (0.84, 0.74, 0.62), (0.80, 0.86, 0.80)


def tint(patch: Patch) -> Color:
    """Return a patch's colour: from the blue of ice to the brown of sandpaper, by friction."""
    if patch.friction is None:
        return _PLAIN
    rough = min(patch.friction, 1.0)
    red, green, blue = (
        (1.0 - rough) * a + rough * b for a, b in zip(_SLIPPERY, _ROUGH, strict=True)
    )
    return red, green, blue


def corners(patch: Patch) -> Floats:
    """Return the corners of a patch seen from above, counter-clockwise, shape (4, 2), [m]."""
    (x0, x1), (y0, y1) = (side or (-FAR, FAR) for side in (patch.x, patch.y))
    return np.array([(x0, y0), (x1, y0), (x1, y1), (x0, y1)])


def plane_patches(
    patches: Iterable[Patch], normal: Floats, offset: float
) -> tuple[GroundSurface, ...]:
    """Return the patches of a plane; a vertical plane's cannot be drawn and are left out."""
    if abs(normal[2]) < 1e-6:
        return ()
    found = []
    for patch in patches:
        xy = corners(patch)
        z = (offset - xy @ normal[:2]) / normal[2]
        faces = np.array([(0, 1, 2), (0, 2, 3)])[:, :: 1 if normal[2] > 0.0 else -1]
        lines = np.array([(0, 1), (1, 2), (2, 3), (3, 0)])
        found.append(GroundSurface(np.column_stack([xy, z]), faces, lines, tint(patch)))
    return tuple(found)
