"""Arrays inside kernels behave as arrays, but do not look for negative indices."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest
from numba import njit

from footfall.kernels.array_type import KernelArray
from footfall.kernels.table import opener, table_of
from footfall.world.arrays import Floats1, Floats2, Floats3, Ints1


class Some(NamedTuple):
    """Arrays of every kind that worlds have."""

    line: Floats1
    plane: Floats2
    box: Floats3
    whole: Ints1


opened = opener(Some, 0)


def some():
    return Some(
        np.arange(6.0),
        np.arange(12.0).reshape(3, 4),
        np.arange(24.0).reshape(2, 3, 4),
        np.array([2, 0, 1]),
    )


def run(function, arrays):
    return njit(_nrt=False)(function)(table_of(arrays))


def read(table):
    a = opened(table)
    i = a.whole[0]
    return a.line[i], a.plane[i, 1], a.box[1, i, 3], a.whole[i]


def test_elements_are_read():
    assert run(read, some()) == (2.0, 9.0, 23.0, 1)


def write(table):
    a = opened(table)
    i = a.whole[0]
    a.line[i] = -1.0
    a.plane[i, 1] = 7  # a whole number into doubles
    a.box[1, i, 3] += 100.0
    a.whole[i] = 5


def test_elements_are_written():
    arrays, expected = some(), some()
    run(write, arrays)
    expected.line[2] = -1.0
    expected.plane[2, 1] = 7.0
    expected.box[1, 2, 3] += 100.0
    expected.whole[2] = 5
    for array, other in zip(arrays, expected, strict=True):
        assert np.array_equal(array, other)


def views(table):
    a = opened(table)
    row, part, column = a.plane[1], a.line[2:5], a.plane[:, 3]
    row[0] = 50.0
    part[:] = 8.0
    column[2] = 60.0
    a.box[0] = 0.0
    return row[1], part[2], len(part), len(a.plane), a.plane.shape[1], column[0]


def test_rows_and_slices_are_views():
    arrays = some()
    assert run(views, arrays) == (5.0, 8.0, 3, 3, 4, 3.0)
    assert arrays.plane[1, 0] == 50.0
    assert arrays.plane[2, 3] == 60.0
    assert np.array_equal(arrays.line, [0.0, 1.0, 8.0, 8.0, 8.0, 5.0])
    assert not arrays.box[0].any()
    assert arrays.box[1].all()


def iterate(table):
    total = 0
    for i in opened(table).whole:
        total = 10 * total + i
    return total


def test_arrays_can_be_iterated():
    assert run(iterate, some()) == 201


def test_only_kernel_arrays_leave_negative_indices_out():
    def element(table, i):
        return opened(table).line[i]

    def ordinary(x, i):
        return x[i]

    compiled, usual = njit(element), njit(ordinary)
    arrays = some()
    assert compiled(table_of(arrays), 3) == usual(arrays.line, 3) == 3.0
    assert usual(arrays.line, -1) == 5.0
    (mine,), (theirs,) = (f.inspect_llvm().values() for f in (compiled, usual))
    assert " select " in theirs
    assert " select " not in mine


def test_the_type_of_a_view_is_a_kernel_array():
    from numba import float64

    assert KernelArray(float64, 2).copy(ndim=1) == KernelArray(float64, 1)
    assert KernelArray(float64, 1) != KernelArray(float64, 1, "A")


def test_a_table_refuses_other_types():
    arrays = some()
    with pytest.raises(TypeError, match="expected KernelArray"):
        table_of(arrays._replace(line=arrays.line.astype(np.float32)))
    with pytest.raises(TypeError, match="C-contiguous"):
        table_of(arrays._replace(line=np.arange(12.0)[::2]))
