"""A table knows which named tuples it holds: opening what it does not hold is an error."""

from __future__ import annotations

import gc
import weakref
from typing import NamedTuple

import numpy as np
import pytest

from footfall.api.kernels import bind, kernel, opener, table_of
from footfall.jit.tables import LayoutError, point_at
from footfall.problem.contact_problem import ContactProblem
from footfall.typing import Floats1, Ints1
from footfall_stepper.kernels import tables


class One(NamedTuple):
    """A tuple of one array."""

    x: Floats1


class Two(NamedTuple):
    """A tuple of two arrays."""

    y: Floats1
    k: Ints1


one, two, lone_two = opener(One, 0), opener(Two, 1), opener(Two, 0)


@kernel
def read_both(table):
    return one(table).x[0] + two(table).y[0]


@kernel
def read_torque(table):
    return tables.open_joints(table).tau[0]


def first():
    return One(np.array([1.0, 2.0])), Two(np.array([10.0]), np.array([3]))


def calls(function, table):
    """The ways in which Python has a kernel open a table."""
    return {"bound": lambda: bind(function, table)(), "called": lambda: function(table)}


@pytest.mark.parametrize("how", ["bound", "called"])
def test_what_a_table_holds_is_opened(how):
    assert calls(read_both, table_of(*first()))[how]() == 11.0


@pytest.mark.parametrize("how", ["bound", "called"])
@pytest.mark.parametrize(
    ("tuples", "message"),
    [
        (first()[:1], "a kernel opens Two from a table that holds One"),
        (first()[::-1], r"a kernel opens One \(from row 0\) from a table that holds Two, One"),
    ],
    ids=["missing", "elsewhere"],
)
def test_what_a_table_does_not_hold_is_refused(tuples, message, how):
    with pytest.raises(LayoutError, match=f"^{message}$"):
        calls(read_both, table_of(*tuples))[how]()


@pytest.mark.parametrize("how", ["bound", "called"])
def test_a_worlds_tuple_is_not_opened_from_a_problems_own_table(how):
    problem = ContactProblem.from_dense(np.eye(3), np.zeros(3), np.ones(1))
    with pytest.raises(
        LayoutError, match=r"^a kernel opens Joints from a table that holds Problem"
    ):
        calls(read_torque, problem.table)[how]()


def test_addresses_without_a_layout_are_refused():
    with pytest.raises(LayoutError, match="what is no table"):
        read_both(np.zeros((3, 4), np.int64))


def test_tuples_of_one_name_and_other_fields_have_other_layouts():
    class Grown(NamedTuple):
        x: Floats1
        y: Floats1

    Grown.__qualname__ = One.__qualname__
    assert table_of(Grown(np.zeros(1), np.zeros(1))).dtype != table_of(One(np.zeros(1))).dtype


def test_a_table_keeps_its_arrays_and_lets_go_of_them():
    array = np.ones(3)
    gone = weakref.ref(array)
    table = table_of(One(array))
    del array
    gc.collect()
    assert gone() is not None
    del table
    gc.collect()
    assert gone() is None


def test_what_is_bound_to_a_table_finds_arrays_that_have_moved():
    table = table_of(*first())
    bound = bind(read_both, table)
    point_at(table, table_of(One(np.array([5.0])), Two(np.array([7.0]), np.array([1]))))
    gc.collect()
    assert bound() == 12.0
    assert one(table).x[0] == 5.0  # in plain Python as well


def test_fields_without_a_dimension_are_refused():
    class Vague(NamedTuple):
        x: np.ndarray

    with pytest.raises(TypeError, match=r"Vague\.x: .* Floats1, Floats2"):
        table_of(Vague(np.zeros(1)))
