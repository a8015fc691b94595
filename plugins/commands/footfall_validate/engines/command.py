"""The command ``footfall validate engines``: agreement of all engines, and their cost."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from footfall_validate.engines.parity import Parity

ALLOWED = 1e-12
"""Largest relative difference that counts as rounding."""
HEADER = ("robot", "dofs", "engine", "M", "h", "S", "poses", "time [us]")


def engines(
    output: Annotated[Path | None, typer.Option(help="Folder for a page with the results.")] = None,
) -> None:
    """Compare the results of all dynamics engines and footfall.symbolic, for every robot.

    If a difference is larger than rounding errors, the exit code is 1.

    Examples:
        footfall validate engines
        footfall validate engines --output results
    """
    from footfall_validate.engines.parity import compare_engines, robots
    from footfall_validate.options import counted, print_columns

    with counted(len(robots()), "robots") as done:
        found, left_out = compare_engines(done)
    rows = [cells(parity) for parity in found]
    print_columns(HEADER, rows)
    for line in left_out:
        print(f"left out: {line}")
    if output:
        print(f"page written to {write_engine_page(output, found)}")
    apart = [p for p in found if max(p.M, p.h, p.S, p.pose) > ALLOWED]
    for parity in apart:
        print(f"FAILS: {parity.engine} on {parity.robot}")
    if apart:
        raise typer.Exit(1)


def cells(parity: Parity) -> tuple[str, ...]:
    """Return a row of the table."""
    errors = (parity.M, parity.h, parity.S, parity.pose)
    return (
        *(parity.robot, str(parity.nv), parity.engine),
        *(f"{error:.0e}" if error else "0" for error in errors),
        f"{1e6 * parity.time:.1f}",
    )


def write_engine_page(folder: Path, found: Sequence[Parity]) -> Path:
    """Write ``engines.md`` to a folder; return the page."""
    from footfall_validate.circumstances import table, write_page

    ends = min(found, key=lambda p: p.nv), max(found, key=lambda p: p.nv)
    header = ["engine", *HEADER[3:7], *(f"`{p.robot}` ({p.nv} dofs) [us]" for p in ends)]
    rows = []
    for engine in dict.fromkeys(p.engine for p in found):
        mine = {p.robot: p for p in found if p.engine == engine}
        worst = (max(getattr(p, part) for p in mine.values()) for part in ("M", "h", "S", "pose"))
        times = (f"{1e6 * mine[p.robot].time:.1f}" if p.robot in mine else "-" for p in ends)
        rows.append([f"`{engine}`", *(f"{error:.0e}" if error else "0" for error in worst), *times])
    packages = "idyntree", "mujoco-core", "casadi", "adam-robotics"
    robots = len({p.robot for p in found})
    return write_page(folder, "engines", *packages, robots=robots, rows=table(header, rows))
