"""Figures of a study: curves of all laws in one plot."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from footfall.api.command import write_whole
from footfall_validate.laws.check import Trace
from footfall_validate.laws.finding import Finding

SAME = 0.004
"""Largest distance, as part of the figure's height, of curves that are drawn as one."""
MOST_NAMES = 10
"""Most names of one curve in the legend."""
STYLE: Any = {
    "axes.grid": True,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "figure.constrained_layout.use": True,
    "font.size": 9,
    "grid.alpha": 0.3,
    "legend.frameon": False,
    "legend.fontsize": 7,
    "svg.fonttype": "none",
    "svg.hashsalt": "footfall",
}
METADATA: Any = {"Date": None, "Creator": None}


@dataclass(frozen=True, slots=True)
class Figure:
    """Labels and style of a figure.

    Attributes:
        check: name of the check that yields its curves.
        x: label of the horizontal axis.
        y: label of the vertical axis.
        scale: scale of the vertical axis.
        limits: limits of the vertical axis; None: chosen from the curves.
        marker: marker of the points, as in matplotlib; "": none.
    """

    check: str
    x: str
    y: str
    scale: str = "linear"
    limits: tuple[float, float] | None = None
    marker: str = ""


FIGURES = {
    "slip_threshold": Figure(
        "slip_threshold", "direction of the pull [deg]", "force over mu m g", limits=(0.85, 1.95)
    ),
    "energy": Figure("energy", "time [s]", "kinetic + potential energy [J]"),
    "creep": Figure("creep", "time [s]", "way [m]", "log"),
    "stopping_path": Figure("stopping", "way along the first velocity [m]", "way aside [m]"),
    "sliding_speed": Figure("sliding_cube", "time [s]", "speed [m/s]", limits=(-0.5, 6.5)),
    "sliding_rise": Figure("sliding_cube", "time [s]", "rise [mm]"),
    "rolling_slip": Figure("rolling_ball", "time [s]", "slip [m/s]", limits=(-0.1, 2.2)),
    "resting_depth": Figure("resting_depth", "time [s]", "depth [mm]"),
    "landing": Figure("landing", "time [s]", "height [m]", limits=(-0.3, 1.05)),
    "bounce": Figure("bounce", "time [s]", "height [m]", limits=(-0.1, 1.05)),
}


@dataclass(slots=True)
class Curve:
    """Curves that look the same, under all their names."""

    trace: Trace
    names: list[str] = field(default_factory=list)


def draw(folder: Path, findings: Sequence[Finding]) -> dict[str, list[str]]:
    """Draw every figure that has curves; return the names of figures by check."""
    drawn: dict[str, list[str]] = {}
    for name, figure in FIGURES.items():
        curves = merged(name, figure, findings)
        if curves:
            save(folder, name, figure, curves)
            drawn.setdefault(figure.check, []).append(name)
    return drawn


@contextmanager
def figure_file(path: Path, *grid: int, **settings: Any) -> Iterator[Any]:
    """Yield the axes of a Matplotlib figure, then write it as SVG, whole or not at all.

    Args:
        path: the file.
        grid: numbers of rows and columns, for several axes.
        settings: further arguments of ``pyplot.subplots``.
    """
    import matplotlib as mpl
    from matplotlib import pyplot as plt

    mpl.use("Agg")
    with mpl.rc_context(STYLE):
        canvas, axes = plt.subplots(*grid, **settings)
        yield axes
        drawn = io.BytesIO()
        canvas.savefig(drawn, format="svg", metadata=METADATA)
        write_whole(path, drawn.getvalue())
        plt.close(canvas)


def save(folder: Path, name: str, figure: Figure, curves: Sequence[Curve]) -> None:
    """Draw one figure into a folder."""
    with figure_file(folder / f"{name}.svg", figsize=(7, 3.2)) as axes:
        _plot(axes, figure, curves)


def merged(name: str, figure: Figure, findings: Sequence[Finding]) -> list[Curve]:
    """Return the curves of a figure; curves that look the same are one, with several names."""
    found = [(f.laws, t) for f in findings for t in f.traces if t.figure == name]
    several = len({laws.impact for laws, _ in found}) > 1
    labelled = []
    for laws, trace in found:
        with_impact = several and laws.impact != "none"
        label = f"{laws.contact} + {laws.impact}" if with_impact else laws.contact
        labelled.append((label, trace))
    return merge(labelled, figure)


def merge(labelled: Sequence[tuple[str, Trace]], figure: Figure) -> list[Curve]:
    """Return curves, each with the labels of all curves that look the same."""
    curves: list[Curve] = []
    height = max((float(np.ptp(np.array(trace.y))) for _, trace in labelled), default=0.0)
    if figure.limits:
        height = figure.limits[1] - figure.limits[0]
    for label, trace in labelled:
        same = next((c for c in curves if _same(c.trace, trace, figure, height)), None)
        if same is None:
            same = Curve(trace)
            curves.append(same)
        if label not in same.names:
            same.names.append(label)
    return curves


def _same(one: Trace, other: Trace, figure: Figure, height: float) -> bool:
    if len(one.y) != len(other.y):
        return False
    a, b = np.array(one.y), np.array(other.y)
    x, width = np.array(one.x) - np.array(other.x), np.ptp(np.array(one.x))
    if np.abs(x).max() > SAME * width:
        return False
    if figure.scale == "log":
        return bool(np.abs(np.log10(a / b)).max() < 0.1)
    return bool(np.abs(a - b).max() <= SAME * max(height, 1e-9))


def _plot(axes: Any, figure: Figure, curves: Sequence[Curve]) -> None:
    from matplotlib import colormaps

    styles = ("-", "--", "-.", ":")
    for k, curve in enumerate(curves):
        label, colour = _legend(curve.names), colormaps["tab10"](k % 10)
        style = {"color": colour, "marker": figure.marker, "linewidth": 1.2}
        axes.plot(curve.trace.x, curve.trace.y, styles[k % 4], label=label, **style)
    axes.set(xlabel=figure.x, ylabel=figure.y, yscale=figure.scale)
    if figure.marker:  # the horizontal axis counts things
        axes.set_xticks(curves[0].trace.x)
    if figure.limits:
        axes.set_ylim(figure.limits)
    axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5))


def _legend(names: Sequence[str]) -> str:
    """Return the names of a curve, one per line; if there are many, the first ones and a count."""
    if len(names) <= MOST_NAMES:
        return ",\n".join(names)
    return ",\n".join([*names[: MOST_NAMES - 1], f"and {len(names) - MOST_NAMES + 1} more"])
