"""What Numba makes of kernels, openers and choices. Imported when the first kernel is compiled."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import FunctionType
from typing import TYPE_CHECKING, Any

import numba
from numba import njit, typeof, types
from numba.core.errors import TypingError
from numba.core.registry import cpu_target
from numba.extending import intrinsic, overload
from numba.np.arrayobj import make_array

from footfall.jit.kernel_array import KernelArray, make
from footfall.jit.tables import COLUMNS, Opener, fields_of, kinds_of

if TYPE_CHECKING:
    from footfall.jit.compiling import Choice

# No reference counting (_nrt): kernels allocate nothing, and counting the arrays of a named tuple
# at every inner call costs more than the call.
OPTIONS: dict[str, Any] = {"error_model": "numpy", "_nrt": False}


def dispatcher(function: FunctionType, folder: Path | None, **options: bool) -> Any:
    """Return Numba's dispatcher of a function.

    Args:
        function: the Python function.
        folder: where its compiled code is kept; None: nowhere.
        options: of ``numba.njit``.
    """
    settings = {**OPTIONS, **options, "cache": folder is not None}
    before = getattr(numba.config, "CACHE_DIR")  # noqa: B009
    if folder is not None:
        setattr(numba.config, "CACHE_DIR", str(folder))  # noqa: B010
    try:
        return njit(**settings)(function)
    finally:
        setattr(numba.config, "CACHE_DIR", before)  # noqa: B010


def entry_point(compiled: Any, arguments: tuple[Any, ...]) -> Callable[..., Any]:
    """Compile for the types of arguments; return what takes such arguments without a look."""
    signature = tuple(typeof(argument) for argument in arguments)
    compiled.compile(signature)
    found: Callable[..., Any] = compiled.overloads[signature].entry_point
    return found


def opener_type(opener: Opener) -> Any:
    """Return the type of an opener, as a function that is emitted where it is called."""
    kind = opener.kind
    dtypes = (types.float64 if f.dtype.kind == "f" else types.int64 for f in fields_of(kind))
    fields = [
        KernelArray(dtype, field.ndim) for dtype, field in zip(dtypes, fields_of(kind), strict=True)
    ]

    @intrinsic
    def open_tuple(typing_context: Any, table: Any) -> Any:
        opener.require(_kinds(table))
        result = types.NamedTuple(fields, kind)

        def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            data = make_array(signature.args[0])(context, builder, arguments[0]).data
            word = context.get_value_type(types.intp).as_pointer()
            data = builder.bitcast(data, word)
            values = [
                _open_row(context, builder, data, opener.first + k, field)
                for k, field in enumerate(fields)
            ]
            return context.make_tuple(builder, signature.return_type, values)

        return result(table), codegen

    return _type_of(open_tuple)


def _kinds(table: Any) -> Any:
    """Return the named tuples of a table's type, None if it is no table's."""
    row = getattr(table, "dtype", None)
    return kinds_of(next(iter(row.fields))) if isinstance(row, types.Record) else None


def _open_row(context: Any, builder: Any, data: Any, row: int, kind: KernelArray) -> Any:
    """Emit code that makes an array of a table's row."""

    def entry(column: int) -> Any:
        at = context.get_constant(types.intp, row * COLUMNS + column)
        return builder.load(builder.gep(data, [at]))

    shape = [entry(1 + axis) for axis in range(kind.ndim)]
    return make(context, builder, kind, entry(0), shape)


def choice_type(choice: Choice) -> Any:
    """Return the type of a choice, as a function whose body depends on its first argument."""

    def stub(way: object, *args: Any) -> Any:
        raise NotImplementedError

    options: Any = {**OPTIONS, "forceinline": True}

    @overload(stub, jit_options=options)
    def choose(way, *args):  # type: ignore  # Numba compares the signatures, annotations too
        chosen = choice.functions.get(getattr(way, "instance_class", type(None)))
        if chosen is None:
            raise TypingError(f"no function for {way}")

        def call(way, *args):  # type: ignore
            return chosen(*args)

        return call

    return _type_of(stub)


def _type_of(function: Any) -> Any:
    """Return the type of what has just been registered with Numba."""
    context = cpu_target.typing_context
    context.refresh()
    return context.resolve_value_type(function)
