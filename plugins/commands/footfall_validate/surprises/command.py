"""The command ``footfall validate surprises``: surprises of simulators, in figures."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from footfall.api.plugin import FootfallError
from footfall_validate.options import counted

HEADER = ("surprise", "quantity", "Footfall", "MuJoCo")


def surprises(
    output: Annotated[Path | None, typer.Option(help="Folder for a page with the results.")] = None,
) -> None:
    """Measure twelve effects that surprise users of simulators, in Footfall and in MuJoCo.

    Examples:
        footfall validate surprises
        footfall validate surprises --output results
    """
    rows = measure()
    widths = [max(len(row[k]) for row in (HEADER, *rows)) for k in range(len(HEADER))]
    for row in (HEADER, *rows):
        left = [cell.ljust(width) for cell, width in zip(row[:2], widths[:2], strict=True)]
        right = [cell.rjust(width) for cell, width in zip(row[2:], widths[2:], strict=True)]
        print("  ".join((*left, *right)))
    if output:
        print(f"page written to {write_page(output, rows)}")


def measure() -> list[tuple[str, str, str, str]]:
    """Return the rows of the table."""
    from footfall_validate.surprises.surprises import SURPRISES

    try:
        from footfall_validate.surprises import mujoco as theirs
    except ImportError:
        theirs = None  # type: ignore[assignment]
        print(f"MuJoCo is left out: {FootfallError.pip('bench')}")
    rows = []
    with counted(len(SURPRISES), "surprises") as done:
        for surprise in SURPRISES:
            unit = f" {surprise.unit}" if surprise.unit else ""
            other = "-"
            if theirs is not None:
                other = f"{theirs.MEASURES[surprise.theirs]():.2g}{unit}"
            rows.append((surprise.name, surprise.figure, f"{surprise.ours():.2g}{unit}", other))
            done()
    return rows


def write_page(folder: Path, rows: Sequence[Sequence[str]]) -> Path:
    """Write ``surprises.md``."""
    from importlib.metadata import PackageNotFoundError, version

    from footfall_validate import circumstances

    try:
        mujoco = version("mujoco")
    except PackageNotFoundError:
        mujoco = "was not installed"
    return circumstances.write_page(
        folder, "surprises", mujoco=mujoco, rows=circumstances.table(HEADER, rows)
    )
