"""The command ``footfall validate servos``: models of servos on motions of a real arm."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def servos(
    folder: Annotated[Path, typer.Argument(help="Folder with so101.npz and so101.urdf.")],
    model: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="Servo model; may be repeated; default: all."),
    ] = None,
    output: Annotated[Path | None, typer.Option(help="Folder for a page with the results.")] = None,
) -> None:
    """Predict motions of a real arm from its commands, with servo models fitted to other motions.

    The motions are sorted by name. Every third is predicted; the others are used for the fit.

    Examples:
        footfall validate servos servos
        footfall validate servos servos --model load --output results
    """
    from footfall_validate.options import counted, nothing_if_interrupted, require_matplotlib
    from footfall_validate.servos.scores import chosen, result, score, write_servo_page

    require_matplotlib(output)
    names = chosen(model or [])
    with nothing_if_interrupted(), counted(len(names), "models") as done:
        scores = score(folder, names, done)
    result(scores).print()
    if output:
        print(f"page written to {write_servo_page(output, scores)}")
