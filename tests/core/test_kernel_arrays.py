"""Arrays of tables inside kernels: elements and rows."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest

from footfall.errors import KernelError
from footfall.jit.compiling import kernel
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
    return kernel(function)(table_of(arrays))


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
    shapes = (*layer.shape, *a.box.shape)
    return row[1], layer[2, 3], pencil[0], len(row), len(a.plane), *shapes


def test_rows_are_views():
    arrays = some()
    assert run(rows, arrays) == (5.0, 23.0, 20.0, 4, 3, 3, 4, 2, 3, 4)
    assert arrays.plane[1, 0] == 50.0
    assert arrays.box[1, 0, 1] == 60.0


def part(table):
    return opened(table).line[0:3:2][0]


def overwrite_row(table):
    opened(table).plane[1] = 0.0


def by_double(table):
    return opened(table).line[1.0]


def too_many(table):
    return opened(table).line[0, 1]


@pytest.mark.parametrize("function", [part, overwrite_row, by_double, too_many])
def test_other_indices_are_refused_when_compiling(function):
    with pytest.raises(KernelError):
        run(function, some())


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
