"""The page of a comparison: table and overlaid plots in one file that needs no network."""

from __future__ import annotations

import platform
from datetime import UTC, datetime
from html import escape
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from footfall.api.command import write_whole
from footfall.api.plugin import PluginError, RecordingError
from footfall_compare.curves import Curve, curves, moving
from footfall_compare.outcome import Comparison, Outcome
from footfall_compare.table import COLUMNS, columns, notes, rows
from footfall_compare.variation import value_text

COLOURS = ("#1f77b4", "#d62728", "#2ca02c", "#ff7f0e", "#9467bd", "#17becf", "#8c564b", "#e377c2")
DASHES = ("solid", "dash", "dot", "dashdot", "longdash", "longdashdot")
ABREAST = 2
"""Number of plots per row."""
PACKAGES = ("footfall", "numpy", "llvmlite", "scipy", "pin", "proxsuite")
"""Distributions whose versions are on the page."""
HEIGHT = 290
"""Height of a plot with its title, [pixels]."""


def require_plotly() -> None:
    """Check that plotly is installed.

    Raises:
        PluginError: if plotly is not installed; names the install command.
    """
    if find_spec("plotly") is None:
        raise PluginError(f'the page needs "plotly": {PluginError.pip("plots")}')


def draw(comparison: Comparison) -> Any:
    """Return a figure with one plot per quantity and one line per combination; None if empty.

    The first varied key sets the colour, the others the dash style. A click in the legend hides a
    combination in all plots; time axes are linked.
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
    """Add a combination's lines; the first one is its legend entry."""
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
        "width": max(1.3, 3.4 - 0.6 * first),  # lines beneath stay visible at the edges
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


STYLE = """\
body { font: 15px/1.45 system-ui, sans-serif; margin: 1.5rem auto; max-width: 1400px;
  padding: 0 1rem; color: #222; background: #fff; }
h1 { font-size: 1.5rem; margin-bottom: 0.2rem; }
code { font: 0.92em ui-monospace, monospace; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; margin: 1rem 0; }
th, td { padding: 0.25rem 0.7rem; text-align: right; border-bottom: 1px solid #ddd; }
th { vertical-align: bottom; font-weight: 600; } th small { font-weight: 400; color: #666; }
td { white-space: nowrap; } td.value, th.value { text-align: left; }
tr.refused td, tr.failed td { color: #a33; }
li, p { max-width: 60rem; } .small { color: #666; font-size: 0.9em; }
"""


def write_page(comparison: Comparison, path: Path, *, overwrite: bool) -> Path:
    """Write the page atomically.

    Returns:
        Path of the page.

    Raises:
        PluginError: if plotly is not installed; names the install command.
        RecordingError: if the file exists or cannot be written.
    """
    require_plotly()
    RecordingError.refuse_unwritable(path, overwrite)
    text = page_text(comparison)
    with RecordingError.of_file(path):
        write_whole(path, text)
    return path


def page_text(comparison: Comparison) -> str:
    """Return the page as HTML."""
    title = f"{escape(comparison.scene)} compared"
    reasons = "".join(f"<li>{escape(note)}</li>" for note in notes(comparison))
    figure = draw(comparison)
    return (
        "<!DOCTYPE html>\n"
        f'<html lang="en"><head><meta charset="utf-8"><title>{title}</title>\n'
        '<meta name="viewport" content="width=device-width">\n'
        f"<style>\n{STYLE}</style></head>\n<body>\n<h1>{title}</h1>\n"
        f"<p>{_varied(comparison)}</p>\n"
        f'<div class="wide">{_table(comparison)}</div>\n<ul>{reasons}</ul>\n'
        f"{_plots(figure)}\n{_meanings()}\n"
        f'<p class="small">{escape(_circumstances())}</p>\n</body></html>\n'
    )


def _circumstances() -> str:
    """Return date, package versions and machine in a sentence."""
    packages = ", ".join(f"{name} {version(name)}" for name in PACKAGES)
    day, python = datetime.now(UTC).date().isoformat(), platform.python_version()
    machine = f"{platform.system()} {platform.machine()}"
    return f"Measured on {day} with {packages}, Python {python} on {machine}."


def _varied(comparison: Comparison) -> str:
    parts = [
        f"<code>{escape(v.key)}</code>: {escape(', '.join(value_text(x) for x in v.values))}"
        for v in comparison.variations
    ]
    return "; ".join(parts)


def _table(comparison: Comparison) -> str:
    """Return the table of the command as HTML."""
    names = ["", *(escape(variation.key) for variation in comparison.variations)]
    head = "".join(f'<th class="value">{name}</th>' for name in names)
    head += "".join(f"<th>{c.title}<br><small>[{c.unit}]</small></th>" for c in columns(comparison))
    lines = []
    for outcome, row in zip(comparison.outcomes, rows(comparison), strict=True):
        n = len(names)
        cells = "".join(f'<td class="value">{escape(cell)}</td>' for cell in row[:n])
        cells += "".join(f"<td>{escape(cell)}</td>" for cell in row[n:])
        lines.append(f'<tr class="{outcome.ending}">{cells}</tr>')
    return f"<table><tr>{head}<th></th></tr>\n{''.join(lines)}</table>"


def _plots(figure: Any) -> str:
    """Return the plots and the library that shows them."""
    if figure is None:
        return "<p>No run was recorded, so there are no plots.</p>"
    from plotly.offline import get_plotlyjs

    drawn = figure.to_html(full_html=False, include_plotlyjs=False, div_id="plots")
    help_ = (
        "Click a name to hide it in all plots; double-click to show it alone. Drag to zoom all "
        "time axes; double-click to reset."
    )
    return f'<p class="small">{help_}</p><script>{get_plotlyjs()}</script>{drawn}'


def _meanings() -> str:
    listed = "".join(
        f"<li>{column.title} [{column.unit}]: {escape(column.meaning)}</li>" for column in COLUMNS
    )
    return f"<h2>The columns</h2><ul>{listed}</ul>"
