"""Functions of Python, ``math`` and NumPy that kernels call, and four numbers at once."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from footfall.errors import KernelError
from footfall.jit import checked, four, stages
from footfall.jit.frames import RAISED
from footfall_llvm.arithmetic import Arithmetic
from footfall_llvm.arrays import Arrays
from footfall_llvm.values import (
    BOOLEAN,
    FLOAT,
    FOUR,
    INTEGER,
    NOTHING,
    UNSIGNED,
    Array,
    Number,
    Value,
    float_text,
    items,
    joined,
    known,
)

Writer = Callable[..., Value]
_FLOATS = np.dtype(np.float64)


def _floats(writer: Arithmetic, name: str, given: tuple[Value, ...]) -> list[str]:
    count = range(2 if name in ("copysign", "pow") else EXTERNALS.get(name, 1))
    return [_float(writer, value) for value, _ in zip(given, count, strict=True)]


def _float(writer: Arithmetic, value: Value) -> str:
    return writer.cast(value, FLOAT).parts[0]


def _intrinsic(name: str) -> Writer:
    """Return the writer of one of LLVM's own functions of floats."""

    def write(writer: Arithmetic, *given: Value) -> Value:
        return Value(FLOAT, (writer.intrinsic(name, *_floats(writer, name, given)),))

    return write


def _external(name: str) -> Writer:
    """Return the writer of a function of the C library."""

    def write(writer: Arithmetic, *given: Value) -> Value:
        typed = ", ".join(f"double {part}" for part in _floats(writer, name, given))
        return Value(FLOAT, (writer.emit(f"call double @{name}({typed})"),))

    return write


def _rounded(name: str) -> Writer:
    """Return the writer of a function that rounds a float to an integer."""

    def write(writer: Arithmetic, value: Value) -> Value:
        if value.kind != FLOAT:
            return writer.cast(value, INTEGER)
        rounded = writer.intrinsic(name, value.parts[0])
        return writer.cast(Value(FLOAT, (rounded,)), INTEGER)

    return write


def _test(condition: str, bound: float) -> Writer:
    """Return the writer of a comparison of a float's size."""

    def write(writer: Arithmetic, value: Value) -> Value:
        size = writer.intrinsic("fabs", _float(writer, value))
        return Value(
            BOOLEAN, (writer.emit(f"fcmp {condition} double {size}, {float_text(bound)}"),)
        )

    return write


def _conversion(kind: Number) -> Writer:
    return lambda writer, value: writer.cast(value, kind)


def _extreme(how: type[ast.cmpop]) -> Writer:
    """Return the writer of ``min`` or ``max``: a later number only counts if it is beyond."""

    def write(writer: Arithmetic, *given: Value) -> Value:
        found, *others = items(given[0]) if len(given) == 1 else given
        for other in others:
            kind, best, here = writer.together(found, other)
            beyond = writer.compare(how, Value(kind, (here,)), Value(kind, (best,)))
            truth = writer.truth(beyond)
            chosen = str(truth).lower()
            found = Value(kind, (writer.select(chosen, kind.llvm, here, best),))
        return found

    return write


def _absolute(writer: Arithmetic, value: Value) -> Value:
    if value.kind == FLOAT:
        return Value(FLOAT, (writer.intrinsic("fabs", value.parts[0]),))
    if value.kind == UNSIGNED:
        return value
    whole = writer.cast(value, INTEGER)
    below = writer.emit(f"icmp slt i64 {whole.parts[0]}, 0")
    other = writer.emit(f"sub i64 0, {whole.parts[0]}")
    return Value(INTEGER, (writer.select(below, "i64", other, whole.parts[0]),))


def _length(writer: Arithmetic, value: Value) -> Value:
    if isinstance(value.kind, Array):
        return Value(INTEGER, (value.parts[1],))
    return known(len(list(items(value))))


def _truth(writer: Arithmetic, value: Value) -> Value:
    truth = writer.truth(value)
    return known(truth) if isinstance(truth, bool) else Value(BOOLEAN, (truth,))


def _number_of(writer: Arithmetic, value: Value) -> Value:
    text = getattr(value.kind, "value", None)
    return known(float(text)) if isinstance(text, str) else writer.cast(value, FLOAT)


def _total(writer: Arithmetic, value: Value) -> Value:
    found = known(0)
    for one in items(value):
        found = writer.calculate(ast.Add, found, one)
    return found


_INTRINSICS = (
    "sqrt",
    "sin",
    "cos",
    "exp",
    "exp2",
    "log",
    "log2",
    "log10",
    "fabs",
    "copysign",
    "pow",
)
"""Functions that LLVM has itself."""
EXTERNALS = {
    **dict.fromkeys(("tan", "sinh", "cosh", "tanh", "asin", "acos", "atan", "asinh"), 1),
    **dict.fromkeys(("acosh", "atanh", "expm1", "log1p", "erf", "erfc"), 1),
    **dict.fromkeys(("atan2", "hypot", "fmod"), 2),
}
"""Functions of the C library, with their number of arguments."""
_NUMPY = {"arcsin": "asin", "arccos": "acos", "arctan": "atan", "arctan2": "atan2", "power": "pow"}
FUNCTIONS: dict[Any, Writer] = {
    **{getattr(math, name): _intrinsic(name) for name in _INTRINSICS if hasattr(math, name)},
    **{getattr(math, name): _external(name) for name in EXTERNALS},
    **{getattr(np, name): _intrinsic(name) for name in ("sqrt", "sin", "cos", "exp", "log")},
    **{getattr(np, name): _external(name) for name in ("tan", "tanh", "hypot", "expm1", "log1p")},
    **{getattr(np, name): _external(of) for name, of in _NUMPY.items() if of in EXTERNALS},
    **{math.floor: _rounded("floor"), math.ceil: _rounded("ceil"), math.trunc: _rounded("trunc")},
    **{math.isnan: _test("uno", 0.0), math.isfinite: _test("olt", math.inf)},
    **{math.isinf: _test("oeq", math.inf), np.isnan: _test("uno", 0.0)},
    **{min: _extreme(ast.Lt), max: _extreme(ast.Gt), abs: _absolute, len: _length, sum: _total},
    **{int: _conversion(INTEGER), float: _number_of, bool: _truth},
    tuple: lambda _, value: joined(items(value)),
    **{np.int64: _conversion(INTEGER), np.uint64: _conversion(UNSIGNED)},
    **{np.float64: _conversion(FLOAT), np.abs: _absolute},
}
"""Writers by function."""


def _call_by_address(writer: Arithmetic, address: Value, frame: Value) -> Value:
    """Write a call of the C function ``int f(int64_t *frame)`` at an address."""
    function, given = (
        writer.emit(f"inttoptr i64 {one.parts[0]} to ptr") for one in (address, frame)
    )
    code = writer.emit(f"call i32 {function}(ptr {given})")
    if checked.bounds_are_on():
        writer.leave_if(writer.emit(f"icmp eq i32 {code}, {RAISED}"))
    return Value(INTEGER, (writer.emit(f"sext i32 {code} to i64"),))


def _all_four(writer: Arithmetic, value: Value) -> str:
    """Write four times the same number, or return four numbers."""
    if value.kind == FOUR:
        return value.parts[0]
    one = writer.emit(f"insertelement <4 x double> poison, double {_float(writer, value)}, i32 0")
    places = "<4 x i32> zeroinitializer"
    return writer.emit(f"shufflevector <4 x double> {one}, <4 x double> poison, {places}")


def _place_of_four(writer: Arrays, x: Value, i: Value) -> str:
    kind = x.kind
    if kind not in (Array(_FLOATS, 1), Array(_FLOATS, 1, constant=True)):
        raise KernelError(f"four numbers of {kind}: they lie one after another")
    first = writer.inside(i.parts[0], x.parts[1], 0)
    if checked.bounds_are_on():
        writer.inside(writer.emit(f"add i64 {first}, 3"), x.parts[1], 0)
    return writer.emit(f"getelementptr double, ptr {x.parts[0]}, i64 {first}")


def _combined(name: str) -> Writer:
    """Return the writer of ``v + a w`` or ``v - a w``."""

    def write(writer: Arithmetic, v: Value, a: Value, w: Value) -> Value:
        product = f"fmul <4 x double> {_all_four(writer, a)}, {w.parts[0]}"
        product = writer.emit(product)
        return Value(FOUR, (writer.emit(f"{name} <4 x double> {v.parts[0]}, {product}"),))

    return write


def _set_four(writer: Arrays, x: Value, i: Value, v: Value) -> Value:
    place = _place_of_four(writer, x, i)
    if getattr(x.kind, "constant", False):
        raise KernelError(f"{x.kind} is read-only")
    writer.do(f"store <4 x double> {v.parts[0]}, ptr {place}, align 8")
    return NOTHING


def _get_four(writer: Arrays, x: Value, i: Value) -> Value:
    place = _place_of_four(writer, x, i)
    return Value(FOUR, (writer.emit(f"load <4 x double>, ptr {place}, align 8"),))


def _sum_of_four(writer: Arithmetic, v: Value) -> Value:
    one, two, three, four = (
        writer.emit(f"extractelement <4 x double> {v.parts[0]}, i32 {k}") for k in range(4)
    )
    low, high = (
        writer.emit(f"fadd double {one}, {two}"),
        writer.emit(f"fadd double {three}, {four}"),
    )
    return Value(FLOAT, (writer.emit(f"fadd double {low}, {high}"),))


FUNCTIONS |= {
    stages.call: _call_by_address,
    four.no_four: lambda writer: Value(FOUR, ("zeroinitializer",)),
    four.get_four: _get_four,
    four.set_four: _set_four,
    four.add_times: _combined("fadd"),
    four.subtract_times: _combined("fsub"),
    four.add_products: _combined("fadd"),
    four.sum_of_four: _sum_of_four,
}
