"""Numba's types and code for kernels, openers, choices and four numbers at once.

Imported only to compile.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import FunctionType
from typing import Any

import numpy as np
from llvmlite import ir as llvm
from numba import njit, typeof, types
from numba.core import cgutils
from numba.core.compiler_lock import global_compiler_lock
from numba.core.errors import TypingError
from numba.core.registry import cpu_target
from numba.extending import intrinsic, models, overload, register_model
from numba.np.arrayobj import make_array

from footfall.jit.enumerations import plain, with_plain_defaults
from footfall.jit.kernel_array import KernelArray, Opened
from footfall.jit.pipeline import Optimised, PartCompiler, optimise, quickly

# No reference counting (_nrt): kernels allocate nothing, and counting the arrays of a named tuple
# at every inner call costs more than the call.
PLAIN: Any = {"error_model": "numpy", "_nrt": False}
OPTIONS: Any = PLAIN | {"pipeline_class": PartCompiler}
OPTIONS |= {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}


def dispatcher(function: FunctionType, **options: Any) -> Any:
    """Return Numba's dispatcher of a function; with ``OPTIONS`` it is a part of its callers."""
    return njit(**PLAIN | options)(with_plain_defaults(function))


def optimised(kernel: Any, arguments: tuple[Any, ...], name: str | None) -> Optimised | None:
    """Compile a kernel and its callees for types of arguments, up to machine code.

    Args:
        kernel: marked ``kernel``.
        arguments: examples.
        name: of its C function.

    Returns:
        None if it has no name, or if C cannot return its result or call what it needs.
    """
    signature = tuple(map(_kind_of, arguments))
    with global_compiler_lock, quickly():
        kernel.compiled.compile(signature)
        part = kernel.compiled.overloads[signature]
        return optimise(cpu_target.target_context, part, name, kernel.slp) if name else None


_TABLES: dict[np.dtype[Any], Any] = {}


def _kind_of(value: Any) -> Any:
    """Return Numba's type of an argument; that of a table, which takes long, is remembered."""
    if not isinstance(value, np.ndarray) or value.dtype.names is None:
        kind = typeof(plain(value))
        return kind.copy(layout="A") if getattr(kind, "layout", "C") == "F" else kind
    if value.dtype not in _TABLES:
        _TABLES[value.dtype] = typeof(value)
    return _TABLES[value.dtype]


def _type_of(function: Any) -> Any:
    """Return the type of a function that has just been registered with Numba."""
    context = cpu_target.typing_context
    context.refresh()
    return context.resolve_value_type(function)


@intrinsic
def call_by_address(typing_context: Any, address: Any, frame: Any) -> Any:
    """Call the C function ``int f(int64_t *frame)`` at an address; both are integers."""

    def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        word = context.get_value_type(types.intp)
        kind = llvm.FunctionType(llvm.IntType(32), [word.as_pointer()])
        function = builder.inttoptr(arguments[0], kind.as_pointer())
        code = builder.call(function, [builder.inttoptr(arguments[1], word.as_pointer())])
        return context.cast(builder, code, types.int32, types.intp)

    return types.intp(types.intp, types.intp), codegen


call_type = _type_of(call_by_address)


def opener_type(
    kind: type[Any],
    first: int,
    fields: Sequence[tuple[str, Any, int]],
    columns: int,
    require: Callable[[str | None], None],
) -> Any:
    """Return the type of an opener, as a function that is emitted where it is called.

    Args:
        kind: the named tuple that it opens.
        first: the table's row where that begins.
        fields: name, dtype and dimensions of its arrays.
        columns: numbers of a row.
        require: raises if a table has another layout; it gets the name of the rows' field, or None
            if there is no table.
    """
    arrays = {
        name: KernelArray(types.float64 if dtype.kind == "f" else types.int64, ndim)
        for name, dtype, ndim in fields
    }
    result = Opened(kind, arrays, columns)

    @intrinsic
    def open_tuple(typing_context: Any, table: Any) -> Any:
        require(_row_name(table))

        def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            data = make_array(signature.args[0])(context, builder, arguments[0]).data
            data = builder.bitcast(data, context.get_value_type(result))
            return builder.gep(data, [context.get_constant(types.intp, first * columns)])

        return result(table), codegen

    return _type_of(open_tuple)


def _row_name(table: Any) -> str | None:
    """Return the name of the rows' field of a table's type, None if it is no table's."""
    row = getattr(table, "dtype", None)
    return next(iter(row.fields)) if isinstance(row, types.Record) else None


def choice_type(functions: Mapping[type, Any]) -> Any:
    """Return the type of a function whose body depends on the type of its first argument."""

    def stub(way: object, *args: Any) -> Any:
        raise NotImplementedError

    @overload(stub, jit_options=OPTIONS | {"forceinline": True})
    def choose(way, *args):  # type: ignore  # Numba compares the signatures, annotations too
        chosen = functions.get(getattr(way, "instance_class", type(None)))
        if chosen is None:
            raise TypingError(f"no function for {way}")

        def call(way, *args):  # type: ignore
            return chosen(*args)

        return call

    return _type_of(stub)


class _Four(types.Type):
    """Four floats (see ``footfall.jit.four``)."""


_FOUR, _VECTOR = _Four("four floats"), llvm.VectorType(llvm.DoubleType(), 4)


@register_model(_Four)
class _FourModel(models.PrimitiveModel):
    def __init__(self, manager: Any, kind: _Four) -> None:
        super().__init__(manager, kind, _VECTOR)


def four_type(name: str) -> Any:
    """Return the type of a function on four numbers, by its name."""
    return _type_of(_FOURS[name])


def _address_of_four(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    array = cgutils.create_struct_proxy(signature.args[0])(context, builder, arguments[0])
    address = builder.gep(array.data, [arguments[1]])
    return builder.bitcast(address, _VECTOR.as_pointer())


def _all_four(builder: Any, value: Any) -> Any:
    """Emit four times the same number."""
    nothing, first = llvm.Constant(_VECTOR, llvm.Undefined), llvm.Constant(llvm.IntType(32), 0)
    places = llvm.Constant(llvm.VectorType(llvm.IntType(32), 4), [0, 0, 0, 0])
    return builder.shuffle_vector(builder.insert_element(nothing, value, first), nothing, places)


@intrinsic
def _no_four(typing_context: Any) -> Any:
    return _FOUR(), lambda context, builder, signature, arguments: llvm.Constant(_VECTOR, [0.0] * 4)


@intrinsic
def _get_four(typing_context: Any, array: Any, index: Any) -> Any:
    def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.load(_address_of_four(context, builder, signature, arguments), align=8)

    return _FOUR(array, types.intp), codegen


@intrinsic
def _set_four(typing_context: Any, array: Any, index: Any, value: Any) -> Any:
    def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        address = _address_of_four(context, builder, signature, arguments)
        builder.store(arguments[2], address, align=8)
        return context.get_dummy_value()

    return types.none(array, types.intp, _FOUR), codegen


def _multiplied(name: str, factor: Any = types.float64) -> Any:
    """Return the emitter of ``v + a w`` or ``v - a w``: LLVM's ``fadd`` or ``fsub``."""

    def emitted(typing_context: Any, v: Any, a: Any, w: Any) -> Any:
        def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            a = arguments[1] if factor is _FOUR else _all_four(builder, arguments[1])
            return getattr(builder, name)(arguments[0], builder.fmul(a, arguments[2]))

        return _FOUR(_FOUR, factor, _FOUR), codegen

    return intrinsic(emitted)


@intrinsic
def _sum_of_four(typing_context: Any, v: Any) -> Any:
    def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        one, two, three, four = (
            builder.extract_element(arguments[0], llvm.Constant(llvm.IntType(32), k))
            for k in range(4)
        )
        return builder.fadd(builder.fadd(one, two), builder.fadd(three, four))

    return types.float64(_FOUR), codegen


_FOURS = {
    "no_four": _no_four,
    "get_four": _get_four,
    "set_four": _set_four,
    "add_times": _multiplied("fadd"),
    "subtract_times": _multiplied("fsub"),
    "add_products": _multiplied("fadd", _FOUR),
    "sum_of_four": _sum_of_four,
}
