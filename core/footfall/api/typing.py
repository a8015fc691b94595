"""Array types of signatures."""

from __future__ import annotations

from footfall.typing import Floats, Floats1, Floats2, Ints, Ints1, Ints2

__all__ = [
    "Floats",
    "Floats1",
    "Floats2",
    "Ints",
    "Ints1",
    "Ints2",
]
