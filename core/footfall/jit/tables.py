"""Tables of addresses: a kernel takes one argument instead of 130 arrays.

To pass an array from Python to a kernel costs about 35 ns, and arrays of a world never move. So a
kernel gets a table with a row for each array (address and shape, int64) and opens the named tuples
that it needs. Types and dimensions of fields are read from the annotations of the tuples.

The name of the only field of a table's rows lists the named tuples in it. The name is a part of the
table's type: a kernel is compiled for tables of one layout, and to open a tuple that they do not
hold is a compiler error, which costs the compiled code nothing.
"""

from __future__ import annotations

import hashlib
import weakref
from collections.abc import Iterator, Sequence
from dataclasses import fields, replace
from functools import cache
from typing import Any, NamedTuple, TypeAlias, TypeVar, cast

import numpy as np
import numpy.typing as npt

from footfall.errors import PluginError
from footfall.jit.checked import labelled
from footfall.jit.frames import address_of

T = TypeVar("T")
Arrays: TypeAlias = tuple[npt.NDArray[Any], ...]
COLUMNS = 4
"""Address and three lengths."""
_ARRAYS = {
    **{f"Floats{ndim}": (np.dtype(np.float64), ndim) for ndim in (1, 2, 3)},
    **{f"Ints{ndim}": (np.dtype(np.int64), ndim) for ndim in (1, 2, 3)},
}
"""Types and dimensions by the names of ``footfall.typing``."""
_LAYOUTS: dict[str, tuple[type[Any], ...]] = {}


class LayoutError(PluginError):
    """A kernel opens a named tuple that is not in its table."""


class Field(NamedTuple):
    """The type of an array, from a named tuple's annotation."""

    name: str
    dtype: np.dtype[Any]
    ndim: int

    def __str__(self) -> str:
        return f"{self.name} {self.dtype} {self.ndim}"


def fields_of(kind: type[Any]) -> tuple[Field, ...]:
    """Return a named tuple's fields, from annotations such as ``Floats2``.

    Raises:
        TypeError: if an annotation has another form, or has been evaluated.
    """
    if kind in _FIELDS:
        return _FIELDS[kind]
    found = []
    for name, annotation in kind.__annotations__.items():
        text = str(getattr(annotation, "__forward_arg__", annotation))
        if text not in _ARRAYS:
            raise TypeError(
                f"{kind.__qualname__}.{name}: an array of a table is annotated with one of "
                f"{', '.join(_ARRAYS)}, in a file with `from __future__ import annotations`"
            )
        found.append(Field(name, *_ARRAYS[text]))
    return _FIELDS.setdefault(kind, tuple(found))


_FIELDS: dict[type[Any], tuple[Field, ...]] = {}


def allocated(kind: type[T], length: int, /, **given: Any) -> T:
    """Return a named tuple of arrays of the types of its annotations.

    They are views, which NumPy cannot resize: kernels know addresses and lengths.

    Args:
        kind: the named tuple.
        length: first dimension of all arrays that are not given; their other dimensions are 3.
        given: arrays by name, or shapes of arrays of zeros.
    """
    for name, dtype, ndim in fields_of(kind):
        shape = given.get(name, (length, 3, 3)[:ndim])
        if not isinstance(shape, np.ndarray):
            given[name] = np.zeros(shape, dtype)
        given[name] = given[name].view()
    return kind(**given)


def read_only(value: T) -> T:
    """Return an array as a view that cannot be written to or resized.

    Of tuples, lists, mappings and dataclasses, return a copy of such views; anything else as it is.
    """
    found: Any = value
    if isinstance(found, np.ndarray):
        found = found.view()
        found.flags.writeable = False
    elif isinstance(found, (tuple, list)):
        parts = map(read_only, found)
        found = type(found)(*parts) if hasattr(found, "_fields") else type(found)(parts)
    elif type(found) is dict:
        found = {key: read_only(part) for key, part in found.items()}
    elif hasattr(type(found), "__dataclass_fields__"):
        names = [one.name for one in fields(found) if one.init]
        found = replace(found, **{name: read_only(getattr(found, name)) for name in names})
    return cast("T", found)


@cache
def _row_type(kinds: Any) -> np.dtype[np.void]:
    """Return the type of a table's rows, which contains the layout's name."""
    text = "\n".join(str(field) for kind in kinds for field in fields_of(kind))
    digest = hashlib.sha256(text.encode()).hexdigest()[:8]
    name = f"{', '.join(kind.__qualname__ for kind in kinds)} {digest}"
    _LAYOUTS[name] = kinds
    return np.dtype([(name, np.int64, (COLUMNS,))])


Table: TypeAlias = npt.NDArray[np.void]
"""Addresses and shapes of the arrays of named tuples; made by ``table_of``."""


class _Held:
    """The arrays that a table points to."""

    def __init__(self, arrays: Arrays) -> None:
        self.arrays = arrays
        self.opened: dict[Opener, Any] = {}


_HELD: dict[int, _Held] = {}
"""Arrays by the identity of their table, which they must live as long as."""


def table_of(*tuples: Any) -> Table:
    """Make a table of named tuples of arrays, in their order. It keeps them alive.

    Raises:
        TypeError: if an array has another type than its annotation says, or is not C-contiguous.
    """
    kinds: tuple[type[Any], ...] = tuple(type(t) for t in tuples)
    arrays = tuple(array for t in tuples for array in t)
    rows: list[int] = []
    for array, field in zip(arrays, (f for kind in kinds for f in fields_of(kind)), strict=True):
        if array.dtype != field.dtype or array.ndim != field.ndim:
            given = f"{array.dtype} of {array.ndim} dimensions"
            raise TypeError(f"{field.name}: {given}, expected {field.dtype} of {field.ndim}")
        if not array.flags.c_contiguous:
            raise TypeError(f"{field.name}: an array of a kernel's table must be C-contiguous")
        rows += address_of(array), *array.shape, *(0,) * (COLUMNS - 1 - array.ndim)
    table = np.array(rows, np.int64).view(_row_type(kinds))
    _HELD[id(table)] = _Held(arrays)
    weakref.finalize(table, _HELD.pop, id(table)).atexit = False
    return table


def held_by(table: Table) -> Arrays:
    """Return the arrays that a table points to."""
    return _HELD[id(table)].arrays


def point_at(table: Table, other: Table) -> None:
    """Let a table point to the arrays of another table of the same layout, after arrays have moved.

    Kernels that are bound to the table use the other arrays from now on.
    """
    table[:] = other
    _HELD[id(table)] = _Held(_HELD[id(other)].arrays)


class Opener:
    """A function for kernels that opens a named tuple from a table; made by ``opener``.

    Attributes:
        kind: the named tuple.
        first: the table's row where it begins.
    """

    def __init__(self, kind: type[Any], first: int) -> None:
        self.kind, self.first = kind, first

    def __call__(self, table: Table) -> Any:
        """Open arrays that check indices, for kernels in plain Python.

        Raises:
            LayoutError: if the table does not hold them.
        """
        held = _HELD.get(id(table))
        if held is None:
            raise LayoutError(self._no_table)
        found = held.opened.get(self)
        if found is None:
            assert table.dtype.names is not None
            self.require(kinds_of(table.dtype.names[0]))
            kind, fields = self.kind, fields_of(self.kind)
            arrays = held.arrays[self.first : self.first + len(fields)]
            names = [f"{kind.__name__}.{field.name}" for field in fields]
            found = held.opened[self] = kind(*map(labelled, arrays, names))
        return found

    def require(self, kinds: Sequence[type[Any]] | None) -> None:
        """Raise unless a table of these named tuples, None for no table, holds this one.

        Raises:
            LayoutError: names the opened tuple, and the tuples of the table.
        """
        if kinds is None:
            raise LayoutError(self._no_table)
        row = 0
        for kind in kinds:
            if row == self.first and kind is self.kind:
                return
            row += len(fields_of(kind))
        held = ", ".join(kind.__name__ for kind in kinds)
        where = f" (from row {self.first})" if self.kind in kinds else ""
        raise LayoutError(
            f"a kernel opens {self.kind.__name__}{where} from a table that holds {held}"
        )

    @property
    def _no_table(self) -> str:
        return f"a kernel opens {self.kind.__name__} from what is no table (see table_of)"

    def kernel_parts(self) -> Iterator[object]:
        """Yield all that the compiled code depends on (see ``footfall.jit.caching``)."""
        layout = ", ".join(map(str, fields_of(self.kind)))
        yield f"{self.kind.__qualname__} from row {self.first}: {layout}"


def kinds_of(row_name: str) -> tuple[type[Any], ...] | None:
    """Return the named tuples of a table by the name of its rows' field, None for no table."""
    return _LAYOUTS.get(row_name)


def opener(kind: type[Any], first: int) -> Any:
    """Return a function for kernels that opens a named tuple from a table.

    Args:
        kind: a ``NamedTuple`` whose fields are annotated with names of ``footfall.api.plugin``:
            ``Floats1``, ``Floats2``, ``Floats3``, ``Ints1``, ``Ints2``.
        first: its first row: the number of arrays in the tuples before it.
    """
    return Opener(kind, first)
