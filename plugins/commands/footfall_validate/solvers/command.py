"""The command ``footfall validate solvers``: QP solvers on the problems of the bundled scenes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from footfall_validate.solvers.page import HEADER, cells, remarks
from footfall_validate.solvers.problems import Collection
from footfall_validate.solvers.scores import Score
from footfall_validate.solvers.variants import Variant

STANDARD_OUTPUT = 1
"""File descriptor of standard output."""


def solvers(
    solver: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="QP solver; may be repeated; default: all."),
    ] = None,
    problems: Annotated[
        int, typer.Option(min=1, metavar="N", help="Largest number of problems of a scene.")
    ] = 20,
    output: Annotated[Path | None, typer.Option(help="Folder for a page with the results.")] = None,
) -> None:
    """Measure time and accuracy of the QP solvers on contact problems of the bundled scenes.

    If a solver misses the required accuracy, the exit code is 1.

    Examples:
        footfall validate solvers --solver proxqp --problems 20
        footfall validate solvers --output results
    """
    from footfall import discover
    from footfall_validate.options import nothing_if_interrupted, require_matplotlib
    from footfall_validate.solvers.variants import variants

    require_matplotlib(output)
    chosen = variants(discover(), tuple(solver or ()))
    with nothing_if_interrupted():
        scores, collections = _measure(chosen, problems)
    print_scores(scores, collections)
    if output:
        from footfall_validate.solvers.page import write_solver_page

        print(f"page written to {write_solver_page(output, scores, collections)}")
    if any(score.failures for score in scores):
        raise typer.Exit(1)


def _measure(chosen: list[Variant], count: int) -> tuple[list[Score], list[Collection]]:
    """Collect the problems and run the solvers, each under a progress bar.

    Output of solvers, such as LADEL's warnings, is hidden; the table shows the result of a solve.
    """
    from footfall.api.advanced import captured_output
    from footfall_validate.options import counted
    from footfall_validate.solvers.problems import SOURCES, collect
    from footfall_validate.solvers.scores import score_solvers

    collections: list[Collection] = []
    with counted(len(SOURCES), "scenes") as done:
        for source in SOURCES:
            collections += collect([source], count)
            done()
    total = sum(len(collection.asked) for collection in collections)
    with captured_output(STANDARD_OUTPUT), counted(total, "problems") as done:
        return score_solvers(chosen, collections, done), collections


def print_scores(scores: Sequence[Score], collections: Sequence[Collection]) -> None:
    """Print one row per solver, then failures and scenes without problems."""
    from footfall_validate.options import print_columns

    print_columns(HEADER, [cells(score) for score in scores])
    count = sum(len(collection.asked) for collection in collections)
    print(f"{count} problems of {sum(bool(c.asked) for c in collections)} scenes")
    lines = [f"{c.source.title}: left out: {c.error}" for c in collections if c.error]
    for line in (*remarks(scores), *lines):
        print(line)
