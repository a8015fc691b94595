"""Values of kernels while they are translated: kinds, and LLVM's operands.

A value is its kind and the operands that it consists of: one of a number, the address and the
lengths of an array, those of all items of a tuple. A value that is known when a kernel is
translated, e.g. a function, has none.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from footfall.errors import KernelError
from footfall.jit.tables import kinds_of


@dataclass(frozen=True)
class Number:
    """The kind of a number, with LLVM's name of its type."""

    name: str
    llvm: str

    def __str__(self) -> str:
        return self.name


BOOLEAN, INTEGER = Number("a boolean", "i1"), Number("an integer", "i64")
UNSIGNED, FLOAT = Number("an unsigned integer", "i64"), Number("a float", "double")
FOUR = Number("four floats", "<4 x double>")
RANKS = (BOOLEAN, INTEGER, UNSIGNED, FLOAT)
"""Numbers, each contained in those after it."""


@dataclass(frozen=True)
class Array:
    """An array's kind: address, lengths, and strides in bytes unless it is C-contiguous."""

    dtype: np.dtype[Any]
    ndim: int
    strided: bool = False
    constant: bool = False

    def __str__(self) -> str:
        return f"an array of {self.dtype} with {self.ndim} dimensions"


@dataclass(frozen=True)
class TableKind:
    """A table's kind: its address. The name of its rows' field says what it holds."""

    row: str

    def __str__(self) -> str:
        return f"a table of {self.row}"


@dataclass(frozen=True)
class Opened:
    """A named tuple of arrays in a table: the address of its first row."""

    of: type[Any]

    def __str__(self) -> str:
        return f"an opened {self.of.__qualname__}"


@dataclass(frozen=True)
class Tuple:
    """A tuple's kind, with its class if its items have names."""

    items: tuple[Kind, ...]
    of: type[Any] | None = None

    def __str__(self) -> str:
        return f"a {self.of.__qualname__}" if self.of else f"a tuple of {len(self.items)}"

    @property
    def names(self) -> tuple[str, ...]:
        """The items' names, if they have any."""
        return getattr(self.of, "_fields", ())


class Known:
    """A value that is known when a kernel is translated: a function, a module, a text, None."""

    def __init__(self, value: Any) -> None:
        self.value = value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Known) and self.value is other.value

    def __hash__(self) -> int:
        return id(self.value)

    def __str__(self) -> str:
        return str(getattr(self.value, "__qualname__", self.value))


Kind: TypeAlias = Number | Array | TableKind | Opened | Tuple | Known


class Value(NamedTuple):
    """A kind and its operands."""

    kind: Kind
    parts: tuple[str, ...] = ()

    @property
    def literal(self) -> int | None:
        """An integer that is known; None for any other value."""
        known = self.kind in (INTEGER, UNSIGNED) and self.parts[0][0] != "%"
        return int(self.parts[0]) if known else None


NOTHING = Value(Known(None))


def components(kind: Kind) -> tuple[str, ...]:
    """Return LLVM's types of the operands of a kind of value."""
    if isinstance(kind, Number):
        return (kind.llvm,)
    if isinstance(kind, Array):
        return ("ptr", *["i64"] * (kind.ndim * (2 if kind.strided else 1)))
    if isinstance(kind, Tuple):
        return tuple(one for item in kind.items for one in components(item))
    return () if isinstance(kind, Known) else ("ptr",)


def float_text(number: float) -> str:
    """Return a float as LLVM reads it, exactly."""
    return f"0x{struct.unpack('<Q', struct.pack('<d', number))[0]:016X}"


def known(value: Any) -> Value:
    """Return the value of what a kernel reads from its module: numbers and tuples as literals."""
    if isinstance(value, bool | np.bool_):
        return Value(BOOLEAN, ("true" if value else "false",))
    if isinstance(value, np.uint64):
        return Value(UNSIGNED, (str(int(value)),))
    if isinstance(value, int | np.integer):
        if not -(2**63) <= value < 2**64:
            raise KernelError(f"{value:.3e} does not fit into 64 bits")
        return Value(INTEGER, (str(int(value)),))
    if isinstance(value, float | np.floating):
        return Value(FLOAT, (float_text(float(value)),))
    if isinstance(value, tuple):
        return joined(map(known, value), type(value) if hasattr(value, "_fields") else None)
    return Value(Known(value))


def joined(values: Any, of: type[Any] | None = None) -> Value:
    """Return a tuple of values."""
    values = tuple(values)
    kind = Tuple(tuple(value.kind for value in values), of)
    return Value(kind, tuple(part for value in values for part in value.parts))


def items(value: Value) -> Iterator[Value]:
    """Yield the items of a tuple.

    Raises:
        KernelError: if it is none.
    """
    if not isinstance(value.kind, Tuple):
        raise KernelError(f"{value.kind} has no items")
    begin = 0
    for kind in value.kind.items:
        end = begin + len(components(kind))
        yield Value(kind, value.parts[begin:end])
        begin = end


def common(a: Kind, b: Kind) -> Kind:
    """Return the kind of a variable that holds both.

    Raises:
        KernelError: if there is none.
    """
    if a == b:
        return a
    if a in RANKS and b in RANKS:
        return max(a, b, key=RANKS.index)
    if isinstance(a, Tuple) and isinstance(b, Tuple) and len(a.items) == len(b.items):
        return Tuple(tuple(map(common, a.items, b.items)), a.of if a.of == b.of else None)
    if isinstance(a, Array) and isinstance(b, Array) and (a.dtype, a.ndim) == (b.dtype, b.ndim):
        strided, constant = a.strided or b.strided, a.constant or b.constant
        return Array(a.dtype, a.ndim, strided, constant)
    raise KernelError(f"{a} and {b} cannot be the same variable")


def kind_of_argument(value: Any) -> Kind:
    """Return the kind of an argument that Python gives.

    Raises:
        KernelError: if kernels do not take it.
    """
    if isinstance(value, np.ndarray):
        if value.dtype.names is not None and kinds_of(value.dtype.names[0]):
            return TableKind(value.dtype.names[0])
        dtype, flags = value.dtype, value.flags
        size = 4 if dtype.kind == "f" else 1
        if dtype.kind in "biuf" and size <= dtype.itemsize <= 8 and dtype.isnative:
            return Array(dtype, value.ndim, not flags.c_contiguous, not flags.writeable)
        raise KernelError(f"kernels take no arrays of {dtype}")
    if isinstance(value, float):
        return FLOAT
    if isinstance(value, bool | np.bool_):
        return BOOLEAN
    if isinstance(value, int | np.int64):
        return INTEGER
    raise KernelError(f"kernels take numbers, arrays and tables, no {type(value).__name__}")
