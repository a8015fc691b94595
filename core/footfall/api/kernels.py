"""Compiled inner loops: decorators, binding, tables of arrays.

* ``kernel`` marks a function that Python calls; ``inner`` one that only kernels call, inlined;
  ``routine`` one that only kernels call and that is too large to be inlined everywhere. They are
  compiled at the first call or binding. With ``FOOTFALL_CHECKED=1`` they run as plain Python with
  checked indices, with ``FOOTFALL_CHECKED=compiled`` they are compiled with checked indices.
* ``by_type`` groups several such functions; one is chosen when a kernel is compiled.
* ``bind`` compiles a kernel for its arguments and fixes the first ones, for calls in every step.
* ``table_of`` builds a ``Table`` of the arrays of named tuples; Python passes it to a kernel as one
  argument. ``opener`` builds a function that gets a named tuple from it in a kernel. ``point_at``
  lets a table point to other arrays.
* ``stage_of`` returns the address of a bound kernel and a frame of its arguments; a kernel calls it
  with ``call(function, frame)``. ``call.late()`` makes one that is compiled at its first call, for
  stages that few runs need.
* ``open_topology``, ``open_joints``, ``open_dynamics``, ``open_sides``, ``open_problem`` open the
  arrays of a world from its table.
"""

from __future__ import annotations

from footfall.jit.compiling import (
    bind as bind,
    inner as inner,
    kernel as kernel,
    routine as routine,
)
from footfall.jit.stages import call as call
from footfall.jit.tables import (
    Table as Table,
    opener as opener,
    table_of as table_of,
)
from footfall.world.arrays import (
    open_dynamics as open_dynamics,
    open_joints as open_joints,
    open_problem as open_problem,
    open_sides as open_sides,
    open_topology as open_topology,
)
