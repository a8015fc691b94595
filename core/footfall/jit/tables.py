"""Tables of addresses: a kernel takes one argument instead of 130 arrays.

Handing an array from Python to a kernel costs about 35 ns, and arrays of a world never move. A
kernel is given a table with a row an array (address and shape, int64) and opens the named tuples
that it needs from it. Field types and dimensions are read from the annotations of the tuples.

A table knows what it is: the name of its rows' only field tells the named tuples that it holds. It
is a part of the table's type, so that a kernel is compiled for tables of one layout, and opening
what they do not hold is an error of the compiler's at no cost for the compiled code.
"""

from __future__ import annotations

import hashlib
import weakref
from collections.abc import Iterator, Sequence
from functools import cache, cached_property
from typing import Any, NamedTuple, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from footfall.errors import PluginError
from footfall.jit.checked import labelled

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
    """A kernel opens from a table what the table does not hold."""

    def __init__(self, reason: str) -> None:
        self.reason = reason
        super().__init__(reason)

    def __str__(self) -> str:
        return self.reason  # without what Numba adds about its passes


class Field(NamedTuple):
    """What a named tuple's annotation says of an array."""

    name: str
    dtype: np.dtype[Any]
    ndim: int

    def __str__(self) -> str:
        return f"{self.name} {self.dtype} {self.ndim}"


def fields_of(kind: type[Any]) -> tuple[Field, ...]:
    """Return a named tuple's fields, from annotations such as ``Floats2``.

    Raises:
        TypeError: if an annotation is another one, or has been evaluated.
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

    Args:
        kind: the named tuple.
        length: of all arrays that are not given, whose further dimensions are 3: vectors.
        given: arrays by name, or shapes of arrays of zeros.
    """
    for name, dtype, ndim in fields_of(kind):
        shape = given.get(name, (length, 3, 3)[:ndim])
        if not isinstance(shape, np.ndarray):
            given[name] = np.zeros(shape, dtype)
    return kind(**given)


@cache
def _row_type(kinds: Any) -> np.dtype[np.void]:
    """Return the type of a table's rows, which names the layout."""
    text = "\n".join(str(field) for kind in kinds for field in fields_of(kind))
    digest = hashlib.sha256(text.encode()).hexdigest()[:8]
    name = f"{', '.join(kind.__qualname__ for kind in kinds)} {digest}"
    _LAYOUTS[name] = kinds
    return np.dtype([(name, np.int64, (COLUMNS,))])


Table: TypeAlias = npt.NDArray[np.void]
"""Addresses and shapes of the arrays of named tuples; made by ``table_of``."""


class _Held:
    """What a table points to."""

    def __init__(self, arrays: Arrays) -> None:
        self.arrays = arrays
        self.opened: dict[Opener, Any] = {}


_HELD: dict[int, _Held] = {}
"""By the identity of a table, as long as it lives: its arrays must live as long."""


def table_of(*tuples: Any) -> Table:
    """Make the table of named tuples of arrays, one after another. It keeps them alive.

    Raises:
        TypeError: if an array has another type than its annotation says, or is not C-contiguous.
    """
    kinds: tuple[type[Any], ...] = tuple(type(t) for t in tuples)
    arrays = tuple(array for t in tuples for array in t)
    rows = np.zeros((len(arrays), COLUMNS), np.int64)
    expected = [field for kind in kinds for field in fields_of(kind)]
    for row, array, field in zip(rows, arrays, expected, strict=True):
        if array.dtype != field.dtype or array.ndim != field.ndim:
            given = f"{array.dtype} of {array.ndim} dimensions"
            raise TypeError(f"{field.name}: {given}, expected {field.dtype} of {field.ndim}")
        if not array.flags.c_contiguous:
            raise TypeError(f"{field.name}: an array of a kernel's table must be C-contiguous")
        row[0] = array.ctypes.data
        row[1 : 1 + array.ndim] = array.shape
    table = rows.reshape(-1).view(_row_type(kinds))
    _HELD[id(table)] = _Held(arrays)
    weakref.finalize(table, _HELD.pop, id(table)).atexit = False
    return table


def held_by(table: Table) -> Arrays:
    """Return the arrays that a table points to."""
    return _HELD[id(table)].arrays


def point_at(table: Table, other: Table) -> None:
    """Let a table point to the arrays of another one of the same layout, where arrays have moved.

    What is bound to the table finds the arrays of the other one from now on.
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
            LayoutError: says what was opened, and what the table holds.
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
        """Yield what the compiled code depends on (see ``footfall.jit.caching``)."""
        layout = ", ".join(map(str, fields_of(self.kind)))
        yield f"{self.kind.__qualname__} from row {self.first}: {layout}"

    @cached_property
    def _numba_type_(self) -> Any:  # Numba asks for it where a function names this one
        from footfall.jit.lowering import opener_type

        def require(row_name: str | None) -> None:
            self.require(kinds_of(row_name) if row_name is not None else None)

        return opener_type(self.kind, self.first, fields_of(self.kind), COLUMNS, require)


def kinds_of(row_name: str) -> tuple[type[Any], ...] | None:
    """Return the named tuples of a table by the name of its rows' field, None for no table."""
    return _LAYOUTS.get(row_name)


def opener(kind: type[Any], first: int) -> Any:
    """Return a function for kernels that opens a named tuple from a table.

    Args:
        kind: a ``NamedTuple`` whose fields are annotated with names of ``footfall.api.plugin``:
            ``Floats1``, ``Floats2``, ``Floats3``, ``Ints1``, ``Ints2``.
        first: row of the table where it begins: how many arrays the tuples before it have.
    """
    return Opener(kind, first)
