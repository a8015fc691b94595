"""The signals of a recording as columns: names, units, values."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from footfall.api.plugin import Floats

if TYPE_CHECKING:
    import xarray as xr


@dataclass(frozen=True, slots=True)
class Signal:
    """A recorded quantity.

    Attributes:
        name: name in the recording.
        units: SI units.
        about: short description.
        labels: labels of its entries along the recording's dimensions, joined by commas; one empty
            label without dimensions.
    """

    name: str
    units: str
    about: str
    labels: tuple[str, ...]

    def values(self, run: xr.Dataset, rows: slice) -> Floats:
        """Return the values of a slice of rows, shape (rows, entries)."""
        values = run[self.name][rows].values
        return np.asarray(values, float).reshape(len(values), len(self.labels))


def signals(run: xr.Dataset) -> Iterator[Signal]:
    """Yield all numeric signals of a recording along time, without time itself.

    Args:
        run: an opened recording.
    """
    for key in run.data_vars:
        variable = run[key]
        if variable.dims[:1] != ("time",) or variable.dtype.kind not in "fiub" or not variable.size:
            continue
        names = [
            [str(one) for one in run[dim].values] if dim in run.coords else map(str, range(size))
            for dim, size in zip(variable.dims[1:], variable.shape[1:], strict=True)
        ]
        labels = tuple(",".join(place) for place in itertools.product(*names))
        about = variable.attrs
        yield Signal(str(key), about.get("units", "1"), about.get("long_name", ""), labels)


def blocks(count: int, size: int = 1000) -> Iterator[slice]:
    """Yield slices of ``size`` rows, so that a recording need not fit into memory."""
    for start in range(0, count, size):
        yield slice(start, min(start + size, count))
