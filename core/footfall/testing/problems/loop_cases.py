"""A mechanism with closed loops, by equality rows and by a choice of coordinates."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from footfall.problem.arrays import BlockKind
from footfall.testing.problems.case import PER_BLOCK, Case
from footfall.testing.problems.cases import chain


def loops(seed: int) -> Case:
    """Return contacts of a mechanism with two closed loops, whose equality rows are redundant.

    The loops are closed at the start (their rows have no velocity), and the second repeats rows of
    the first, as planar loops in space do.
    """
    base, rng = chain(seed, contacts=4), np.random.default_rng(seed)
    E = rng.normal(size=(3, len(base.v))) / np.sqrt(len(base.v))
    first, second = E, np.vstack([E[0] + 0.5 * E[2], E[1]])
    v = base.v - np.linalg.pinv(E) @ (E @ base.v)
    kinds = (BlockKind.EQUALITY, *base.kinds[:3], BlockKind.EQUALITY, BlockKind.CONE)
    given: dict[str, Any] = {}
    for name in PER_BLOCK:
        values = getattr(base, name)
        given[name] = np.zeros((len(kinds), *values.shape[1:]))
        given[name][[1, 2, 3, 5]] = values
    return replace(
        base,
        name=f"loops {seed}",
        J=np.vstack([first, base.J[:9], second, base.J[9:]]),
        v=v,
        v_free=v + base.v_free - base.v,
        kinds=kinds,
        sizes=(3, 3, 3, 3, 2, 3),
        **given,
    )


def loops_in_coordinates(seed: int) -> Case:
    """Return the mechanism of ``loops`` in coordinates y that cannot open them, ``v = N y``."""
    closed, contacts = loops(seed), [1, 2, 3, 5]
    N = np.linalg.svd(closed.J[:3])[2][3:].T
    J = closed.J[[*range(3, 12), *range(14, 17)]]
    M = N.T @ closed.M @ N
    return replace(
        chain(seed, contacts=4),
        name=f"{closed.name}, in coordinates",
        M=M,
        J=J @ N,
        v=N.T @ closed.v,
        v_free=np.linalg.solve(M, N.T @ closed.M @ closed.v_free),
        gap=closed.gap[contacts],
    )
