"""Compiled inner loops: decorators, binding, tables of arrays."""

from __future__ import annotations

from footfall.jit.compiling import bind, inner, kernel, routine
from footfall.jit.tables import Table, opener, table_of

__all__ = [
    "Table",
    "bind",
    "inner",
    "kernel",
    "opener",
    "routine",
    "table_of",
]
