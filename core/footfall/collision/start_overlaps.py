"""Links of one body whose shapes overlap from the start: models are often made so."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from footfall.collision.detector import Detector
from footfall.collision.filters import PairFilter
from footfall.collision.shape import CollisionShape
from footfall.typing import Floats


def start_overlaps(
    shapes: Sequence[CollisionShape], filters: PairFilter, poses: Floats, depth: float = 0.0
) -> tuple[tuple[str, str], ...]:
    """Return the pairs of shapes of one body that overlap, as names for ``PairFilter.disabled``.

    Args:
        shapes: all shapes.
        filters: which pairs are tested.
        poses: shape (links, 12), placements of the links at the start.
        depth: penetration from which two shapes overlap, [m].

    Raises:
        SceneError: if a filter names what does not exist.
    """
    detector = Detector(shapes, filters, margin=0.0, max_points_per_pair=1)
    found = detector.detect(poses)
    deep = found.gap < -depth
    pairs = np.unique(np.column_stack([found.shape_a[deep], found.shape_b[deep]]), axis=0)
    named = [(detector.shapes[a], detector.shapes[b]) for a, b in pairs]
    return tuple((a.name, b.name) for a, b in named if a.body == b.body)


def without_start_overlaps(
    shapes: Sequence[CollisionShape], filters: PairFilter, poses: Floats, depth: float = 0.0
) -> PairFilter:
    """Return the filter with the pairs of ``start_overlaps`` switched off, too."""
    if not filters.self_collision:
        return filters
    overlapping = start_overlaps(shapes, filters, poses, depth)
    return replace(filters, disabled=(*filters.disabled, *overlapping))
