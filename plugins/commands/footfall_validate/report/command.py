"""The command ``footfall report``."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated

import typer

from footfall.api.command import write_whole


def report(
    law: Annotated[str, typer.Argument(help="Contact law, or another simulator, e.g. mujoco.")],
    against: Annotated[
        str | None,
        typer.Option(
            metavar="NAME,NAME,..", help="Laws or simulators; default: coulomb, compliant, mujoco."
        ),
    ] = None,
    quick: Annotated[
        bool,
        typer.Option("--quick", help="Compare only with coulomb, on part of the real data."),
    ] = False,
    data: Annotated[
        Path | None, typer.Option(help="Folder with folders of real data: tosses, pushes, fc3d.")
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", help="File of the page; default: report-LAW.html."),
    ] = None,
    jobs: Annotated[
        int | None, typer.Option(min=1, help="Processes; by default one per core.")
    ] = None,
) -> None:
    """Write a law's report card: closed forms, symmetries, energy, impacts, cost, real data.

    The report card is one page that works offline, with a JSON file beside it. Repeat the command
    to continue an interrupted report.

    Examples:
        footfall report lcp --quick
        footfall report my_law --against coulomb,compliant --data reference -o my_law.html
    """
    from footfall import discover
    from footfall_validate.circumstances import circumstances
    from footfall_validate.options import counted
    from footfall_validate.report import card as made
    from footfall_validate.report.data import folders_of, tables_of
    from footfall_validate.report.page import summary, write_page

    registry = discover()
    name = made.names_of(registry, law)
    given = [part.strip() for part in against.split(",")] if against else []
    others = made.others_of(registry, name, given, quick=quick)
    names, page = [name, *others], output or Path(f"report-{law}.html")
    if page.is_dir() or page.suffix == ".json":
        raise typer.BadParameter(f"{page} is no page, e.g. report.html", param_hint="--output")
    folders = folders_of(data) if data else {}
    planned = made.jobs_of(registry, names)
    kept = made.Kept(page, made.identity_of(registry, names))
    page.parent.mkdir(parents=True, exist_ok=True)
    try:
        with counted(len(planned) + len(made.SCENES), "closed forms and costs") as done:
            findings = made.measure(planned, kept, jobs, done)
            costs = list(made.costs_of(names, done))
        tables = list(tables_of(registry, names, folders, quick=quick, workers=jobs))
    except KeyboardInterrupt:
        typer.echo(f"interrupted: the same command goes on after {len(kept.known)} closed forms")
        raise
    words = ["footfall", "report", law, *(["--against", against] if against else [])]
    words += ["--quick"] * quick + (["--data", str(data)] if data else [])
    words += ["--output", str(output)] if output else []
    said = shlex.join(words), circumstances(made.MUJOCO)
    card = made.Card(name, tuple(others), *said, findings, costs, tables)
    write_page(card, page)
    write_whole(page.with_suffix(".json"), card.json())
    kept.path.unlink(missing_ok=True)
    typer.echo(summary(card))
    typer.echo(f"page written to {page}, figures to {page.with_suffix('.json')}")
