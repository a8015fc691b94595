"""Arrays inside kernels: elements and rows, without a look for negative indices."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest
from numba import njit
from numba.core.errors import TypingError

from footfall.jit.frames import read_fields
from footfall.jit.tables import opener, table_of
from footfall.typing import Floats1, Floats2, Floats3, Ints1


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


def rows(table):
    a = opened(table)
    row, layer, pencil = a.plane[1], a.box[1], a.box[1, 2]
    row[0] = 50.0
    layer[0, 1] = 60.0
    return row[1], layer[2, 3], pencil[0], len(row), len(a.plane), layer.shape, a.box.shape


def test_rows_are_views():
    arrays = some()
    assert run(rows, arrays) == (5.0, 23.0, 20.0, 4, 3, (3, 4), (2, 3, 4))
    assert arrays.plane[1, 0] == 50.0
    assert arrays.box[1, 0, 1] == 60.0


def part(table):
    return opened(table).line[1:3]


def overwrite_row(table):
    opened(table).plane[1] = 0.0


def by_double(table):
    return opened(table).line[1.0]


def too_many(table):
    return opened(table).line[0, 1]


@pytest.mark.parametrize("function", [part, overwrite_row, by_double, too_many])
def test_other_indices_are_refused_when_compiling(function):
    with pytest.raises(TypingError):
        run(function, some())


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


def test_a_table_refuses_other_types():
    arrays = some()
    with pytest.raises(TypeError, match="line: float32 of 1 dimensions, expected float64"):
        table_of(arrays._replace(line=arrays.line.astype(np.float32)))
    with pytest.raises(TypeError, match="C-contiguous"):
        table_of(arrays._replace(line=np.arange(12.0)[::2]))


def test_numpys_array_objects_are_read_as_numpy_describes_them():
    whole = np.arange(24.0).reshape(2, 3, 4)
    for array in (whole, whole[:, ::2], whole.T, whole[1, 2], np.zeros((0, 3)), np.arange(5)):
        assert read_fields(array) == (array.ctypes.data, array.shape, array.strides)
