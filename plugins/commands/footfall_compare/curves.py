"""Curves of a run, for overlaid plots of several runs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from footfall.api.plugin import Floats
from footfall_compare.outcome import Outcome
from footfall_compare.trajectory import Trajectory

if TYPE_CHECKING:
    import xarray as xr

MOST = 1500
"""Greatest number of points of a curve; longer ones are thinned, with extremes kept."""
FEW_JOINTS = 4
"""Greatest number of joints with a plot each; for more, only the difference is plotted."""
STILL = 1e-9
"""Positions that change by less are not plotted, [m]."""
LEAST = 1e-16
"""Smallest plotted residual, on a logarithmic axis, [m/s]."""
CLOSE = 1e-12
"""Smallest plotted difference, [m or rad]; smaller ones are rounding errors."""


@dataclass(frozen=True, slots=True)
class Curve:
    """A quantity over time.

    Attributes:
        title: title of its plot.
        unit: unit of y.
        scale: scale of the plot's vertical axis.
        x: shape (n,), time, [s].
        y: shape (n,).
    """

    title: str
    unit: str
    scale: str
    x: Floats
    y: Floats


def curves(outcome: Outcome, reference: Outcome | None) -> list[Curve]:
    """Return the thinned curves of a recorded run."""
    with outcome.open() as run:
        found = [*_motion(run), *_laws(run)]
    if reference is not None and reference is not outcome:
        found += _apart(outcome.trajectory, reference)
    return [_thinned(curve) for curve in found]


def moving(all_curves: list[list[Curve]]) -> list[str]:
    """Return the titles of plots in order, without positions that do not change."""
    spans: dict[str, float] = {}
    for curve in (curve for found in all_curves for curve in found):
        span = float(np.nanmax(curve.y) - np.nanmin(curve.y)) if len(curve.y) else 0.0
        if curve.unit != "m":
            span = np.inf
        spans[curve.title] = max(spans.get(curve.title, 0.0), span)
    return [title for title, span in spans.items() if span > STILL]


def _motion(run: xr.Dataset) -> Iterator[Curve]:
    """Yield positions of bodies and, if there are few, of joints."""
    time = run["time"].values
    for body in run["body"].values:
        for axis, name in (("z", "height"), ("x", "x"), ("y", "y")):
            values = run["base_position"].sel(body=body, axis=axis).values
            yield Curve(f"{name} of {body}", "m", "linear", time, values)
    if "joint_position" in run and run.sizes["joint"] <= FEW_JOINTS:
        for joint in run["joint"].values:
            values = run["joint_position"].sel(joint=joint).values
            yield Curve(f"joint {joint}", "rad or m", "linear", time, values)


def _laws(run: xr.Dataset) -> Iterator[Curve]:
    """Yield energies, contact quantities and the residual."""
    time, dt = run["time"].values, float(run.attrs["time_step"])
    energy = run["kinetic_energy"] + run["potential_energy"] + run["elastic_energy"]
    yield Curve("kinetic + potential + elastic energy", "J", "linear", time, energy.values)
    yield Curve("energy dissipated", "J", "linear", time, run["dissipated_energy"].values)
    if run.sizes.get("contact"):
        gap = run["gap"].min("contact").values
        yield Curve("smallest gap (negative: penetration)", "mm", "linear", time, 1e3 * gap)
        normal = run["impulse"].sel(contact_axis="normal").sum("contact").values / dt
        yield Curve("normal force, all contacts, mean of a step", "N", "linear", time, normal)
        residual = run["residual_natural_map"].values
        if np.isfinite(residual).any():
            yield Curve("residual (natural map)", "m/s", "log", time, np.maximum(residual, LEAST))


def _apart(trajectory: Trajectory | None, reference: Outcome) -> Iterator[Curve]:
    """Yield differences of a motion from the reference's, at the rows of the coarser one."""
    other = reference.trajectory
    if trajectory is None or other is None or not trajectory.is_like(other):
        return
    coarse = min(trajectory.time, other.time, key=len)
    times = coarse[coarse <= min(trajectory.time[-1], other.time[-1])]
    if not len(times):
        return
    apart = trajectory.differences(other, times)
    is_there = ~np.isnan(apart[0])
    apart = np.maximum(apart, CLOSE)
    if is_there[0]:
        yield Curve("base position off", "mm", "log", times, 1e3 * apart[:, 0])
        yield Curve("base orientation off", "rad", "log", times, apart[:, 1])
    if is_there[2]:
        yield Curve("joints off (the largest)", "rad or m", "log", times, apart[:, 2])


def _thinned(curve: Curve) -> Curve:
    """Return the curve with only the lowest and highest point of each interval."""
    n = len(curve.x)
    if n <= MOST:
        return curve
    edges = np.linspace(0, n, MOST // 2 + 1).astype(int)
    kept = {0, n - 1}
    for start, end in pairwise(edges):
        part = np.nan_to_num(curve.y[start:end])
        kept |= {start + int(part.argmin()), start + int(part.argmax())}
    at = np.array(sorted(kept))
    return Curve(curve.title, curve.unit, curve.scale, curve.x[at], curve.y[at])
