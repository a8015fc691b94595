"""The page of a comparison: all results in one file that needs no network."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from importlib.metadata import version
from pathlib import Path

from footfall.api.command import write_whole
from footfall_compare.twin.twin import Comparison

STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 62rem; padding: 0 1rem;
color: #1c1e21; background: #fff; } h1 { font-size: 1.5rem; margin-bottom: 0; } h2 { font-size:
1.1rem; margin-top: 2rem; } table { border-collapse: collapse; width: 100%; } th, td { text-align:
left; padding: .3rem .8rem .3rem 0; border-bottom: 1px solid #d8dadf; vertical-align: top; }
td.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; } .differs {
color: #a3230f; font-weight: 600; } .same { color: #1a6b35; } tr.first td { background: #fdf0ec; }
.bar { background: #2f6fb5; height: .8rem; min-width: 1px; } .lead { font-size: 1.1rem; } .small {
color: #5c616b; font-size: .85rem; } @media (prefers-color-scheme: dark) { body { color: #e6e8eb;
background: #16181b; } th, td { border-color: #383c42; } .differs { color: #ff9a85; } .same { color:
#7fd39a; } tr.first td { background: #3a231d; } .bar { background: #6aa7ea; } .small { color:
#a0a6b0; } }
"""


def write_page(found: Comparison, path: Path) -> None:
    """Write the page of a comparison; an existing file is replaced.

    Raises:
        OSError: if it cannot be written.
    """
    title = escape(found.title)
    told = f'<p class="lead">{_verdict(found)}</p><p class="small">{escape(found.note)}</p>'
    parts = [f"<h1>{title}</h1>", told, _layers(found)]
    if found.partings:
        parts.append(_partings(found))
    if found.steps:
        parts.append(_shares(found))
    parts.append(f'<p class="small">footfall {escape(version("footfall"))}, footfall twin</p>')
    head = '<meta charset="utf-8"><meta name="viewport" content="width=device-width">'
    head += f"<title>{title}</title><style>{STYLE}</style>"
    body = "\n".join(parts)
    write_whole(
        path, f'<!doctype html>\n<html lang="en"><head>{head}</head>\n<body>{body}</body></html>'
    )


def _verdict(found: Comparison) -> str:
    first = found.first
    if first is None:
        return f"All {'compared ' if found.note else ''}layers agree."
    return f"First difference: <b>{escape(first.name)}</b>. {escape(first.where)}"


def _table(header: Iterable[str], rows: Iterable[str]) -> str:
    cells = "".join(f"<th>{escape(name)}</th>" for name in header)
    return f"<table><tr>{cells}</tr>{''.join(rows)}</table>"


def _layers(found: Comparison) -> str:
    rows = []
    for each in found.layers:
        verdict = "same" if each.agrees else "differs"
        rows.append(
            f"<tr{' class=first' if each is found.first else ''}><td>{escape(each.name)}</td>"
            f'<td class="number">{each.difference:.1e} {escape(each.units)}</td>'
            f'<td class="number">{each.allowed:.0e}</td><td class="{verdict}">{verdict}</td>'
            f"<td>{'' if each.agrees else escape(each.where)}</td></tr>"
        )
    header = "layer", "largest difference", "allowed", "", "where"
    told = "A difference in one layer causes the next ones: the first difference explains most."
    return f"<h2>Layers</h2><p>{told}</p>{_table(header, rows)}"


def _partings(found: Comparison) -> str:
    rows = []
    for each in found.partings:
        when = f"step {each.step}" if each.step >= 0 else "never"
        rows.append(
            f"<tr><td>{escape(each.what)}</td><td>{when}</td><td>{escape(each.where)}</td></tr>"
        )
    told = "Both start every step in the same state."
    return f"<h2>First differences</h2><p>{told}</p>{_table(('what', 'when', 'where'), rows)}"


def _shares(found: Comparison) -> str:
    rows = []
    for each in found.shares:
        percent = 100.0 * each.left
        bar = f'<div class="bar" style="width:{min(100.0, percent):.1f}%"></div>'
        rows.append(
            f'<tr><td>{escape(each.what)}</td><td class="number">{percent:.1f} %</td>'
            f'<td style="width:50%">{bar}</td></tr>'
        )
    told = (
        f"After {found.steps} independent steps the difference is {found.difference:.3g} rad or m."
    )
    if not rows:
        return f"<h2>Motion</h2><p>{told}</p>"
    shown = _table(("exchanged", "remains", ""), rows)
    return f"<h2>Causes</h2><p>{told} Remainder after one exchange:</p>{shown}"
