"""The page of a comparison: table and overlaid plots in one file that needs no network."""

from __future__ import annotations

import os
from html import escape
from pathlib import Path
from typing import Any

from footfall.errors import RecordingError
from footfall_compare.outcome import Comparison
from footfall_compare.plots import draw, require_plotly
from footfall_compare.table import COLUMNS, columns, notes, rows
from footfall_compare.variation import value_text
from footfall_validate.circumstances import circumstances

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
    """Write the page; it appears whole or not at all.

    Returns:
        Path of the page.

    Raises:
        PluginError: if plotly is not installed; says how to install it.
        RecordingError: if the file exists or cannot be written.
    """
    require_plotly()
    if path.exists() and not overwrite:
        raise RecordingError(f"{path} exists: choose another name, or allow overwriting")
    text = page_text(comparison)
    part = path.with_name(f"{path.name}.{os.getpid()}.part")
    try:
        part.write_text(text, encoding="utf-8")
        part.replace(path)
    except OSError as error:
        part.unlink(missing_ok=True)
        raise RecordingError(f"{path} cannot be written: {error.strerror or error}") from error
    return path


def page_text(comparison: Comparison) -> str:
    """Return the page as HTML."""
    title = f"{escape(comparison.scene)} compared"
    reasons = "".join(f"<li>{escape(note)}</li>" for note in notes(comparison))
    when = circumstances()
    figure = draw(comparison)
    return (
        "<!DOCTYPE html>\n"
        f'<html lang="en"><head><meta charset="utf-8"><title>{title}</title>\n'
        '<meta name="viewport" content="width=device-width">\n'
        f"<style>\n{STYLE}</style></head>\n<body>\n<h1>{title}</h1>\n"
        f"<p>{_varied(comparison)}</p>\n"
        f'<div class="wide">{_table(comparison)}</div>\n<ul>{reasons}</ul>\n'
        f"{_plots(figure)}\n{_meanings()}\n"
        f'<p class="small">{escape(when[0].upper() + when[1:])}</p>\n</body></html>\n'
    )


def _varied(comparison: Comparison) -> str:
    parts = [
        f"<code>{escape(v.key)}</code>: {escape(', '.join(value_text(x) for x in v.values))}"
        for v in comparison.variations
    ]
    return "; ".join(parts)


def _table(comparison: Comparison) -> str:
    """Return the same table as the command prints."""
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
        return "<p>No run was recorded: there is nothing to plot.</p>"
    from plotly.offline import get_plotlyjs

    drawn = figure.to_html(full_html=False, include_plotlyjs=False, div_id="plots")
    help_ = (
        "Click a name to hide it in every plot, twice to see it alone; drag to zoom, all time axes "
        "together; double-click to return."
    )
    return f'<p class="small">{help_}</p><script>{get_plotlyjs()}</script>{drawn}'


def _meanings() -> str:
    listed = "".join(
        f"<li>{column.title} [{column.unit}]: {escape(column.meaning)}</li>" for column in COLUMNS
    )
    return f"<h2>The columns</h2><ul>{listed}</ul>"
