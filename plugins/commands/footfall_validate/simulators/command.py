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
INTRODUCTION = """\
# One scene, three simulators

The same scene files, stepped by Footfall, by MuJoCo and by Drake (`[simulator] plugin`, see
[Swap the simulator](../how-to/swap-the-simulator.md)), compared with the known answers.
Written by

```sh
{command}
```

which you can repeat; {circumstances}

Every simulator has the same step, 1 ms (tosses: 0.68 ms), bodies, contact points, friction and
gravity. *Fair* settings make each as stiff as its manual advises; the *defaults* of each stand
beside them. Footfall's are its defaults.

{settings}

The *error* is that of the task's own quantity, named with it. The *natural map* measures all
simulators alike, [m/s]: it is the amount by which a step misses Signorini's condition and Coulomb's
law at its final velocity. Soft contacts miss them by design, and a landing counts with its speed.
*Penetration* is the deepest of the run. *A step* is the median processor time of one call of
`sim.step()`, all in turn in one process, including the exchange in Python between Footfall and the
other simulator; *its own part* is the share of `mj_step`, or of Drake's discrete update. {load}

"""
REMARKS = """
- MuJoCo moves positions by the new velocity, which adds half of gravity times the step squared in
  each step of a flight; Drake does the same. Footfall's free flight is exact.
- By default MuJoCo's cone is a pyramid within the cone, and its contacts are compliant with a time
  constant of 20 ms: bodies sink in, and creep.
- Drake's default, `lagged`, takes friction from the normal force of the step before. So the first
  step of an impact has no friction, and tossed cubes go astray. With `similar` they do not, but a
  pushed cube is less accurate: neither of the two is best in all tasks.
- Drake's shapes without `hydroelastic_modulus` touch in one point: by default, cubes do not stand
  on each other.
"""


def simulators(
    task: Annotated[
        list[str] | None,
        typer.Option(metavar="TASK", help="Task, e.g. drop; may be repeated; default: all."),
    ] = None,
    simulator: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="May be repeated; default: all that are installed."),
    ] = None,
    data: Annotated[
        Path | None,
        typer.Option(help="Folder with the recorded tosses; without it they are left out."),
    ] = None,
    tosses: Annotated[int, typer.Option(min=1, help="Number of tosses, evenly chosen.")] = 50,
    output: Annotated[
        Path | None, typer.Option(help="Folder for a page with the table, simulators.md.")
    ] = None,
) -> None:
    """Play the same tasks in Footfall, MuJoCo and Drake, and compare with the known answers."""
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
    from footfall_validate.circumstances import circumstances, table, write_markdown
    from footfall_validate.simulators.tasks import FAIR, tasks

    described = {one.name: (one.what, one.answer) for one in tasks()}
    described["tosses"] = (
        f"{tosses} of the [recorded tosses](tosses.md) of a real cube, nothing fitted",
        "position, mean [% of the cube's width]",
    )
    fair = [
        [NAMES[name], ", ".join(f"`{k} = {_toml(v)}`" for k, v in chosen.items()) or "defaults"]
        for name, chosen in FAIR.items()
    ]
    cores = os.cpu_count() or 1
    busy = os.getloadavg()[0] / cores
    load = f"The machine had {cores} cores and, at the end, {busy:.1f} programs to run on each"
    load += ": compare times with each other only." if busy > 1.0 else "."
    text = INTRODUCTION.format(
        command="footfall validate simulators --data FOLDER --output docs/results",
        circumstances=circumstances("mujoco-core", "drake"),
        settings=table(("simulator", "fair settings"), fair),
        load=load,
    )
    for name in dict.fromkeys(outcome.task for outcome in found):
        what, answer = described[name]
        header = [HEADER[1], HEADER[2], answer, *HEADER[4:]]
        rows = [cells(outcome)[1:] for outcome in found if outcome.task == name]
        text += f"## {name.capitalize()}\n\n{what[0].upper()}{what[1:]}.\n\n{table(header, rows)}\n"
    return write_markdown(folder, "simulators", text + "## What is seen\n" + REMARKS)


def _toml(value: object) -> str:
    if isinstance(value, tuple):
        return f"[{', '.join(f'{x:g}' for x in value)}]"
    return f'"{value}"' if isinstance(value, str) else f"{value:g}"
