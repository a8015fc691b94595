"""The type of a world's arrays inside kernels: an address and a shape, indices never negative.

Numba's own arrays are seven values or more, and functions pass them one by one. A negative index
counts from the end, which costs a comparison and a selection at every access whose index is not
known to be positive. Arrays of this type are small: C-contiguous, read and written by element
(``a[i, j]``), read by row (``a[i]``), with ``len`` and ``shape``, without slices and iteration. A
negative index is not detected, like any other index out of bounds.
"""

from __future__ import annotations

import operator
from hashlib import sha256
from typing import Any

from numba import types
from numba.core import cgutils
from numba.core.imputils import lower_getattr_generic
from numba.core.typing.templates import AttributeTemplate, signature
from numba.extending import (
    infer_getattr,
    lower_builtin,
    lower_getattr,
    models,
    register_model,
    type_callable,
)


class KernelArray(types.Type):
    """A C-contiguous array with a given number of dimensions."""

    def __init__(self, dtype: Any, ndim: int) -> None:
        self.dtype, self.ndim = dtype, ndim
        super().__init__(name=f"KernelArray({dtype}, {ndim}d)")

    def item(self, count: int) -> Any:
        """Return the type of the result of so many indices: an element or a row."""
        return self.dtype if count == self.ndim else KernelArray(self.dtype, self.ndim - count)


@register_model(KernelArray)
class _Model(models.StructModel):
    def __init__(self, manager: Any, kind: KernelArray) -> None:
        shape = types.UniTuple(types.intp, kind.ndim)
        super().__init__(manager, kind, [("data", types.CPointer(kind.dtype)), ("shape", shape)])


def _count(array: Any, index: Any) -> int:
    """Return the number of indices, 0 if they do not fit."""
    if not isinstance(array, KernelArray):
        return 0
    several = isinstance(index, types.BaseTuple)
    parts = tuple(index) if several else (index,)
    whole = all(isinstance(part, types.Integer) for part in parts)
    return len(parts) if whole and len(parts) <= array.ndim else 0


@type_callable(operator.getitem)
def _type_get(context: Any) -> Any:
    def typer(array: Any, index: Any) -> Any:
        count = _count(array, index)
        return signature(array.item(count), array, index) if count else None

    return typer


@type_callable(operator.setitem)
def _type_set(context: Any) -> Any:
    def typer(array: Any, index: Any, value: Any) -> Any:
        count = _count(array, index)
        if not count or count < array.ndim:
            return None
        return signature(types.none, array, index, array.dtype)

    return typer


@type_callable(len)
def _type_len(context: Any) -> Any:
    def typer(array: Any) -> Any:
        return types.intp if isinstance(array, KernelArray) else None

    return typer


@infer_getattr
class _Attributes(AttributeTemplate):
    key = KernelArray

    def resolve_shape(self, kind: KernelArray) -> Any:
        return types.UniTuple(types.intp, kind.ndim)


def _locate(context: Any, builder: Any, signature: Any, arguments: Any) -> tuple[Any, list[Any]]:
    """Emit the address of an index, in row-major order, and the shape of the rest."""
    kind, index_type = signature.args[:2]
    array = cgutils.create_struct_proxy(kind)(context, builder, arguments[0])
    several = isinstance(index_type, types.BaseTuple)
    index_types = tuple(index_type) if several else (index_type,)
    indices = cgutils.unpack_tuple(builder, arguments[1]) if several else [arguments[1]]
    shape = cgutils.unpack_tuple(builder, array.shape)
    offset = context.get_constant(types.intp, 0)
    for axis, length in enumerate(shape):
        if axis:
            offset = builder.mul(offset, length)
        if axis < len(indices):
            whole = context.cast(builder, indices[axis], index_types[axis], types.intp)
            offset = builder.add(offset, whole)
    return builder.gep(array.data, [offset]), shape[len(indices) :]


@lower_builtin(operator.getitem, KernelArray, types.Integer)
@lower_builtin(operator.getitem, KernelArray, types.BaseTuple)
def _get(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    """Emit ``array[index]``."""
    address, shape = _locate(context, builder, signature, arguments)
    if not shape:
        return builder.load(address)
    row = cgutils.create_struct_proxy(signature.return_type)(context, builder)
    row.data, row.shape = address, cgutils.pack_array(builder, shape)
    return row._getvalue()


@lower_builtin(operator.setitem, KernelArray, types.Integer, types.Any)
@lower_builtin(operator.setitem, KernelArray, types.BaseTuple, types.Any)
def _set(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    """Emit ``array[index] = value``."""
    address, _ = _locate(context, builder, signature, arguments)
    builder.store(arguments[2], address)
    return context.get_dummy_value()


@lower_builtin(len, KernelArray)
def _len(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    array = cgutils.create_struct_proxy(signature.args[0])(context, builder, arguments[0])
    return builder.extract_value(array.shape, 0)


@lower_getattr(KernelArray, "shape")
def _shape(context: Any, builder: Any, kind: Any, value: Any) -> Any:
    return cgutils.create_struct_proxy(kind)(context, builder, value).shape


class Opened(types.Type):
    """A named tuple of arrays in a table: the address of its first row.

    Functions pass one pointer; the arrays would be three values or more each.
    """

    def __init__(self, kind: type[Any], arrays: dict[str, KernelArray], columns: int) -> None:
        self.arrays, self.columns = arrays, columns
        layout = ", ".join(f"{name}: {array}" for name, array in arrays.items())
        digest = sha256(layout.encode()).hexdigest()[:8]  # types are in the names of functions
        super().__init__(name=f"Opened({kind.__module__}.{kind.__qualname__} {digest})")


@register_model(Opened)
class _OpenedModel(models.PrimitiveModel):
    def __init__(self, manager: Any, kind: Opened) -> None:
        super().__init__(manager, kind, manager[types.intp].get_value_type().as_pointer())


@infer_getattr
class _Fields(AttributeTemplate):
    key = Opened

    def generic_resolve(self, kind: Opened, name: str) -> Any:  # type: ignore[override]
        return kind.arrays.get(name)


@lower_getattr_generic(Opened)
def _field(context: Any, builder: Any, kind: Opened, address: Any, name: str) -> Any:
    """Emit the array of a field. Rows of tables never change while a kernel runs."""
    begin = list(kind.arrays).index(name) * kind.columns
    unchanging = builder.module.add_metadata([])

    def entry(column: int) -> Any:
        at = context.get_constant(types.intp, begin + column)
        value = builder.load(builder.gep(address, [at]))
        value.set_metadata("invariant.load", unchanging)
        return value

    array = cgutils.create_struct_proxy(kind.arrays[name])(context, builder)
    array.data = builder.inttoptr(entry(0), array.data.type)
    shape = [entry(1 + axis) for axis in range(kind.arrays[name].ndim)]
    array.shape = cgutils.pack_array(builder, shape)
    return array._getvalue()
