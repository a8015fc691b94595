"""The command ``footfall validate fc3d``: laws on friction problems of others."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from footfall_validate.options import Laws


def fc3d(
    folder: Annotated[Path, typer.Argument(help="Folder with friction problems.")],
    law: Laws = None,
    limit: Annotated[float, typer.Option(min=1e-3, help="Time limit of each solve, [s].")] = 5.0,
    output: Annotated[Path | None, typer.Option(help="Folder for a page with the results.")] = None,
) -> None:
    """Solve friction problems from files; compare how many each law solves, and how fast.

    Formats: NumPy (.npz with the arrays row, col, value, q, mu), Siconos text (.dat) and FCLIB
    (.hdf5, .h5; needs the extra fclib). A contact has three rows: normal, tangent, tangent.

    Examples:
        footfall validate fc3d problems --law coulomb
        footfall validate fc3d problems --limit 0.5 --output results
    """
    from footfall import discover
    from footfall_validate.fc3d.problems import read_problems
    from footfall_validate.fc3d.profiles import contenders, measure, result, write_profile_page
    from footfall_validate.options import counted, nothing_if_interrupted, require_matplotlib

    require_matplotlib(output)
    problems = read_problems(folder)
    laws, refused = contenders(discover(), law or (), limit)
    with nothing_if_interrupted(), counted(len(laws) * len(problems), "problems") as done:
        times = measure(laws, problems, limit, done)
    result(times, refused, limit).print()
    if output:
        print(f"page written to {write_profile_page(output, times, refused, limit)}")
