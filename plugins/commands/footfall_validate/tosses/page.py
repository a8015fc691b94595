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
SHOWN = 0, 1, 2, 4, 5, 7
"""Columns on the page; a terminal shows all."""


def write_toss_page(folder: Path, scores: Sequence[Score]) -> Path:
    """Write ``tosses.md``.

    Returns:
        Path of the page.
    """
    rows = [figures(score) for score in (*scores, *PUBLISHED)]
    shown = table(HEADER, rows, SHOWN)
    errors = "".join(
        f"\n- `{s.who}`, {s.substeps} substeps: {s.failed} tosses failed. {s.error}"
        for s in scores
        if s.failed
    )
    return write_page(folder, "tosses", scores=shown + errors)
