"""The page of scores on the recorded tosses."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from footfall_validate.circumstances import table, write_page
from footfall_validate.tosses.scores import PUBLISHED, Score, figures

HEADER = [
    *("", "substeps", "position [%]", "sd", "se", "rotation [deg]", "sd", "se"),
    *("failed", "processor time [s]"),
]


def write_toss_page(folder: Path, scores: Sequence[Score]) -> Path:
    """Write ``tosses.md``.

    Returns:
        Path of the page.
    """
    counts = sorted({score.substeps for score in (*scores, *PUBLISHED)})
    by_who: dict[str, dict[int, list[str]]] = {}
    for score in (*scores, *PUBLISHED):
        by_who.setdefault(score.who, {})[score.substeps] = figures(score)
    rows = []
    for who, found in by_who.items():
        last = found[max(found)]
        position = (found[n][2] if n in found else "" for n in counts)
        rows.append([who, *position, last[4], last[5], last[7]])
    header = ["", *(f"position, {n} substeps [%]" for n in counts), *HEADER[4:6], HEADER[7]]
    shown = table(header, rows)
    errors = "".join(
        f"\n- `{s.who}`, {s.substeps} substeps: {s.failed} tosses failed. {s.error}"
        for s in scores
        if s.failed
    )
    return write_page(folder, "tosses", scores=shown + errors)
