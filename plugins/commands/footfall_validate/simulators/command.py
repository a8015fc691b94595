"""The command ``footfall validate simulators``: the same tasks in several simulators."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from footfall_validate.simulators.tasks import Outcome

HEADER = (
    *("task", "simulator", "settings", "error", "natural map, median", "largest"),
    *("penetration [mm]", "a step [us]", "its own part [us]"),
)
NAMES = {"footfall": "Footfall", "mujoco": "MuJoCo", "drake": "Drake"}


def simulators(
    task: Annotated[
        list[str] | None,
        typer.Option(metavar="TASK", help="Task, e.g. drop; may be repeated; default: all."),
    ] = None,
    simulator: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="Simulator; may be repeated; default: all installed."),
    ] = None,
    data: Annotated[
        Path | None,
        typer.Option(help="Folder with recorded tosses; without it, no tosses."),
    ] = None,
    tosses: Annotated[int, typer.Option(min=1, help="Number of tosses to simulate.")] = 50,
    output: Annotated[Path | None, typer.Option(help="Folder for a page with the results.")] = None,
) -> None:
    """Run the same tasks in Footfall, MuJoCo and Drake; compare results with known answers.

    Examples:
        footfall validate simulators --task drop
        footfall validate simulators --task drop --simulator footfall --simulator mujoco
    """
    from footfall_validate.options import counted, print_columns
    from footfall_validate.simulators.tasks import play, play_tosses, tasks
    from footfall_validate.tosses.recorded import read_tosses

    known = {one.name: one for one in tasks()}
    names = [name for name in (task or known) if name != "tosses"]
    for name in names:
        if name not in known:
            allowed = ", ".join((*known, "tosses"))
            raise typer.BadParameter(
                f'no task "{name}" (there are: {allowed})', param_hint="--task"
            )
    if data is not None:
        read_tosses(data)
    elif "tosses" in (task or ()):
        raise typer.BadParameter("tosses need --data", param_hint="--task")
    variants = _variants(simulator)
    tossed = data if task is None or "tosses" in task else None
    found = []
    with counted(len(variants) * (len(names) + (tossed is not None)), "runs") as done:
        for name in names:
            for variant in variants:
                found.append(play(known[name], *variant))
                done()
        for variant in variants if tossed else ():
            assert tossed is not None
            found.append(play_tosses(tossed, tosses, *variant))
            done()
    rows = [cells(outcome) for outcome in found]
    print_columns(HEADER, rows)
    if output:
        print(f"page written to {write_simulators_page(output, found, tosses)}")


def _variants(chosen: Sequence[str] | None) -> list[tuple[str, str]]:
    """Return the simulators with their settings.

    Raises:
        PluginError: if a named simulator is missing; the message tells what to install.
    """
    from footfall import discover

    simulators = discover().simulator
    for name in chosen or ():
        discover().find("simulator", name).load()
    there = [name for name in NAMES if name in {n for n, _ in simulators.loadable()}]
    return [
        (name, settings)
        for name in chosen or there
        for settings in (("fair",) if name == "footfall" else ("fair", "default"))
    ]


def cells(outcome: Outcome) -> tuple[str, ...]:
    """Return a row of the table."""
    settings = outcome.settings if outcome.simulator != "footfall" else "default"
    start = outcome.task, NAMES.get(outcome.simulator, outcome.simulator), settings
    median, largest = outcome.natural_map
    figures = outcome.error, median, largest, 1e3 * outcome.penetration
    texts = [f"{x:.2g}" if x == x else "" for x in figures]
    if outcome.failure:
        texts[0] = f"{texts[0]} {outcome.failure}".strip()
    return (*start, *texts, *(f"{x:.0f}" if x == x else "" for x in outcome.microseconds))


def write_simulators_page(folder: Path, found: Sequence[Outcome], tosses: int) -> Path:
    """Write ``simulators.md`` to a folder; return the page."""
    from footfall_validate.circumstances import write_page
    from footfall_validate.simulators.tasks import FAIR, tasks

    described = {one.name: (one.what, one.answer) for one in tasks()}
    described["tosses"] = (
        f"{tosses} of the [recorded tosses](tosses.md) of a real cube (`--tosses {tosses}`)",
        "position minus recorded position, mean [% of the cube's width]",
    )
    fair = (
        f"{NAMES[name]} " + ", ".join(f"`{key} = {_toml(value)}`" for key, value in chosen.items())
        for name, chosen in FAIR.items()
        if chosen
    )
    busy = os.getloadavg()[0] / (os.cpu_count() or 1)
    load = "The machine was busy: compare these times only with each other." if busy > 1.0 else ""
    names = dict.fromkeys(outcome.task for outcome in found)
    lines = (f"- *{n}*: {described[n][0]}. Error: {described[n][1]}.\n" for n in names)
    return write_page(
        folder,
        "simulators",
        *("mujoco-core", "drake"),
        settings="; ".join(fair),
        load=load,
        tasks="".join(lines),
        errors=_grid(found, HEADER.index("error")),
        times=_grid(found, HEADER.index("its own part [us]")),
    )


def _grid(found: Sequence[Outcome], column: int) -> str:
    """Return a Markdown table of one figure, tasks by simulators."""
    from footfall_validate.circumstances import table

    figures = {(row[0], f"{row[1]}, {row[2]}"): row[column] for row in map(cells, found)}
    who = list(dict.fromkeys(who for _, who in figures))
    tasks = dict.fromkeys(task for task, _ in figures)
    rows = [[task, *(figures.get((task, one), "") for one in who)] for task in tasks]
    return table(["task", *who], [row for row in rows if any(row[1:])])


def _toml(value: object) -> str:
    if isinstance(value, tuple):
        return f"[{', '.join(f'{x:g}' for x in value)}]"
    return f'"{value}"' if isinstance(value, str) else f"{value:g}"
