"""Compiled inner loops: decorators, binding, tables of arrays."""

from __future__ import annotations

from footfall.jit.compiling import bind, by_type, inner, kernel, routine
from footfall.jit.tables import Table, opener, table_of

__all__ = [
    "Table",
    "bind",
    "by_type",
    "inner",
    "kernel",
    "opener",
    "routine",
    "table_of",
]
