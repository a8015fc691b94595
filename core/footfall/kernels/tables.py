"""A world's arrays as one table of addresses, so that a kernel takes one argument instead of 130.

Handing an array from Python to a kernel costs about 35 ns; the step's kernels see nearly all of a
world's arrays, which never move. Each kernel is therefore given a table with a row an array
(address and shape, int64) and opens the named tuples that it needs from it: ``topology(table)`` is
the ``Topology`` of the world. Field types and dimensions are read from the tuples' annotations.
"""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from numba import types
from numba.extending import intrinsic
from numba.np.arrayobj import make_array

from footfall.jit.kernel_array import KernelArray, make
from footfall.problem.contact_problem import ProblemArrays
from footfall.typing import Floats1, Floats2, Floats3, Ints1
from footfall.world.arrays import (
    Candidates,
    Detected,
    Dynamics,
    Ground,
    Joints,
    Monitor,
    Sides,
    StateArrays,
    Topology,
)
from footfall.world.collision_arrays import Carried, Coefficients, FoundRows
from footfall.world.joint_rows import JointRows
from footfall.world.loop_arrays import Loops
from footfall.world.push_arrays import PushArrays

Table = npt.NDArray[np.int64]
COLUMNS = 4
"""Address and three lengths."""
_DTYPES: dict[str, Any] = {"Floats": types.float64, "Ints": types.int64}


class Scratch(NamedTuple):
    """Work space of the step's kernels.

    Attributes:
        target: shape (rows,), ``W r + free velocity`` of the last answer, [m/s].
        change: shape (nv,), jump of the velocity in the seed's order of impacts.
        frame: shape (1, 3, 3), a contact frame.
        vectors: shape (8, 3).
    """

    target: Floats1
    change: Floats1
    frame: Floats3
    vectors: Floats2


KINDS: tuple[type[Any], ...] = (
    Topology,
    Joints,
    Dynamics,
    Candidates,
    Ground,
    Sides,
    ProblemArrays,
    StateArrays,
    Monitor,
    Scratch,
    Loops,
    PushArrays,
    JointRows,
    Detected,
)


def array_types(kind: type[Any]) -> list[KernelArray]:
    """Return the Numba types of a named tuple's fields, from annotations such as ``Floats2``."""
    found = []
    for annotation in kind.__annotations__.values():
        name = str(getattr(annotation, "__forward_arg__", annotation))
        found.append(KernelArray(_DTYPES[name[:-1]], int(name[-1])))
    return found


def first_row(kind: type[Any]) -> int:
    """Return the first row of a named tuple in a world's table."""
    return sum(len(k.__annotations__) for k in KINDS[: KINDS.index(kind)])


def make_table(arrays: Sequence[npt.NDArray[Any]], expected: Sequence[KernelArray]) -> Table:
    """Make the table of arrays; it keeps them alive.

    Raises:
        TypeError: if an array has another type, or is not C-contiguous.
    """
    table = np.zeros((len(arrays), COLUMNS), np.int64)
    for row, array, kind in zip(table, arrays, expected, strict=True):
        if array.dtype != np.dtype(kind.dtype.name) or array.ndim != kind.ndim:
            raise TypeError(f"{array.dtype} of {array.ndim} dimensions, expected {kind}")
        if not array.flags.c_contiguous:
            raise TypeError("an array of a kernel's table must be C-contiguous")
        row[0] = array.ctypes.data
        row[1 : 1 + array.ndim] = array.shape
    # A table holds addresses only: what they point to must live as long as it does.
    weakref.finalize(table, list.clear, list(arrays)).atexit = False
    return table


def table_of(*tuples: Any) -> Table:
    """Make the table of named tuples, one after another."""
    arrays = [array for t in tuples for array in t]
    return make_table(arrays, [kind for t in tuples for kind in array_types(type(t))])


def _open_row(context: Any, builder: Any, data: Any, row: int, kind: KernelArray) -> Any:
    """Emit code that makes an array of a table's row."""

    def entry(column: int) -> Any:
        at = context.get_constant(types.intp, row * COLUMNS + column)
        return builder.load(builder.gep(data, [at]))

    shape = [entry(1 + axis) for axis in range(kind.ndim)]
    return make(context, builder, kind, entry(0), shape)


def opener(kind: type[Any], first: int) -> Any:
    """Return a function for kernels that opens a named tuple from the table's row ``first`` on."""
    fields = array_types(kind)

    @intrinsic
    def open_tuple(typing_context: Any, table: Any) -> Any:
        result = types.NamedTuple(fields, kind)

        def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            table_array = make_array(signature.args[0])(context, builder, arguments[0])
            data = table_array.data
            values = [
                _open_row(context, builder, data, first + k, field)
                for k, field in enumerate(fields)
            ]
            return context.make_tuple(builder, signature.return_type, values)

        return result(table), codegen

    return open_tuple


topology = opener(Topology, first_row(Topology))
joints = opener(Joints, first_row(Joints))
dynamics = opener(Dynamics, first_row(Dynamics))
candidates = opener(Candidates, first_row(Candidates))
ground = opener(Ground, first_row(Ground))
sides = opener(Sides, first_row(Sides))
problem = opener(ProblemArrays, first_row(ProblemArrays))
state = opener(StateArrays, first_row(StateArrays))
monitor = opener(Monitor, first_row(Monitor))
scratch = opener(Scratch, first_row(Scratch))
loops = opener(Loops, first_row(Loops))
pushes = opener(PushArrays, first_row(PushArrays))
joint_rows = opener(JointRows, first_row(JointRows))
detected = opener(Detected, first_row(Detected))


class Evaluation(NamedTuple):
    """An engine's evaluation of one tree (see ``footfall.interfaces.engine.Tree``)."""

    M: Floats2
    h: Floats1
    S: Floats2
    pose: Floats2


evaluation = opener(Evaluation, 0)


class RateArrays(NamedTuple):
    """What continuous time adds to a world's arrays (see ``footfall.kernels.continuous.rates``).

    Attributes:
        place: shape (n,), where the entries of x are in the state's vector.
        vector: shape (all,), the state's vector.
        rate: shape (all,), rates in the same places.
        q: shape (nq,), view of the rate of q; v: shape (nv,), of the body-frame velocity.
        power: shape (3,), view of the quadratures' rates: work done on the robot by motors,
            external forces and a moving ground; loss in joint dampers; work of the contact forces
            on the velocity relative to the ground, [W].
        force: shape (rows,), the law's forces, contact frames, [N].
        load: shape (nv,), generalized force of the actuators, [N, N m].
        switching: shape (candidates, 2), the law's event functions.
        mode: shape (candidates,), 0 open, 1 stick, 2 slip.
        last: shape (candidates, 6), force at the last booking, contact frame and world frame, [N].
        total: shape (candidates, 6), integral of the same over the tick, [N s].
        last_load: shape (nv,), load at the last booking.
        total_load: shape (nv,), its integral over the tick.
    """

    place: Ints1
    vector: Floats1
    rate: Floats1
    q: Floats1
    v: Floats1
    power: Floats1
    force: Floats1
    load: Floats1
    switching: Floats2
    mode: Floats1
    last: Floats2
    total: Floats2
    last_load: Floats1
    total_load: Floats1


rates = opener(RateArrays, 0)
lone_problem = opener(ProblemArrays, 0)
"""Opens a problem from a table of its own (``ContactProblem.table``)."""

carried = opener(Carried, 0)
coefficients = opener(Coefficients, len(Carried.__annotations__))
found = opener(FoundRows, 0)
