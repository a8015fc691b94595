"""The command ``footfall validate groups``: the savings of collision groups."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

SIZES = (1, 2, 3, 5, 8, 12, 16, 20, 25, 30, 60, 100, 200, 300, 600, 1000)
"""Numbers of cubes."""


def groups(
    largest: Annotated[
        int, typer.Option(min=10, metavar="N", help="Largest number of cubes, up to 1000.")
    ] = 300,
    output: Annotated[Path | None, typer.Option(help="Folder for a page with the results.")] = None,
) -> None:
    """Measure the time of the contact law for separate cubes, as one collision group and as many.

    Examples:
        footfall validate groups --largest 50
        footfall validate groups --output results
    """
    from footfall_validate.groups.costs import measure_groups
    from footfall_validate.groups.page import HEADER, cells, growth, write_group_page
    from footfall_validate.options import counted, nothing_if_interrupted, require_matplotlib

    require_matplotlib(output)
    sizes, costs = [k for k in SIZES if k <= largest], []
    with nothing_if_interrupted(), counted(len(sizes), "numbers of cubes") as done:
        for k in sizes:
            costs.append(measure_groups(k))
            done()
    widths = [max(len(title), 6) for title in HEADER]
    for row in (HEADER, *(cells(cost) for cost in costs)):
        print("  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)))
    for line in growth(costs):
        print(line)
    if output:
        print(f"page written to {write_group_page(output, costs)}")
