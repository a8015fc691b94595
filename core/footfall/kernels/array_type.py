"""The type of a world's arrays inside kernels: arrays whose indices are never negative.

An index of an ordinary array may be negative and then counts from the end. Numba therefore compares
and selects at every access whose index it cannot prove to be positive, which takes longer than the
access, and keeps LLVM from seeing that ``x[at + k]`` runs along memory. Arrays of this type leave
that out; everything else (slices, rows, ``len``, iteration) is as for ordinary arrays. A negative
index is not noticed, as any other index out of bounds.
"""

from __future__ import annotations

import operator
from typing import Any

from numba import types
from numba.core import cgutils
from numba.extending import lower_builtin, models, register_model
from numba.np import arrayobj


class KernelArray(types.Array):
    """An array without negative indices; also the type of its rows and slices."""

    def __init__(self, dtype: Any, ndim: int, layout: Any = "C") -> None:
        super().__init__(dtype, ndim, layout, name=f"KernelArray({dtype}, {ndim}d, {layout})")

    def copy(  # type: ignore[override]
        self, dtype: Any = None, ndim: int | None = None, layout: Any = None, readonly: Any = None
    ) -> KernelArray:
        """Return the type of a view."""
        return KernelArray(
            self.dtype if dtype is None else dtype,
            self.ndim if ndim is None else ndim,
            self.layout if layout is None else layout,
        )


register_model(KernelArray)(models.ArrayModel)


def _pointer(context: Any, builder: Any, kind: Any, value: Any, index_type: Any, index: Any) -> Any:
    """Return the address of one element, or None if the index is not one of whole numbers."""
    several = isinstance(index_type, types.BaseTuple)
    index_types = tuple(index_type) if several else (index_type,)
    indices = cgutils.unpack_tuple(builder, index) if several else [index]
    whole = all(isinstance(t, types.Integer) for t in index_types)
    if not whole or len(index_types) != kind.ndim:
        return None
    indices = [
        context.cast(builder, i, t, types.intp) for i, t in zip(indices, index_types, strict=True)
    ]
    array = arrayobj.make_array(kind)(context, builder, value)
    return cgutils.get_item_pointer(context, builder, kind, array, indices, wraparound=False)


@lower_builtin(operator.getitem, KernelArray, types.Integer)
@lower_builtin(operator.getitem, KernelArray, types.BaseTuple)
def _get(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    """Emit ``array[index]``."""
    kind, index_type = signature.args
    pointer = _pointer(context, builder, kind, arguments[0], index_type, arguments[1])
    if pointer is not None:
        return arrayobj.load_item(context, builder, kind, pointer)
    if isinstance(index_type, types.BaseTuple):
        return arrayobj.getitem_array_tuple(context, builder, signature, arguments)
    return arrayobj.getitem_arraynd_intp(context, builder, signature, arguments)


@lower_builtin(operator.setitem, KernelArray, types.Any, types.Any)
def _set(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    """Emit ``array[index] = value``."""
    kind, index_type, value_type = signature.args
    pointer = _pointer(context, builder, kind, arguments[0], index_type, arguments[1])
    if pointer is None:
        return arrayobj.setitem_array(context, builder, signature, arguments)
    value = context.cast(builder, arguments[2], value_type, kind.dtype)
    arrayobj.store_item(context, builder, kind, value, pointer)
    return None
