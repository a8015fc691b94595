"""Warnings of meshes that touch as their convex hulls."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from footfall.errors import RobotWarning

FEW = 3
"""Number of meshes up to which each has a line of its own; above it, so many are named in one."""


@contextmanager
def hulls_told_together() -> Iterator[None]:
    """Merge the hull warnings raised inside; other warnings are passed on unchanged."""
    from footfall.geometry.convex_hull import HullWarning

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", HullWarning)
        yield
    hulls: dict[str, HullWarning] = {}
    for one in caught:
        if isinstance(one.message, HullWarning):
            hulls.setdefault(one.message.mesh, one.message)
        else:
            warnings.warn_explicit(one.message, one.category, one.filename, one.lineno)
    told = list(hulls.values())
    if len(told) <= FEW:
        for message in told:
            warnings.warn(message, stacklevel=2)
        return
    named = ", ".join(f"{Path(one.mesh).name} is {one.fault}" for one in told[:FEW])
    warnings.warn(
        f"{len(told)} meshes are not closed or not convex: their convex hulls are used for "
        f"collisions ({named}, ...)",
        RobotWarning,
        stacklevel=2,
    )
