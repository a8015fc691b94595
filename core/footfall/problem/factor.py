"""The factor of the Delassus matrix that a world's step leaves behind, for laws that can use it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from footfall.typing import Floats1, Ints1, Ints2

if TYPE_CHECKING:
    pass


class Factor(NamedTuple):
    """``W = Z Z'``, with as many columns as the bodies have velocities: W may have far more rows.

    Every block pushes one or two links, and has for each a piece of Z: three rows (of a block of
    one row, the first counts), on the velocities that the link's *span* names. Pieces of the first
    link count negatively. Without a factor all arrays are empty.

    Attributes:
        link: shape (blocks, 2), the links that a block pushes; -1 for none.
        start: shape (blocks, 2), where the piece begins in ``Z``.
        Z: flat, three numbers a velocity: the block's rows of ``J L^-1 D^-1/2``, [kg^-1/2].
        span_start: shape (links + 1,), where a link's span begins in ``span``.
        span: velocities within the link's tree, ascending.
        link_tree: shape (links,), tree of a link.
        tree_v: shape (trees + 1,), first velocity of each tree.
    """

    link: Ints2
    start: Ints2
    Z: Floats1
    span_start: Ints1
    span: Ints1
    link_tree: Ints1
    tree_v: Ints1


def no_factor() -> Factor:
    """Return what stands for no factor: laws look for one in W itself."""
    pair, none = np.zeros((0, 2), np.int64), np.zeros(0, np.int64)
    return Factor(pair, pair.copy(), np.zeros(0), none, none.copy(), none.copy(), none.copy())
