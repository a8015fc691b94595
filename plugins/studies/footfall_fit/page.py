"""The page of a fit: tables and plots of the worst pieces, in one file."""

from __future__ import annotations

from html import escape
from importlib.util import find_spec
from typing import Any

import numpy as np

from footfall.api.plugin import Floats, PluginError
from footfall_fit.outcome import Estimate, Fit, LawFit, Piece, fold_text, interval_text, mean_text

STYLES: tuple[dict[str, Any], ...] = (
    {"mode": "markers", "marker": {"color": "#222222", "size": 3}},
    {"mode": "lines", "line": {"color": "#d62728", "width": 1.6}},
)
"""Styles of measured and simulated curves."""
ABREAST = 4
"""Greatest number of plotted quantities per piece."""
DIGITS = 7
"""Number of plotted decimals, so that rounding errors are not visible."""
HEIGHT = 210
"""Height of a row of plots, [pixels]."""
STYLE = """\
body { font: 15px/1.45 system-ui, sans-serif; margin: 1.5rem auto; max-width: 1300px;
  padding: 0 1rem; color: #222; background: #fff; }
h1 { font-size: 1.5rem; margin-bottom: 0.2rem; } h2 { font-size: 1.15rem; margin-bottom: 0; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; margin: 0.6rem 0; }
th, td { padding: 0.2rem 0.7rem; text-align: left; border-bottom: 1px solid #ddd; }
td.number { text-align: right; } tr.refused td { color: #a33; }
p { max-width: 62rem; } .small { color: #666; font-size: 0.9em; }
"""


def page_text(fit: Fit) -> str:
    """Return the page as HTML, which needs no network.

    Raises:
        PluginError: if plotly is not installed; names the install command.
    """
    if find_spec("plotly") is None:
        raise PluginError(f'the page needs "plotly": {PluginError.pip("plots")}')
    from plotly.offline import get_plotlyjs

    title = f"{escape(fit.scene)} fitted"
    sizes = ", ".join(f"{name} {size:g} {fit.units[name]}" for name, size in fit.sigma.items())
    held = (
        f"{fit.folds} parts of {fit.groups} groups were held out in turn"
        if fit.folds
        else "nothing was held out"
    )
    intro = (
        f"Trajectories: {fit.trajectories}, pieces: {fit.pieces}; {held}. Each piece is "
        f"simulated from its first row. Error of size 1: {sizes}"
        + ("." if fit.loss == "linear" else f"; loss {fit.loss}.")
    )
    notes = "".join(f"<p>{escape(note)}.</p>" for note in fit.notes)
    drawn = draw(fit.best)
    plots = "" if drawn is None else drawn.to_html(
        full_html=False, include_plotlyjs=False, div_id="worst"
    )  # fmt: skip
    return (
        "<!DOCTYPE html>\n"
        f'<html lang="en"><head><meta charset="utf-8"><title>{title}</title>\n'
        '<meta name="viewport" content="width=device-width">\n'
        f"<style>\n{STYLE}</style></head>\n<body>\n<h1>{title}</h1>\n<p>{escape(intro)}</p>{notes}\n"
        f"{_laws(fit)}\n{''.join(_law(one, fit) for one in fit.laws if not one.refused)}\n"
        f"<h2>The worst pieces under {escape(fit.best.law)}</h2>\n"
        '<p class="small">Dots are measured, lines simulated'
        f"{' with parameters fitted to other data' if fit.folds else ''}; the number "
        "is the root mean square residual.</p>\n"
        f'<script>{get_plotlyjs()}</script><div class="wide">{plots}</div>\n</body></html>\n'
    )


def _table(head: list[str], rows: list[list[str]], classes: list[str] | None = None) -> str:
    lines = [
        f'<tr class="{kind}">' + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>"
        for row, kind in zip(rows, classes or [""] * len(rows), strict=True)
    ]
    top = "".join(f"<th>{escape(cell)}</th>" for cell in head)
    return f'<div class="wide"><table><tr>{top}</tr>\n{"".join(lines)}</table></div>'


def _laws(fit: Fit) -> str:
    """Return the table of laws, if there are several."""
    if len(fit.laws) < 2:
        return ""
    head = ["law", "error held out" if fit.folds else "error", "all data", "at the start", ""]
    rows, classes = [], []
    for one in fit.laws:
        means = ", ".join(mean_text(name, x, fit.units[name]) for name, x in one.mean.items())
        figures = [f"{x:.4g}" for x in (one.score, one.error, one.start_error)]
        told = ["", "", "", f"refused: {one.refused}"] if one.refused else [*figures, means]
        rows.append([one.law, *told])
        classes.append("refused" if one.refused else "")
    return _table(head, rows, classes)


def _law(one: LawFit, fit: Fit) -> str:
    head = ["parameter", "value", "95 %", "folds", "start", "bounds"]
    table = _table(head, [_row(estimate) for estimate in one.estimates])
    ending = "" if one.converged else " The search did not converge."
    lost = f" {one.lost} pieces could not be simulated to their end." if one.lost else ""
    told = (
        f"Error {one.error:.4g}, at the start {one.start_error:.4g}. "
        f"Condition {one.condition:.3g}; intervals from {one.intervals}. Slopes: {one.slopes}. "
        f"{one.runs} runs in {one.seconds:.1f} s, {one.played}.{lost}{ending}"
    )
    return f'<h2>{escape(one.law)}</h2>{table}<p class="small">{escape(told)}</p>'


def _row(one: Estimate) -> list[str]:
    low, high = one.bounds
    bounds = f"{low:.6g} to {high:.6g}"
    start = f"{one.start:.6g}"
    return [one.key, f"{one.value:.6g}", interval_text(one), fold_text(one), start, bounds]


def draw(one: LawFit) -> Any:
    """Return a figure of the worst pieces, one row each; None if none was kept."""
    from plotly.graph_objects import Scatter
    from plotly.subplots import make_subplots

    kept = [piece for piece in one.pieces if piece.simulated is not None]
    curves = [_curves(piece) for piece in kept]
    if not kept:
        return None
    columns = max(len(found) for found in curves)
    titles = [
        name if column else f"{_short(piece.name)} ({piece.error:.3g}): {name}"
        for piece, found in zip(kept, curves, strict=True)
        for column, name in enumerate([*found, *[""] * (columns - len(found))])
    ]
    figure = make_subplots(
        rows=len(kept),
        cols=columns,
        subplot_titles=titles,
        horizontal_spacing=0.06,
        vertical_spacing=0.32 / len(kept),
    )
    for row, (piece, found) in enumerate(zip(kept, curves, strict=True), start=1):
        assert piece.measured is not None
        for column, both in enumerate(found.values(), start=1):
            for values, name, style in zip(both, ("measured", "simulated"), STYLES, strict=True):
                y = np.round(values, DIGITS)
                shown = row == 1 and column == 1
                line = Scatter(
                    x=piece.measured.time, y=y, name=name, legendgroup=name, showlegend=shown
                )
                figure.add_trace(line.update(style), row=row, col=column)
    figure.update_layout(
        height=HEIGHT * len(kept) + 80,
        template="plotly_white",
        margin={"l": 50, "r": 20, "t": 80, "b": 40},
        font={"size": 11},
        legend={"orientation": "h", "yref": "container", "y": 1.0, "yanchor": "top", "x": 0.0},
    )
    figure.update_annotations(font_size=12)
    figure.update_xaxes(title_text="time [s]", row=len(kept))
    return figure


def _short(name: str) -> str:
    return name.rsplit("/", 1)[-1]


def _curves(piece: Piece) -> dict[str, tuple[Floats, Floats]]:
    """Return measured and simulated curves by title, of the first base or of the joints.

    Of the joints those that move most are taken.
    """
    from scipy.spatial.transform import Rotation

    assert piece.measured is not None
    assert piece.simulated is not None
    there, here = piece.measured.q, piece.simulated.q
    if not piece.floating:
        moved = np.argsort(-np.ptp(there, axis=0), kind="stable")[:ABREAST]
        return {f"{piece.labels[k]}": (there[:, k], here[:, k]) for k in sorted(moved)}
    found = {f"{axis} [m]": (there[:, k], here[:, k]) for k, axis in enumerate("xyz")}
    start = Rotation.from_quat(there[0, 3:7]).inv()
    whole = np.where(np.isfinite(here[:, 3:7]), here[:, 3:7], there[0, 3:7])
    turned = [
        np.degrees((start * Rotation.from_quat(q)).magnitude()) for q in (there[:, 3:7], whole)
    ]
    turned[1] = np.where(np.isfinite(here[:, 3]), turned[1], np.nan)
    return {**found, "turned since the start [deg]": (turned[0], turned[1])}
