"""The layout of a recording: variables packed in one flat row, and ragged tables."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

import numpy as np

from footfall.errors import RecordingError, nearest
from footfall.typing import Floats

StoredType = Literal["float64", "int64", "int8", "bool"]


@dataclass(frozen=True, slots=True)
class Variable:
    """One recorded quantity, or one column of a ragged table.

    Attributes:
        name: identifier, unique in the recording.
        dims: names of its dimensions beyond the first (``time``, or the table's rows).
        shape: sizes of those dimensions; zero is allowed.
        units: SI units, ``"1"`` for counts and ratios.
        long_name: description with its frame, in one line.
        dtype: type on disk. The simulator's row is always float64; values are converted when they
            are written.
        attributes: further attributes of the array, e.g. ``flag_values``.
    """

    name: str
    dims: tuple[str, ...] = ()
    shape: tuple[int, ...] = ()
    units: str = "1"
    long_name: str = ""
    dtype: StoredType = "float64"
    attributes: Mapping[str, Any] = field(default_factory=dict, hash=False)

    def __post_init__(self) -> None:
        if not self.name.isidentifier() or self.name.startswith("_"):
            raise RecordingError(f"variable {self.name!r}: the name must be an identifier")
        if len(self.dims) != len(self.shape):
            raise RecordingError(f"variable {self.name!r}: dims {self.dims}, shape {self.shape}")
        if self.dtype not in get_args(StoredType):
            raise RecordingError(
                f"variable {self.name!r}: dtype {self.dtype!r}, allowed {get_args(StoredType)}"
            )

    @property
    def width(self) -> int:
        """Number of entries in one row."""
        return math.prod(self.shape)


@dataclass(frozen=True, slots=True)
class RaggedTable:
    """A table with any number of rows per time row (detected contacts, events).

    Stored as compressed rows: the array ``<name>_start`` (time) holds the first row of each time
    row, and each column is an array ``<name>_<column>`` along ``<name>_row``. The rows of time row
    k are ``start[k]`` to ``start[k + 1]``, or to the end of the table for the last k.
    """

    name: str
    columns: tuple[Variable, ...]

    @property
    def dtype(self) -> np.dtype[np.void]:
        """Structured type of one row, one field per column, aligned for kernels."""
        return np.dtype([(c.name, c.dtype, c.shape) for c in self.columns], align=True)

    @property
    def row_dim(self) -> str:
        """Name of the dimension along which the rows lie."""
        return f"{self.name}_row"

    @property
    def array_names(self) -> tuple[str, ...]:
        """Names of the arrays that store the table: row pointer first, then columns."""
        return (f"{self.name}_start", *(f"{self.name}_{c.name}" for c in self.columns))


@dataclass(frozen=True, slots=True, init=False)
class Layout:
    """Variables one after another in one flat float64 row, and the ragged tables beside it.

    Attributes:
        variables: variables in the order of the row.
        tables: ragged tables, which are not part of the row.
        width: number of float64 entries in a row.
        sizes: size of each dimension beyond time.
    """

    variables: tuple[Variable, ...]
    tables: tuple[RaggedTable, ...]
    width: int
    sizes: Mapping[str, int] = field(hash=False)
    _slices: dict[str, tuple[slice, tuple[int, ...]]] = field(hash=False, repr=False)

    def __init__(
        self, variables: tuple[Variable, ...], tables: tuple[RaggedTable, ...] = ()
    ) -> None:
        slices: dict[str, tuple[slice, tuple[int, ...]]] = {}
        start = 0
        for variable in variables:
            slices[variable.name] = slice(start, start + variable.width), variable.shape
            start += variable.width
        object.__setattr__(self, "variables", tuple(variables))
        object.__setattr__(self, "tables", tuple(tables))
        object.__setattr__(self, "width", start)
        object.__setattr__(self, "sizes", _sizes(variables, tables))
        object.__setattr__(self, "_slices", slices)

    def slice_of(self, name: str) -> slice:
        """Return the variable's slice of the row.

        Raises:
            RecordingError: if there is no such variable.
        """
        return self._find(name)[0]

    @property
    def starts(self) -> dict[str, int]:
        """First entry of each variable in the row, by name."""
        return {name: where.start for name, (where, _) in self._slices.items()}

    def view(self, rows: Floats, name: str) -> Floats:
        """Return the variable's entries as a view in its own shape.

        Args:
            rows: one row, shape (width,), or n rows, shape (n, width); C-contiguous.
            name: name of the variable.

        Returns:
            Shape (*shape) or (n, *shape); writing to it writes to ``rows``.
        """
        where, shape = self._find(name)
        return rows[..., where].reshape((*rows.shape[:-1], *shape))

    def _find(self, name: str) -> tuple[slice, tuple[int, ...]]:
        try:
            return self._slices[name]
        except (KeyError, TypeError):
            raise RecordingError(
                f"no variable {name!r} in the recording{nearest(name, self._slices)}"
            ) from None


def _sizes(variables: tuple[Variable, ...], tables: tuple[RaggedTable, ...]) -> dict[str, int]:
    """Return the sizes of the dimensions; raise if names or sizes clash."""
    names = [v.name for v in variables] + [name for table in tables for name in table.array_names]
    doubled = sorted({name for name in names if names.count(name) > 1})
    if doubled:
        raise RecordingError(f"recording: several variables are named {', '.join(doubled)}")
    sizes: dict[str, int] = {}
    for variable in (*variables, *(c for table in tables for c in table.columns)):
        for dim, size in zip(variable.dims, variable.shape, strict=True):
            if dim in names or sizes.setdefault(dim, size) != size:
                raise RecordingError(
                    f"variable {variable.name!r}: dimension {dim!r} of size {size} clashes with "
                    f"{f'size {sizes[dim]}' if dim in sizes else 'a variable of that name'}"
                )
    return sizes


def identifier(name: str) -> str:
    """Return a name with underscores for all but letters and digits, for a variable's name."""
    return "".join(c if c.isalnum() else "_" for c in name)
