"""What kernels may contain: compiled, they give what Python gives."""

from __future__ import annotations

import importlib
import math
import random
import re
from typing import NamedTuple

import numpy as np
import pytest
from tests.cases import each

from footfall.errors import KernelError
from footfall.jit import checked
from footfall.jit.compiling import bind, by_type, inner, kernel, routine


class Pair(NamedTuple):
    """Two numbers with names."""

    left: float
    right: float = 2.5


class Double(NamedTuple):
    """Stands for a function."""


class Half(NamedTuple):
    """Stands for another."""


@inner
def square(x):
    return x * x


@routine
def length(x, y=4.0):
    return math.sqrt(square(x) + square(y))


@routine
def divided(a, b):
    if b > 0:
        return a // b, a % b
    elif b < 0:
        return a / b, -a % -b
    return 0.0, 1


@inner
def last(*values):
    return values[-1]


@routine
def ordered(a, b):
    return (a, b) if a < b else (b, a)


@inner
def twice(x):
    return 2.0 * x


@inner
def halved(x):
    return 0.5 * x


scaled = by_type({Double: twice, Half: halved})
DOUBLE, WEIGHTS, ADDED = Double(), (1.0, 2.0, 3), frozenset({1})


@inner
def applied(function, x):
    return function(x)


EXPRESSIONS = [
    lambda a, b, i, j: a + b * i - j / 3 + a / (b + 7.0),
    lambda a, b, i, j: i // (j or 1) + i % (j or 1) + -i // 3 + -i % 3 + i // -3 + i % -3,
    lambda a, b, i, j: a // 0.7 + a % 0.7 + -a // 0.7 + -a % 0.7 + a % -0.7 + a // -0.7,
    lambda a, b, i, j: a**2 + b**3 + (abs(a) + 1.0) ** -2 + i**3 + 2**5 + abs(a) ** 0.3 + i**0,
    lambda a, b, i, j: (i & 6 | 9 ^ j) + (i << 2) + (i >> 1) + ~i,
    lambda a, b, i, j: (a < b) + (a <= b <= 2.0 * b) + (i == j != 3) + (i < a) + (not i),
    lambda a, b, i, j: (a > 0.0 and b > 0.0) or (i > j and not (a < b or i == 2)),
    lambda a, b, i, j: i and j,
    lambda a, b, i, j: a if a > b else b if i > j else i,
    lambda a, b, i, j: max(a, b, i) + min(a, b) - min(i, j) + max((a, b)) + abs(i) + abs(a),
    lambda a, b, i, j: min(a, math.nan) if i else max(math.nan, b) if j > 1 else 0.0,
    lambda a, b, i, j: math.sin(a) + math.cos(b) + math.atan2(a, b) + math.hypot(a, b),
    lambda a, b, i, j: math.exp(-abs(a)) + math.log(abs(b) + 1.0) + math.tanh(a) + math.expm1(b),
    lambda a, b, i, j: math.floor(a) + math.ceil(b) + int(a) + float(i) + bool(j) + math.trunc(b),
    lambda a, b, i, j: math.isnan(a) + math.isfinite(b) + math.isinf(a) + math.copysign(1.0, b),
    lambda a, b, i, j: math.pi * math.inf if a > math.inf else -math.inf,
    lambda a, b, i, j: length(a, b) + length(a) + length(y=a, x=b) + last(i, j, a),
    lambda a, b, i, j: divided(i, j),
    lambda a, b, i, j: (a, b, a)[i % 3] + (1, 2, 3)[-1] + sum((i, j)) + len((a, b)),
    lambda a, b, i, j: Pair(a).right + Pair(right=a, left=b).left + Pair(a, b)[0],
    lambda a, b, i, j: ordered(*ordered(a, i))[0],
    lambda a, b, i, j: scaled(DOUBLE, a) + WEIGHTS[2] * b + applied(square, a),
    lambda a, b, i, j: (i in (1, 2)) + (j not in (0, 3)) + ((i, j) == (1, 2)) + ((a, i) != (b, j)),
    lambda a, b, i, j: (1, *(a, b), i)[2] + (WEIGHTS + (b, i))[3],  # noqa: RUF005
    lambda a, b, i, j: True if None is None else a.nothing_like_it,
    lambda a, b, i, j: -(0.0 - a) + +b - (-i),
    lambda a, b, i, j: math.pow(abs(a), b) + math.fmod(a, 0.7) + math.fabs(b) + math.log10(2.0),
]


@each("expression", EXPRESSIONS)
def test_expressions_give_what_python_gives(expression):
    compiled, chance = kernel(expression), random.Random(1)
    for _ in range(60):
        given = chance.uniform(-3, 3), chance.uniform(-3, 3), chance.randint(-4, 9)
        given = (*given, chance.randint(-4, 9))
        try:
            expected = expression(*given)
        except TypeError:  # it calls functions that are for kernels only
            expected = checked.run(compiled, *given)
        assert compiled(*given) == pytest.approx(expected, rel=1e-14, nan_ok=True)


def loops(a, n):
    total, count = 0, 0
    for i in range(n):
        if i == 3:
            continue
        for j in range(i, -1, -2):
            if a[j] > 4.0:
                break
            total += a[j] * j
            count += 1
    for k in range(2, n, 3):
        total -= k
    i = 0
    while i < n and a[i] < 3.5:
        i += 1
    while True:
        count += 1
        if count > 100:
            break
    for weight in WEIGHTS:
        if weight == 2.0:
            continue
        total += weight
    for low, high in ((0, 1), (1, 2)):
        total += a[low] - a[high]
        if total > 1e9:
            break
    step = 1 if n > 2 else -1
    for k in range(n, 2 * n, step):
        total += k
    return total, count, i


def returns_from_a_loop(a, n):
    best = 0
    while True:
        for i in range(n):
            if a[i] > 2.0:
                return a[i], i
            best = i
        if best >= 0:
            return best, n


def reuses_names(a, n):
    x = y = 0
    x, y = y + 1, x + n
    x = x + 0.5
    a[0], a[1] = a[1], a[0]
    a[2] += 1
    a[3] *= 2.0
    z: float = a[0]
    del n
    assert x > 0.0
    return x, y, z


def falls_through(a, n):
    if n > 100:
        return
    if n > 2:
        a[0] = 7.0
    elif n > 1:
        a[0] = 8.0
    else:
        pass


@pytest.mark.parametrize("function", [loops, returns_from_a_loop, reuses_names, falls_through])
@pytest.mark.parametrize("n", [0, 1, 2, 5, 8])
def test_statements_do_what_python_does(function, n):
    given, expected = np.arange(8.0) - 1.0, np.arange(8.0) - 1.0
    assert kernel(function)(given, n) == function(expected, n)
    assert np.array_equal(given, expected)


def test_integers_wrap_around_and_nothing_is_divided_by_zero():
    wrapped = kernel(lambda i: (i * i, i // 0, i % 0))
    assert wrapped(2**40) == (0, 0, 0)
    floats = kernel(lambda x: (x / 0.0, -x / 0.0, 0.0 * (x / 0.0)))
    low, high, none = floats(1.0)
    assert (low, high) == (math.inf, -math.inf)
    assert math.isnan(none)


def edges(i, j, x, Flag, flag):
    return i // j, i % j, i << j, i >> j, x // 0.0, bool(Flag), bool(flag), 1 << 64


def test_integers_at_their_bounds_and_names_that_differ_in_case():
    low, compiled = -(2**63), kernel(edges)
    assert compiled(low, -1, 1.0, True, False) == (low, 0, 0, -1, math.inf, True, False, 0)
    assert compiled(low, 64, -1.0, False, True) == (-(2**57), 0, 0, -1, -math.inf, False, True, 0)
    assert compiled(7, 0, 1.0, 0, 0)[:4] == (0, 0, 7, 7)
    assert kernel(lambda i: i // -1)(low) == low


def test_unsigned_integers_are_returned_whole():
    assert kernel(lambda x: abs(x[0]))(np.array([2**63 + 5], np.uint64)) == 2**63 + 5


def test_parts_of_arrays_end_where_python_ends_them():
    x = np.arange(5.0)
    for i, j in ((0, 100), (2, 1), (7, 9), (1, 4)):
        assert kernel(lambda x, i, j: len(x[i:j]))(x, i, j) == len(x[i:j])


def chosen(c, a, b):
    p = q = r = s = a
    y = a if c else b
    z = 0.25 if c else 0.5
    p = q = r = s = z
    return y, p + q + r + s


def test_values_without_a_name_keep_their_kinds_when_a_function_is_written_again():
    assert [type(one) for one in kernel(chosen)(True, 3, 4)] == [int, float]


def test_read_only_arrays_are_read_only():
    x = np.arange(5.0)
    x.flags.writeable = False
    assert kernel(lambda x: x[1:][0] + x[2])(x) == 3.0
    with pytest.raises(KernelError, match="is read-only"):
        kernel(falls_through)(x, 3)


def mixed(bits):
    z = np.uint64(bits)
    z = (z ^ z >> np.uint64(30)) * np.uint64(13787848793156543929)
    return float(z >> np.uint64(11)) * 2.0**-53


def test_unsigned_integers_wrap_around():
    for bits in (1, 2**40 + 7, 2**62 + 12345):
        z = ((bits ^ bits >> 30) * 13787848793156543929) % 2**64
        assert kernel(mixed)(bits) == float(z >> 11) * 2.0**-53


def test_arrays_of_all_types_and_orders_are_read_and_written():
    read = kernel(lambda x: x[1, 2] + x[0][1] + len(x) + x.shape[1] + len(x[1:]) + x[1:][0, 0])
    for kind in (float, np.float32, np.int64, np.int32, np.uint8, np.uint64, bool):
        whole = np.arange(24).reshape(4, 6).astype(kind)
        for given in (whole, whole.T, whole[::2, 1::2], np.asfortranarray(whole)):
            x = given.astype(float)
            assert read(given) == x[1, 2] + x[0, 1] + len(x) + x.shape[1] + len(x) - 1 + x[1, 0]

    def write(x, value):
        x[1, 2] = value

    for kind in (float, np.float32, np.int64, np.int32, bool):
        given = np.zeros((3, 4), kind)
        kernel(write)(given, 1.0)
        assert given[1, 2] == 1
        assert given.sum() == 1


def too_many(x):
    return x[0, 1]


def by_double(x):
    return x[0.5]


def row(x):
    x[0] = 1.0
    y = x[0]
    y[0] = 2.0


def refuses(x):
    return x.nothing_like_it


def calls_what_is_no_kernel(x):
    return too_many(x)


def unknown_name(x):
    return nothing_like_it + x  # type: ignore[name-defined] # noqa: F821


def allocates(x):
    return [x[0]]


def opens(x):
    with x:
        pass


def different(x):
    y = x
    y = 1.0
    return y


def whole_then_float(x):
    i = 0
    y = x[i]
    i = 0.5
    return y + i


def unassigned(x):
    y = z + x[0]  # noqa: F821
    z = y
    return z


def returns_an_array(x):
    return x


def sometimes_returns(x):
    if x[0] > 0.0:
        return 1.0


def wrong_arguments(x):
    return length(x[0], x[1], x[2])


def unpacks(x):
    a, b = 1.0, 2.0, 3.0
    return a + b


def slices_by_two(x):
    return len(x[::2])


@kernel
def calls_itself(x):
    return calls_itself(x)


def is_true(x):
    return (len(x) > 3) is True


def too_many_numbers(x):
    return math.sqrt(x[0], x[1])


def no_numbers(x):
    return min()


def no_number(x):
    return float("text")


def by_name(x):
    return named_only(x, k=2)


def endless(x):
    for _ in range(0, len(x), 0):
        x[0] = 1.0


def truth_of_several(x):
    return 1 if SEVERAL else 2


def deletes(x):
    del x[0]


def beyond(x):
    return x[0] + 99999999999999999999


def read_through_a_variable(x):
    constants = math
    return constants.pi


@inner
def named_only(x, *values, k=1):
    return k


SEVERAL = np.zeros(2)
REFUSED = {
    is_true: "compare with ==",
    too_many_numbers: "sqrt does not take a float, a float in kernels",
    no_numbers: "min does not take nothing",
    no_number: "float does not take text",
    by_name: "given by name only",
    endless: "no such range",
    truth_of_several: r"cannot do this \(ValueError: ",
    deletes: "kernels delete nothing",
    beyond: "does not fit into 64 bits",
    read_through_a_variable: "read by its name in the module",
    too_many: "read by 2 indices",
    by_double: "a float is no index",
    refuses: "has no nothing_like_it",
    calls_what_is_no_kernel: "cannot call too_many: mark it inner, routine or kernel",
    unknown_name: "nothing_like_it is not defined",
    allocates: "no List",
    opens: "no With: with x:",
    different: "cannot be the same variable",
    whole_then_float: r"a float is no index \(with values of different kinds: i\)",
    unassigned: "z is read before anything is assigned to it",
    returns_an_array: "returns an array of float64",
    sometimes_returns: "a float and None cannot be the same variable",
    wrong_arguments: "arguments of a call",
    unpacks: "3 values for 2 variables",
    slices_by_two: "no step",
    calls_itself.function: "calls itself",
}


@pytest.mark.parametrize("function", REFUSED, ids=lambda one: one.__name__)
def test_what_kernels_cannot_do_is_refused_in_one_line_that_tells_the_place(function):
    refused = calls_itself if function is calls_itself.function else kernel(function)
    with pytest.raises(KernelError, match=REFUSED[function]) as error:
        bind(refused, np.ones(3))
    line = function.__code__.co_firstlineno
    place = re.search(r"test_kernel_language\.py:(\d+): (\w+): ", str(error.value))
    assert line <= int(place[1]) <= line + 4
    assert place[2] == function.__name__
    assert "\n" not in str(error.value)


def test_an_error_in_a_callee_tells_the_place_there():
    @kernel
    def caller(x):
        return broken(x)

    with pytest.raises(KernelError, match=r"\.py:\d+: broken: ") as error:
        caller(np.ones(3))
    assert str(error.value).count(".py:") == 1


@inner
def broken(x):
    return x[0] + x


def test_arguments_that_kernels_do_not_take_are_refused():
    first = kernel(lambda x: x[0])
    for given in (
        np.float32(1),
        np.ones(2, np.float16),
        (1.0, 2.0),
        "text",
        None,
        np.array(["text"]),
        np.array([1j]),
    ):
        with pytest.raises(KernelError, match="kernels take"):
            first(given)
    for given in ((), (np.ones(3), 1)):
        with pytest.raises(KernelError, match=f"{len(given)} arguments for 1"):
            bind(first, *given)


def test_a_function_without_a_file_is_refused():
    names: dict = {}
    exec("def nowhere(x):\n    return x", names)
    with pytest.raises(KernelError, match="source of nowhere cannot be read"):
        kernel(names["nowhere"])(1.0)


def test_a_source_that_has_been_edited_since_its_import_is_refused(tmp_path, monkeypatch):
    text = "from footfall.api.kernels import kernel\n\n@kernel\ndef grown(x):\n    return x + 1.0\n"
    (tmp_path / "edited_later.py").write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    imported = importlib.import_module("edited_later").grown
    (tmp_path / "edited_later.py").write_text(text.replace("x + 1.0", "x * 2.0 + 1.0"))
    with pytest.raises(KernelError, match="is not that of the imported function"):
        imported(1.0)


@routine
def positive(x):
    if x < 0.0:
        raise ValueError("negative")
    return x


@kernel
def root(x):
    return math.sqrt(positive(x)) + 1.0


def test_exceptions_leave_all_callers():
    from footfall.errors import SimulationError

    assert root(4.0) == 3.0
    with pytest.raises(SimulationError, match="root has raised what FOOTFALL_CHECKED=1 would show"):
        root(-4.0)


def test_rows_are_views():
    x = np.zeros((2, 3))
    kernel(lambda x: assign_row(x[1]))(x)
    assert x.tolist() == [[0.0, 0.0, 0.0], [0.0, 5.0, 0.0]]


@inner
def assign_row(row):
    row[1] = 5.0
    return 0


def test_plain_python_agrees(monkeypatch):
    given = np.arange(8.0)
    assert checked.run(kernel(loops), given, 5) == kernel(loops)(given, 5)
