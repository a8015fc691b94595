"""The layout of NumPy's array objects, which C functions of kernels read.

A frame of a call from Python holds the address of each array's fields, from which compiled code
reads the address of the numbers, the lengths and the strides. To ask NumPy for them from Python
takes longer than the kernel's call. The layout is NumPy's public one (``PyArrayObject_fields`` in
``numpy/ndarraytypes.h``, a part of its binary interface); it is compared with an array once.
"""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
import numpy.typing as npt


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
