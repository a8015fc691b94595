"""The page of a trial: figures in a table, and the runs side by side, playing together."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import Any

import footfall
from footfall.api.command import write_whole
from footfall_policy.table import notes, table
from footfall_policy.trial import Row

STYLE = """
body { font: 15px/1.45 system-ui, sans-serif; margin: 1.5rem; color: #222; background: #fff; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; margin: 1rem 0; }
th, td { padding: .25rem .7rem; text-align: right; border-bottom: 1px solid #ddd; }
th:first-child, td:first-child { text-align: left; }
.runs { display: grid; grid-template-columns: repeat(auto-fit, minmax(420px, 1fr)); gap: 1rem; }
figure { margin: 0; } figcaption { font-weight: 600; } button { font: inherit; }
"""
SCRIPT = """
const players = () => [...document.querySelectorAll("iframe")]
  .map((frame) => frame.contentWindow.footfall?.player).filter(Boolean);
document.getElementById("again").onclick = () =>
  players().forEach((player) => { player.seek(player.start); player.play(true); });
document.getElementById("stop").onclick = () => players().forEach((player) => player.play(false));
"""


def write_page(rows: Sequence[Row], title: str, path: Path) -> None:
    """Write the page in one file that needs no network.

    Raises:
        OSError: if it cannot be written.
        RecordingError: if a recording cannot be shown.
    """
    heads, *lines = table(rows)
    head = "".join(f"<th>{escape(name)}</th>" for name in heads)
    body = "".join(
        f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in line)}</tr>" for line in lines
    )
    listed = "".join(f"<li>{escape(note)}</li>" for note in notes(rows))
    figures = "".join(_figure(row) for row in rows if row.recording is not None)
    write_whole(
        path,
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{escape(title)}'
        f"</title><style>{STYLE}</style></head><body><h1>{escape(title)}</h1>"
        f"<table><tr>{head}</tr>{body}</table><ul>{listed}</ul>"
        '<p><button id="again">Play all from the start</button> '
        '<button id="stop">Stop all</button></p>'
        f'<div class="runs">{figures}</div><script>{SCRIPT}</script></body></html>\n',
    )


def _figure(row: Row) -> str:
    shown: Any = footfall.show(row.recording, height=420)
    return f"<figure><figcaption>{escape(row.title)}</figcaption>{shown._repr_html_()}</figure>"
