"""Compiled inner loops: decorators, binding, tables of arrays.

* ``kernel``, ``inner``, ``routine`` mark functions: what Python calls; what only kernels call,
  inlined; the same, too large to be inlined everywhere. They are compiled when they are first
  called or bound; with ``FOOTFALL_CHECKED=1`` they run as plain Python with indices checked.
* ``by_type`` stands for several such functions, one of which is chosen when a kernel is compiled.
* ``bind`` compiles a kernel for its arguments and fixes the first ones, for calls in every step.
* ``table_of`` makes a ``Table`` of the arrays of named tuples, which Python hands to a kernel as
  one argument; ``opener`` makes the function with which a kernel gets a named tuple from it;
  ``point_at`` lets a table point to other arrays.
* ``stage_of`` gives the address of what ``bind`` returned and a frame of its arguments; a kernel
  calls it with ``call(function, frame)``. ``call.late()`` makes one that is compiled when it is
  first called: for what few runs need.
* ``topology``, ``joints``, ``dynamics``, ``sides``, ``problem`` open the arrays of a world from its
  table.
"""

from __future__ import annotations

from footfall.jit.compiling import bind, by_type, inner, kernel, routine
from footfall.jit.stages import call, stage_of
from footfall.jit.tables import Table, opener, point_at, table_of
from footfall.kernels.tables import dynamics, joints, problem, sides, topology

__all__ = [
    "Table",
    "bind",
    "by_type",
    "call",
    "dynamics",
    "inner",
    "joints",
    "kernel",
    "opener",
    "point_at",
    "problem",
    "routine",
    "sides",
    "stage_of",
    "table_of",
    "topology",
]
