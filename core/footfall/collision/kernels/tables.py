"""A detector's arrays as one table of addresses; see ``footfall.kernels.tables``."""

from __future__ import annotations

from footfall.collision.kernels.arrays import Broad, FoundArrays, Geometries, Work
from footfall.kernels.tables import opener

_KINDS = (Geometries, Broad, Work, FoundArrays)
_FIRST = [sum(len(k.__annotations__) for k in _KINDS[:i]) for i in range(len(_KINDS))]

geometries = opener(Geometries, _FIRST[0])
broad = opener(Broad, _FIRST[1])
work = opener(Work, _FIRST[2])
found = opener(FoundArrays, _FIRST[3])
