"""Signals of a recording for plots in its page: names, units and values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    import xarray as xr

ROOM = 2_000_000
"""Size of signals above which rows are left out, [byte]; rows of shown frames always stay."""
TWICE = {"q": "joint_position", "v": "joint_velocity", "tau": "joint_torque"}
"""Variables that are left out if the recording has their entries under other names."""


@dataclass(frozen=True, slots=True)
class Plotted:
    """Signals at rising times.

    Attributes:
        names: name, unit, description and labels along each dimension of each signal.
        arrays: ``signal_time`` [s], and each signal's values, ``signal0`` and so on.
    """

    names: tuple[tuple[str, str, str, list[list[str]]], ...] = ()
    arrays: Mapping[str, npt.NDArray[Any]] = field(default_factory=dict)


def plotted(run: xr.Dataset, rate: float) -> Plotted:
    """Return the signals of a recording.

    It takes all rows, or only every second, third ... if there are too many.

    Args:
        run: an opened recording.
        rate: rate of rows that are always taken, [1/s].
    """
    time = run["time"].values
    wanted = [name for name in run.data_vars if _fits(run, str(name))]
    # Not by ``run[name][0]``: xarray would import dask, if installed, which takes half a second.
    width = sum(run[name].size for name in wanted) // max(1, len(time))
    least = max(1, int(len(time) // max(1.0, rate * float(time[-1] - time[0]))))
    stride = min(least, max(1, -(-4 * width * len(time) // ROOM)))
    arrays: dict[str, npt.NDArray[Any]] = {"signal_time": np.asarray(time[::stride], np.float64)}
    names = []
    for number, name in enumerate(wanted):
        variable = run[name]
        labels = [[str(label) for label in run[dim].values] for dim in variable.dims[1:]]
        attributes = variable.attrs
        names.append(
            (str(name), attributes.get("units", "1"), attributes.get("long_name", ""), labels)
        )
        with np.errstate(over="ignore"):
            arrays[f"signal{number}"] = variable.values[::stride].astype(np.float32)
    return Plotted(tuple(names), arrays)


def _fits(run: xr.Dataset, name: str) -> bool:
    variable = run[name]
    numbers = variable.dtype.kind in "fiub" and variable.size > 0
    labelled = all(dim in run.coords for dim in variable.dims[1:])
    return bool(
        variable.dims[:1] == ("time",) and numbers and labelled and TWICE.get(name) not in run
    )
