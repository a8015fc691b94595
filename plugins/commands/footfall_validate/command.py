"""The command ``footfall validate``: laws, tosses, engines, QP solvers, groups and shapes."""

from __future__ import annotations

import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated

import typer

from footfall_validate.engines.command import engines
from footfall_validate.exhibits.command import exhibits, print_exhibits
from footfall_validate.fc3d.command import fc3d
from footfall_validate.groups.command import groups
from footfall_validate.options import Laws, Solver, require_matplotlib
from footfall_validate.servos.command import servos
from footfall_validate.simulators.command import simulators
from footfall_validate.simulators.mujoco_command import mujoco
from footfall_validate.solvers.command import solvers
from footfall_validate.surprises.command import surprises

if TYPE_CHECKING:
    from footfall.api.plugin import Registry
    from footfall_validate.combination import Names


validate = typer.Typer(
    help="Measure laws against closed forms and real data, QP solvers, contacts of shapes.",
    no_args_is_help=True,
    rich_markup_mode=None,
)
validate.command()(exhibits)
validate.command()(engines)
validate.command()(mujoco)
validate.command()(simulators)
validate.command()(solvers)
validate.command()(groups)
validate.command()(fc3d)
validate.command()(servos)
validate.command()(surprises)

Simulators = Annotated[
    list[str] | None,
    typer.Option(metavar="NAME", help="Simulator to test instead of a law; may be repeated."),
]


def _renamed(names: list[str] | None) -> list[str] | None:
    """Say that an option has another name now."""
    if names:
        said = "note: --backend is called --simulator now; the next version will refuse it"
        print(said, file=sys.stderr)
    return names


OldSimulators = Annotated[list[str] | None, typer.Option(hidden=True, callback=_renamed)]
Jobs = Annotated[
    int | None, typer.Option(min=1, help="Processes; by default one per core.", show_default=False)
]


@validate.command()
def laws(
    law: Laws = None,
    impact: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="Impact model; default: those that suit the law."),
    ] = None,
    check: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="Check, e.g. sliding_cube; default: all."),
    ] = None,
    solver: Solver = None,
    simulator: Simulators = None,
    backend: OldSimulators = None,
    jobs: Jobs = None,
    output: Annotated[Path | None, typer.Option(help="Folder for a page with the results.")] = None,
) -> None:
    """Compare contact laws and impact models with closed forms.

    A law declares which checks it passes. If it misses one of these, the exit code is 1. If it
    misses another check, the command shows the reason. Without --check, the exhibits run as well.

    Examples:
        footfall validate laws --law coulomb
        footfall validate laws --law my_law --check sliding_cube
    """
    from footfall import discover
    from footfall_validate.exhibits.gallery import gallery
    from footfall_validate.laws.study import conduct, plan
    from footfall_validate.options import counted, nothing_if_interrupted
    from footfall_validate.tables import print_findings

    require_matplotlib(output)
    registry = discover()
    if solver:
        registry.find("solver", solver).load()
    names = law or (), impact or (), check or ()
    others = [*(simulator or ()), *(backend or ())]
    planned = plan(registry, *names, solver, others)
    with nothing_if_interrupted(), counted(len(planned), "checks") as done:
        found = conduct(planned, workers=jobs, on_done=lambda _: done())
    print_findings(found)
    shown = [] if check or others else gallery(registry, law or (), impact or (), solver)
    print_exhibits(shown)
    if output:
        from footfall_validate.laws.cost import measure_costs
        from footfall_validate.laws.page import write_pages

        costs = measure_costs(list(dict.fromkeys(finding.laws.contact for finding in found)))
        print(f"page written to {write_pages(output, found, costs, shown)}")
    if any(finding.outcome == "FAILS" for finding in found):
        raise typer.Exit(1)


@validate.command()
def shapes(
    poses: Annotated[
        int, typer.Option(min=1, metavar="N", help="Number of random poses of each pair.")
    ] = 200,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the random poses and fast bodies.")] = 0,
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Measure contacts of all pairs of shapes: errors, time, and misses of fast bodies.

    Examples:
        footfall validate shapes --poses 100
        footfall validate shapes --seed 3 --json
    """
    from dataclasses import asdict
    from json import dumps

    from footfall_validate.options import counted, nothing_if_interrupted, print_columns
    from footfall_validate.shape_pairs import HEADER, METHODS, PAIRS, measure_pair

    measured = []
    with (
        nothing_if_interrupted(),
        TemporaryDirectory() as folder,
        counted(len(PAIRS), "pairs of shapes") as done,
    ):
        for pair in PAIRS:
            measured.append(measure_pair(*pair, poses, seed, Path(folder)))
            done()
    if json:
        print(dumps([asdict(pair) for pair in measured], indent=2))
        return
    print_columns(HEADER, [pair.cells() for pair in measured])
    for line in METHODS:
        print(line)


@validate.command()
def tosses(
    data: Annotated[Path, typer.Option(help="Folder with the recorded tosses.")],
    law: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="Contact law or all; may be repeated; default: coulomb."),
    ] = None,
    impact: Annotated[
        str | None, typer.Option(help="Impact model; default: the one that suits the law.")
    ] = None,
    solver: Solver = None,
    substeps: Annotated[
        str, typer.Option(metavar="N,N,..", help="Numbers of steps between two recorded rows.")
    ] = "1,4,10,20",
    simulator: Simulators = None,
    backend: OldSimulators = None,
    jobs: Jobs = None,
    output: Annotated[Path | None, typer.Option(help="Folder for a page with the results.")] = None,
) -> None:
    """Simulate recorded tosses of a real cube, and print the errors of position and angle.

    The errors are means over a toss. The position error is in percent of the cube's width. Nothing
    is fitted.

    Examples:
        footfall validate tosses --data tosses --law coulomb
        footfall validate tosses --data tosses --simulator mujoco --output results
    """
    from footfall import discover
    from footfall_validate.circumstances import write_page
    from footfall_validate.combination import names_of_simulator
    from footfall_validate.options import counted, nothing_if_interrupted
    from footfall_validate.tosses.scores import (
        SUBSTEPS,
        result,
        score_tosses,
        spread_result,
        toss_jobs,
    )

    registry = discover()
    others = [*(simulator or ()), *(backend or ())]
    some = law or ([] if others else [registry.default("contact")])
    chosen = _chosen_laws(registry, some, impact, solver)
    chosen += [names_of_simulator(registry, name) for name in others]
    listed = toss_jobs(data, chosen, _counts(substeps), solver)
    drawn = toss_jobs(data, chosen, [SUBSTEPS], solver, spread=True)
    with (
        nothing_if_interrupted(),
        counted(len(listed) + len(drawn), "tosses, 25 each, or 5 with 19 starts") as done,
    ):
        scores = score_tosses(listed, workers=jobs, on_done=done)
        spreads = score_tosses(drawn, workers=jobs, on_done=done)
    table, spread = result(scores), spread_result(spreads)
    table.print()
    spread.print()
    if output:
        shown = {"scores": table.markdown(), "spread": spread.markdown()}
        print(f"page written to {write_page(output, 'tosses', **shown)}")


@validate.command()
def pushes(
    data: Annotated[Path, typer.Option(help="Folder with real.npz and simulators.npz.")],
    law: Laws = None,
    gripper_friction: Annotated[
        float | None,
        typer.Option(min=0.0, max=2.0, help="Friction of the gripper; default: the table's."),
    ] = None,
    output: Annotated[Path | None, typer.Option(help="Folder for a page with the results.")] = None,
) -> None:
    """Predict recorded pushes of a real cube from the gripper's measured motion.

    Every third run is used to fit the gripper's shape (from measured positions) and the table's
    friction (from the cube's deceleration after the push). The other runs are predicted.

    Examples:
        footfall validate pushes --data pushes --law coulomb
        footfall validate pushes --data pushes --output results
    """
    from footfall import discover
    from footfall_validate.options import counted, nothing_if_interrupted
    from footfall_validate.pushes.scores import (
        held_out,
        result,
        score_law,
        score_others,
        write_push_page,
    )

    require_matplotlib(output)
    chosen = _chosen_laws(discover(), law or ["all"], None, None)
    fit, held = held_out(data, gripper_friction)
    others = score_others(data, held)
    with nothing_if_interrupted(), counted(len(chosen) * len(held), "pushes") as done:
        scores = [score_law(laws, fit, held, done) for laws in chosen] + others
    result(scores).print()
    if output:
        print(f"page written to {write_push_page(output, scores, fit, len(held))}")


def _counts(text: str) -> list[int]:
    """Parse numbers of substeps."""
    try:
        counts = [int(part) for part in text.split(",")]
    except ValueError:
        counts = [0]
    if any(not 1 <= count <= 1000 for count in counts):
        raise typer.BadParameter(
            f"{text!r} is not a list of numbers from 1 to 1000, e.g. 1,4,10",
            param_hint="--substeps",
        )
    return list(dict.fromkeys(counts))


def _chosen_laws(
    registry: Registry, given: list[str], impact: str | None, solver: str | None
) -> list[Names]:
    """Return the combinations to play.

    A named law that does not exist or cannot be loaded is an error; among "all" it is reported.
    """
    from footfall_validate.combination import Names

    if impact:
        registry.find("impact", impact).load()
    if solver:
        registry.find("solver", solver).load()
    laws = registry.contact.names() if given == ["all"] else given
    if given != ["all"]:
        for law in laws:
            registry.find("contact", law).load()
    loadable = {name for name, _ in registry.contact.loadable()}
    return [
        Names(
            law,
            impact or (registry.suiting_impact(law) if law in loadable else "none"),
            registry.default("integrator"),
        )
        for law in laws
    ]
