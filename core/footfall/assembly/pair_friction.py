"""Whether each pair of bodies that can touch has a coefficient of friction."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from footfall.errors import SceneError
from footfall.scene.models import TERRAIN
from footfall.scene.scene import Scene

if TYPE_CHECKING:
    from footfall.collision.filters import PairFilter
    from footfall.collision.shape import CollisionShape


def check_friction(scene: Scene, shapes: Sequence[CollisionShape], filters: PairFilter) -> None:
    """Refuse pairs of bodies that can touch, and for which nothing gives a coefficient.

    Args:
        scene: the scene.
        shapes: of the bodies, and behind them of the ground.
        filters: which pairs never touch; all that they name is there.

    Raises:
        SceneError: names two bodies.
    """
    from footfall.collision.filters import excluded_codes
    from footfall.collision.shape import FIXED

    bare: dict[str, list[int]] = {}
    for k, shape in enumerate(shapes):
        if np.isnan(shape.friction):
            bare.setdefault(shape.body, []).append(k)
    moving = {s.body for s in shapes if s.link != FIXED}
    apart: set[int] | None = None
    for one, other in combinations(bare, 2):
        pair = scene.pair(one, other)
        if (pair is not None and pair.friction is not None) or moving.isdisjoint((one, other)):
            continue
        if apart is None:
            apart = set(excluded_codes(shapes, filters).tolist())
        if any(i * len(shapes) + j not in apart for i in bare[one] for j in bare[other]):
            raise _missing(scene, one, other)


def _missing(scene: Scene, one: str, other: str) -> SceneError:
    # The ground's shapes come last.
    of_other = f"bodies.{other}.friction" if other != TERRAIN else "world.terrain.friction"
    return scene.error(
        f"no coefficient of friction of {one} with {other}: give bodies.{one}.friction, "
        f'{of_other} or pairs."{one}/{other}"',
        *("bodies", one),
    )
