"""The table of ``footfall validate tosses``."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table

from footfall_validate.toss_scores import PUBLISHED, Score, figures


def print_scores(scores: Sequence[Score]) -> None:
    """Print the scores, and the published ones below."""
    console = Console(highlight=False)
    if not console.is_terminal:
        console = Console(highlight=False, width=120)
    table = Table(box=None, padding=(0, 1), title_justify="left")
    table.title = "mean over the tosses, their deviation, standard error of the mean"
    table.add_column("who", no_wrap=True)
    for name in ("substeps", "position %", "sd", "se", "rotation deg", "sd", "se"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("failed", justify="right")
    table.add_column("cpu s", justify="right")
    for score in (*scores, *PUBLISHED):
        table.add_row(*figures(score), style="dim" if score in PUBLISHED else "")
    console.print(table)
    for score in scores:
        if score.error:
            console.print(f"{score.who}: {score.error}", style="red", markup=False)
