"""Overlaid plots of a comparison, drawn by plotly."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

import numpy as np

from footfall.errors import PluginError
from footfall_compare.curves import Curve, curves, moving
from footfall_compare.outcome import Comparison, Outcome

COLOURS = ("#1f77b4", "#d62728", "#2ca02c", "#ff7f0e", "#9467bd", "#17becf", "#8c564b", "#e377c2")
DASHES = ("solid", "dash", "dot", "dashdot", "longdash", "longdashdot")
ABREAST = 2
"""Plots beside each other."""
HEIGHT = 290
"""Of a plot with its title, [pixels]."""


def require_plotly() -> None:
    """Refuse to draw without the package that draws.

    Raises:
        PluginError: if plotly is not installed; says how to install it.
    """
    if find_spec("plotly") is None:
        raise PluginError('the page needs "plotly": pip install "footfall[plots]"')


def draw(comparison: Comparison) -> Any:
    """Return a plotly figure with one plot a quantity and one line a combination; None if empty.

    The first key that is varied sets the colour, the others the dashes. A click in the legend
    hides a combination in every plot; time axes move together.
    """
    from plotly.subplots import make_subplots

    drawn = [o for o in comparison.outcomes if o.recording is not None]
    found = [curves(outcome, comparison.reference) for outcome in drawn]
    titles = moving(found)
    if not titles:
        return None
    lines = -(-len(titles) // ABREAST)
    figure = make_subplots(
        rows=lines,
        cols=ABREAST,
        subplot_titles=titles,
        shared_xaxes="all",
        vertical_spacing=70 / (HEIGHT * lines),
        horizontal_spacing=0.09,
    )
    for outcome, its in zip(drawn, found, strict=True):
        _add(figure, outcome, {curve.title: curve for curve in its}, titles)
    _arrange(figure, len(titles))
    return figure


def _add(figure: Any, outcome: Outcome, its: dict[str, Curve], titles: list[str]) -> None:
    """Add a combination's lines; the first of them stands for all in the legend."""
    from plotly.graph_objects import Scatter

    label, shown = outcome.combination.label, True
    for number, title in enumerate(titles):
        if title not in its:
            continue
        curve, place = its[title], _place(number)
        line = Scatter(
            x=curve.x,
            y=curve.y.astype(np.float32) if curve.scale == "log" else curve.y,
            name=label,
            legendgroup=str(outcome.combination.number),
            showlegend=shown,
            mode="lines",
            line=_style(outcome),
        )
        figure.add_trace(line, **place)
        figure.update_yaxes(title_text=f"[{curve.unit}]", type=curve.scale, **place)
        shown = False


def _style(outcome: Outcome) -> dict[str, Any]:
    first, *rest = outcome.combination.places
    dash = 0
    for place in rest:
        dash = dash * len(DASHES) + place
    return {
        "color": COLOURS[first % len(COLOURS)],
        "dash": DASHES[dash % len(DASHES)],
        "width": max(1.3, 3.4 - 0.6 * first),  # what lies beneath shows at the edges
    }


def _arrange(figure: Any, n: int) -> None:
    lines = -(-n // ABREAST)
    figure.update_layout(
        height=HEIGHT * lines + 120,
        template="plotly_white",
        margin={"l": 70, "r": 20, "t": 90, "b": 50},
        legend={"orientation": "h", "yanchor": "top", "y": 1.0, "x": 0.0, "yref": "container"},
        hovermode="x unified",
        font={"size": 12},
    )
    figure.update_xaxes(showticklabels=True)
    figure.update_yaxes(exponentformat="power", title_standoff=4)
    for number in range(max(n - ABREAST, 0), n):
        figure.update_xaxes(title_text="time [s]", **_place(number))


def _place(number: int) -> dict[str, int]:
    return {"row": number // ABREAST + 1, "col": number % ABREAST + 1}
