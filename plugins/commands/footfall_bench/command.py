"""The commands of ``footfall bench``, one for each benchmark."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from typing import Annotated

import typer

bench = typer.Typer(
    help="Measure the simulator's speed and MuJoCo's in the same run (extra: bench).",
    no_args_is_help=True,
    rich_markup_mode=None,
)

Own = Annotated[bool, typer.Option("--own", help="Measure Footfall alone, without MuJoCo.")]
Tolerance = Annotated[
    float, typer.Option(min=1e-12, max=1e-3, help="Tolerance of the contact law, [m/s].")
]
Scenes = Annotated[
    list[str] | None,
    typer.Option("--scene", metavar="SCENE", help="Scene; may be repeated; default: two scenes."),
]
Runs = Annotated[int, typer.Option(min=1, help="Number of runs at once.")]
Repeats = Annotated[int, typer.Option(min=1, help="Number of bursts (timed groups of steps).")]


@bench.callback()
def tell(context: typer.Context) -> None:
    """Print progress lines while a benchmark runs."""
    from footfall import progress_lines

    lines = progress_lines(lambda s: f"bench {context.invoked_subcommand}: {s:.0f} s")
    context.with_resource(lines)


@bench.command()
def step(
    scene: Scenes = None,
    steps: Annotated[int, typer.Option(min=1, help="Steps in a burst.")] = 2000,
    repeats: Repeats = 15,
    settle: Annotated[float, typer.Option(help="Simulated time before timing, [s].")] = 3.0,
    own: Own = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON with every burst.")] = False,
) -> None:
    """Compare times of a standing robot's step: Footfall with recorder, and MuJoCo's `mj_step`.

    A scene must have one floating robot that holds a posture on a level plane.

    Examples:
        footfall bench step
        footfall bench step --scene humanoid/standing --own
    """
    from footfall.api.plugin import FootfallError
    from footfall_bench.machine import beside_mujoco, header, machine, versions
    from footfall_bench.whole_step import SCENES, measure

    beside, results = beside_mujoco(own), []
    if not as_json:
        print(header())
    for name in scene or SCENES:
        try:
            results.append(measure(name, steps, repeats, settle, beside=beside))
        except FootfallError as error:
            if scene:
                raise
            print(f"{name}: left out: {error}", file=sys.stderr)
    if as_json:
        runs = [asdict(result) | {"ratio": result.ratio} for result in results]
        print(json.dumps({"versions": versions(), "machine": machine(), "runs": runs}))
        return
    print(f"{repeats} bursts of {steps} steps each, alternating; median (min .. max)")
    for result in results:
        print(result.report())


@bench.command()
def walk(
    scene: Scenes = None,
    seconds: Annotated[float, typer.Option(min=0.5, help="Simulated time, [s].")] = 10.0,
    own: Own = False,
) -> None:
    """Measure times of single steps of walking robots, alternating with steps of MuJoCo.

    The scene's controller drives the robots of both simulators. A scene must have one floating
    robot that starts at rest on a level plane.

    Examples:
        footfall bench walk
        footfall bench walk --scene quadruped/trot --seconds 2
    """
    from footfall_bench.walking import GAITS, measure

    beside = _begin(own)
    for name in scene or GAITS:
        print(measure(name, seconds, beside=beside))


@bench.command()
def rollouts(
    runs: Runs = 256,
    steps: Annotated[int, typer.Option(min=1, help="Steps of each run.")] = 50,
    repeats: Repeats = 9,
    own: Own = False,
) -> None:
    """Measure the speed of many rollouts of a falling quadruped, in Footfall and MuJoCo.

    Examples:
        footfall bench rollouts
        footfall bench rollouts --runs 64 --own
    """
    from footfall_bench.batches import measure_rollouts

    print(measure_rollouts(runs, steps, repeats, beside=_begin(own)))


@bench.command()
def batch(
    scene: Annotated[
        str, typer.Option(metavar="SCENE", help="A standing robot.")
    ] = "humanoid/standing",
    runs: Runs = 64,
    steps: Annotated[int, typer.Option(min=1, help="Steps in a burst.")] = 200,
    repeats: Repeats = 9,
    settle: Annotated[float, typer.Option(help="Simulated time before timing, [s].")] = 1.0,
    own: Own = False,
) -> None:
    """Measure steps per second of many simultaneous runs, in Footfall and MuJoCo.

    Examples:
        footfall bench batch
        footfall bench batch --scene icub/standing --runs 64
    """
    from footfall_bench.batches import measure

    print(measure(scene, runs, steps, repeats, settle, beside=_begin(own)))


@bench.command()
def pile(repeats: Repeats = 9, own: Own = False, tolerance: Tolerance = 1e-7) -> None:
    """Measure the time per step of thirty boxes that fall onto each other, also in MuJoCo.

    Examples:
        footfall bench pile
        footfall bench pile --tolerance 1e-7
    """
    _touching("pile", repeats, own, tolerance)


@bench.command()
def stack(repeats: Repeats = 9, own: Own = False, tolerance: Tolerance = 1e-7) -> None:
    """Measure the time per step of ten stacked boxes, also in MuJoCo.

    Examples:
        footfall bench stack
        footfall bench stack --own
    """
    _touching("stack", repeats, own, tolerance)


@bench.command()
def grasp(repeats: Repeats = 9) -> None:
    """Measure the time per step of a humanoid that holds a box.

    Examples:
        footfall bench grasp
        footfall bench grasp --repeats 3
    """
    _touching("grasp", repeats, own=True)


@bench.command()
def startup(
    scene: Annotated[str, typer.Option(metavar="SCENE", help="Scene to run.")] = "cube/drop",
    repeats: Annotated[int, typer.Option(min=1, help="Number of timed runs.")] = 7,
) -> None:
    """Measure the wall time of a short `footfall run` whose kernels are already compiled.

    Examples:
        footfall bench startup
        footfall bench startup --scene humanoid/standing --repeats 3
    """
    from footfall_bench.startup import measure, report

    _begin(own=True)
    print(report(measure(scene, repeats)))


def _touching(name: str, repeats: int, own: bool, tolerance: float = 1e-7) -> None:
    from footfall_bench.touching import measure

    print(measure(name, repeats, tolerance, beside=_begin(own)))


def _begin(own: bool) -> bool:
    """Print machine and versions; return whether MuJoCo is measured as well."""
    from footfall_bench.machine import beside_mujoco, header

    beside = beside_mujoco(own)
    print(header())
    return beside
