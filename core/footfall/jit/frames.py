"""The layout of frames, on which compiled code and its callers agree.

A frame is the only argument of a kernel's C function: an address for each argument of the kernel.
Frames of calls from Python hold numbers themselves and the addresses of the fields of NumPy's array
objects, from which compiled code reads the address of the numbers, the lengths and the strides. To
ask NumPy for them from Python takes longer than the kernel's call. The layout of these objects is
public (``PyArrayObject_fields`` in ``numpy/ndarraytypes.h``, a part of NumPy's binary interface);
it is compared with an array once.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

RAISED = -(2**31)
"""Result of a kernel's C function if the kernel has raised an exception."""
LETTERS = {
    **{"f": (np.float64, "d"), "b": (np.bool_, "?7x")},
    **{"i": (np.int64, "q"), "u": (np.uint64, "Q")},
}
"""Kinds of numbers: types, and formats in frames of calls from Python (see ``struct``)."""


class ArrayFields(ctypes.Structure):
    """The fields of an array object, after the head that each object of Python's has."""

    _fields_ = (
        ("data", ctypes.c_void_p),
        ("dimensions", ctypes.c_int),
        ("lengths", ctypes.POINTER(ctypes.c_ssize_t)),
        ("strides", ctypes.POINTER(ctypes.c_ssize_t)),
    )


WORD = ctypes.sizeof(ctypes.c_void_p)
LENGTHS, STRIDES = ArrayFields.lengths.offset // WORD, ArrayFields.strides.offset // WORD
"""Places of two fields, in words; that of ``data`` is 0."""
FIELDS = object.__basicsize__
"""Bytes from an object to its fields: ``id(array) + FIELDS`` is their address."""


def address_of(array: npt.NDArray[Any]) -> int:
    """Return the address of an array's numbers: ``ctypes.data`` takes five times as long."""
    return ctypes.c_size_t.from_address(id(array) + FIELDS).value


def frame_of(cells: Sequence[npt.NDArray[Any]]) -> npt.NDArray[np.int64]:
    """Return the frame of arguments that lie in cells (see ``footfall.jit.native``)."""
    return np.array([address_of(cell) for cell in cells], np.int64)


def read_fields(array: npt.NDArray[Any]) -> tuple[int, tuple[int, ...], tuple[int, ...]]:
    """Return an array's address, lengths and strides as compiled code reads them."""
    fields = ArrayFields.from_address(id(array) + FIELDS)
    count = fields.dimensions
    return fields.data or 0, tuple(fields.lengths[:count]), tuple(fields.strides[:count])


def _check() -> None:
    """Raise ImportError if NumPy's array objects have another layout."""
    array = np.zeros((2, 3, 5))[:, ::2]
    if read_fields(array) != (array.ctypes.data, array.shape, array.strides):
        raise ImportError(
            f"NumPy {np.__version__} lays out arrays in a way that kernels cannot read"
        )


_check()
