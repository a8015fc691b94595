"""Tables of addresses: a kernel takes one argument instead of 130 arrays.

Handing an array from Python to a kernel costs about 35 ns, and arrays of a world never move. A
kernel is given a table with a row an array (address and shape, int64) and opens the named tuples
that it needs from it. Field types and dimensions are read from the annotations of the tuples.
"""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from numba import types
from numba.extending import intrinsic
from numba.np.arrayobj import make_array

from footfall.jit.kernel_array import KernelArray, make

Table = npt.NDArray[np.int64]
"""Addresses and shapes of arrays, one row an array, from which kernels open named tuples."""


COLUMNS = 4
"""Address and three lengths."""


_DTYPES: dict[str, Any] = {"Floats": types.float64, "Ints": types.int64}


def array_types(kind: type[Any]) -> list[KernelArray]:
    """Return the Numba types of a named tuple's fields, from annotations such as ``Floats2``."""
    found = []
    for annotation in kind.__annotations__.values():
        name = str(getattr(annotation, "__forward_arg__", annotation))
        found.append(KernelArray(_DTYPES[name[:-1]], int(name[-1])))
    return found


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
