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

from footfall.jit.compiling import (
    bind as bind,
    by_type as by_type,
    inner as inner,
    kernel as kernel,
    routine as routine,
)
from footfall.jit.stages import call as call, stage_of as stage_of
from footfall.jit.tables import (
    Table as Table,
    opener as opener,
    point_at as point_at,
    table_of as table_of,
)
from footfall.world.arrays import (
    dynamics as dynamics,
    joints as joints,
    problem as problem,
    sides as sides,
    topology as topology,
)
