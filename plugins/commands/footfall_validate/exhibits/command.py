"""The command ``footfall validate exhibits``: impacts without one right answer, for all laws."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from footfall_validate.options import Laws, Solver, require_matplotlib

if TYPE_CHECKING:
    from footfall_validate.exhibits.exhibit import Exhibit


def exhibits(
    law: Laws = None,
    impact: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="Impact model; may be repeated; default: all."),
    ] = None,
    solver: Solver = None,
    output: Annotated[Path | None, typer.Option(help="Folder for a page with the results.")] = None,
) -> None:
    """Show Newton's cradle, a rocking block and a spinning ball with all laws and impact models.

    Examples:
        footfall validate exhibits --law coulomb
        footfall validate exhibits --law lcp --impact restitution --output results
    """
    from footfall import discover, progress_lines
    from footfall_validate.exhibits.gallery import gallery, write_gallery

    require_matplotlib(output)
    registry = discover()
    if solver:
        registry.find("solver", solver).load()
    with progress_lines(lambda s: f"exhibits: {s:.0f} s"):
        shown = gallery(registry, law or (), impact or (), solver)
    print_exhibits(shown)
    if output:
        print(f"page written to {write_gallery(output, shown)}")


def print_exhibits(exhibits: Sequence[Exhibit]) -> None:
    """Print one table per exhibit, with its text below."""
    from rich.table import Table
    from rich.text import Text

    from footfall.api.command import console
    from footfall_validate.tables import WIDTH

    screen = console(WIDTH)
    for exhibit in exhibits:
        table = Table(box=None, title_justify="left", title_style="bold", padding=(0, 1))
        table.title = f"{exhibit.title} (shown, not judged)"
        for name in exhibit.header:
            table.add_column(Text(name), no_wrap=True)
        for row in exhibit.rows:
            table.add_row(*(Text(cell) for cell in row))
        screen.print(table)
        screen.print(exhibit.text.replace("`", ""), style="dim", markup=False)
        screen.print()
