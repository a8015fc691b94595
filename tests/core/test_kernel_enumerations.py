"""Members of enumerations in kernels: the compiled code is that of literal integers."""

from __future__ import annotations

import re
import sys
from enum import IntEnum
from typing import NamedTuple

import numpy as np
import pytest
from tests.cases import each

from footfall.jit import checked
from footfall.jit.compiling import bind, inner, kernel
from footfall.jit.tables import opener, table_of
from footfall.typing import Floats1, Floats2
from footfall_llvm import compiler


class Place(IntEnum):
    """Places in a row."""

    FIRST = 1
    """The second number."""
    LAST = 3
    """The fourth."""


class Some(NamedTuple):
    """Arrays of a table."""

    line: Floats1
    plane: Floats2


ONE = 1
"""A constant that Python does not fold."""
FIRST = Place.FIRST
BOTH = Place.FIRST, Place.LAST
HERE = sys.modules[__name__]
some = opener(Some, 0)


@inner
def element(x, i=Place.LAST):
    return x[i]


@inner
def element_three(x, i=3):
    return x[i]


@inner
def choose(x, place):
    if place == Place.FIRST:
        return x[0]
    return x[2]


@inner
def choose_one(x, place):
    if place == 1:
        return x[0]
    return x[2]


def pairs():
    """Yield functions with members, and the same with literal integers."""
    yield lambda t, x: x[Place.FIRST], lambda t, x: x[1]
    yield lambda t, x: x[FIRST], lambda t, x: x[1]
    yield lambda t, x: x[HERE.Place.LAST], lambda t, x: x[3]
    yield lambda t, x: x[Place.LAST.value], lambda t, x: x[3]
    yield lambda t, x: x[BOTH[1]], lambda t, x: x[(1, 3)[1]]
    yield lambda t, x: Place.FIRST + 1, lambda t, x: ONE + 1
    yield lambda t, x: 2.5 * Place.LAST - x[0], lambda t, x: 2.5 * 3 - x[0]
    yield lambda t, x: -Place.FIRST, lambda t, x: -ONE
    yield lambda t, x: max(Place.FIRST, Place.LAST), lambda t, x: max(1, 3)
    yield lambda t, x: x[Place.FIRST : Place.LAST][1], lambda t, x: x[1:3][1]
    yield lambda t, x: some(t).line[Place.LAST], lambda t, x: some(t).line[3]
    yield (
        lambda t, x: some(t).plane[Place.FIRST, Place.LAST],
        lambda t, x: some(t).plane[1, 3],
    )
    yield lambda t, x: some(t).plane[Place.FIRST][2], lambda t, x: some(t).plane[1][2]
    yield lambda t, x: element(x, Place.FIRST), lambda t, x: element(x, 1)
    yield lambda t, x: element(x), lambda t, x: element_three(x)
    yield lambda t, x: choose(x, Place.FIRST), lambda t, x: choose_one(x, 1)
    yield lambda t, x: x[0] == Place.FIRST, lambda t, x: x[0] == 1
    yield lambda t, x: (Place.FIRST, Place.LAST), lambda t, x: (ONE, 3)
    yield counted, counted_to_three
    yield written, written_three
    yield pruned, pruned_one


def counted(t, x):
    total = 0.0
    for i in range(Place.FIRST, Place.LAST):
        total += x[i]
    return total


def counted_to_three(t, x):
    total = 0.0
    for i in range(1, 3):
        total += x[i]
    return total


def written(t, x):
    x[Place.FIRST] = Place.LAST


def written_three(t, x):
    x[1] = 3


def pruned(t, x):
    if Place.FIRST == 1:
        return x[0]
    return x.no_such_thing


def pruned_one(t, x):
    if 1 == 1:
        return x[0]
    return x.no_such_thing


def arguments():
    return table_of(Some(np.arange(6.0), np.arange(12.0).reshape(3, 4))), np.arange(6.0)


def machine_code(function):
    made = compiler.optimised(compiler.translated(kernel(function), arguments(), "same"))
    text = made.machine.emit_assembly(made.module)
    text = re.sub(r'"tests\.core[^"]*"', "name", text)
    return made.result, re.sub(r"\t\.file\t.*|\.(asciz|ascii)\t.*", "", text)


@each(("with_members", "with_integers"), list(pairs()))
def test_compiled_code_is_that_of_literal_integers(with_members, with_integers):
    assert machine_code(with_members) == machine_code(with_integers)
    given, literal = kernel(with_members)(*arguments()), kernel(with_integers)(*arguments())
    plain = checked.run(kernel(with_members), *arguments())
    assert repr(given) == repr(literal) == repr(plain)


@kernel
def take(x, place):
    return x[place]


@pytest.mark.parametrize("on", ["0", "1"])
def test_members_are_arguments_of_kernels(monkeypatch, on):
    monkeypatch.setenv("FOOTFALL_CHECKED", on)
    x = np.arange(4.0)
    assert kernel(take.function)(x, Place.LAST) == 3.0
    assert bind(take, x, Place.FIRST)() == 1.0
    assert bind(take, x, like=(0,))(Place.LAST) == 3.0


def test_members_of_other_enumerations_stay_errors():
    with pytest.raises(Exception, match="nothing_like_it"):
        kernel(lambda x: x[Place.nothing_like_it])(np.ones(4))
