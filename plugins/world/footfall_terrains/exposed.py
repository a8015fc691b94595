"""The surface of a union of axis-aligned boxes, as rectangles."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from footfall.api.plugin import Floats, Ints

CLOSE = 1e-9
"""Distance below which two boxes touch, [m]."""


def exposed_faces(boxes: Floats) -> tuple[Floats, Ints, Floats, Ints]:
    """Return the rectangles that bound a union of boxes.

    Every face is cut along the sides of the boxes that meet it. Parts covered by another box are
    left out. The rest is joined again to larger rectangles.

    Args:
        boxes: shape (n, 6), lower and upper corner; may be infinite.

    Returns:
        Rectangles (m, 6), lower and upper corner; the axis (m,) normal to each; the
        direction out of the union along it (m,), +1 or -1; the box (m,) that each belongs to.
    """
    found: list[tuple[Floats, int, float, int]] = []
    for number, box in enumerate(boxes):
        for axis in range(3):
            for side in (-1.0, 1.0):
                level = box[axis + (3 if side > 0.0 else 0)]
                if np.isfinite(level):
                    for rectangle in _face(boxes, number, axis, side, float(level)):
                        found.append((rectangle, axis, side, number))
    return (
        np.array([f[0] for f in found]).reshape(-1, 6),
        np.array([f[1] for f in found], np.int64),
        np.array([f[2] for f in found], float),
        np.array([f[3] for f in found], np.int64),
    )


def _face(boxes: Floats, number: int, axis: int, side: float, level: float) -> Iterator[Floats]:
    """Yield the exposed rectangles of one face of a box."""
    one, two = (k for k in range(3) if k != axis)
    box, others = boxes[number], np.delete(boxes, number, axis=0)
    probe = level + side * CLOSE
    meets = others[(others[:, axis] < probe) & (probe < others[:, axis + 3])]
    cuts = [_cuts(box, meets, k) for k in (one, two)]
    middles = [_middles(c) for c in cuts]
    bare = np.ones((len(middles[0]), len(middles[1])), bool)
    for other in meets:
        covers = [
            (other[k] < m) & (m < other[k + 3]) for k, m in zip((one, two), middles, strict=True)
        ]
        bare &= ~np.logical_and.outer(*covers)
    for i0, i1, j0, j1 in _joined(bare):
        rectangle = np.empty(6)
        rectangle[[axis, axis + 3]] = level
        rectangle[[one, one + 3]] = cuts[0][[i0, i1]]
        rectangle[[two, two + 3]] = cuts[1][[j0, j1]]
        yield rectangle


def _cuts(box: Floats, others: Floats, axis: int) -> Floats:
    """Return the cuts of a face along an axis: its own ends, and those of boxes on it."""
    low, high = box[axis], box[axis + 3]
    inside = others[:, [axis, axis + 3]].ravel()
    inside = inside[(inside > low + CLOSE) & (inside < high - CLOSE)]
    return np.unique(np.concatenate([[low], inside, [high]]))


def _middles(cuts: Floats) -> Floats:
    """Return points between neighbouring cuts; the outermost cuts may be infinite."""
    low, high = cuts[:-1].copy(), cuts[1:].copy()
    low[np.isinf(low)] = np.minimum(high[np.isinf(low)], 0.0) - 1.0
    high[np.isinf(high)] = np.maximum(low[np.isinf(high)], 0.0) + 1.0
    return 0.5 * (low + high)


def _joined(bare: npt.NDArray[np.bool_]) -> Iterator[tuple[int, int, int, int]]:
    """Yield rectangles of cells (i from, i to, j from, j to) that cover a pattern."""
    left = bare.copy()
    for i, j in np.argwhere(bare):
        if not left[i, j]:
            continue
        j1 = int(j)
        while j1 < left.shape[1] and left[i, j1]:
            j1 += 1
        i1 = int(i)
        while i1 < left.shape[0] and left[i1, j:j1].all():
            i1 += 1
        left[i:i1, j:j1] = False
        yield int(i), i1, int(j), j1
