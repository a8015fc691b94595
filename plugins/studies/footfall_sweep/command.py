"""The command ``footfall sweep``: run a scene over a grid of values."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from footfall.api.command import Changes, Duration, SceneName, parse_assignments

if TYPE_CHECKING:
    from footfall_sweep.grid import Grid
    from footfall_sweep.store import Store
    from footfall_sweep.sweep import Plan
    from footfall_sweep.workers import Workers

TOLD = 20
"""Most failed runs that are printed; a file holds all of them."""


Vary = Annotated[
    list[str],
    typer.Option(
        "--vary",
        metavar="KEY=VALUES",
        help=(
            "Values of a key; may be repeated. V,V,..: a list. a:b:n: n evenly spaced numbers. "
            "a:b:n:log: n numbers with equal ratios. 0:100: the integers from 0 to 99."
        ),
    ),
]
Processes = Annotated[
    int | None,
    typer.Option(min=1, help="Number of processes; default: one per core.", show_default=False),
]
Dask = Annotated[
    str | None,
    typer.Option(
        metavar="ADDRESS",
        help="Dask scheduler, e.g. tcp://host:8786, or local: a cluster on this machine.",
    ),
]
Keep = Annotated[
    str,
    typer.Option(metavar="NAME", help="What to keep of each run: summary, state or recordings."),
]
Output = Annotated[
    Path | None,
    typer.Option(
        help="Folder; default: one in runs. The same command uses the same folder.",
        show_default=False,
    ),
]
Retry = Annotated[bool, typer.Option("--retry", help="Repeat runs that failed or could not start.")]
Overwrite = Annotated[bool, typer.Option("--overwrite", help="Replace old output.")]
Yes = Annotated[bool, typer.Option("--yes", help="Do not ask before a very large sweep.")]


def sweep(
    scene: SceneName,
    vary: Vary,
    set_: Changes = None,
    duration: Duration = None,
    workers: Processes = None,
    dask: Dask = None,
    keep: Keep = "summary",
    output: Output = None,
    retry: Retry = False,
    overwrite: Overwrite = False,
    yes: Yes = False,
) -> None:
    """Run a scene over a grid of values on many workers.

    The results are one xarray Dataset on Zarr, with a dimension for each key. Start the command
    again to continue an interrupted sweep. The exit code is 1 if a run failed.

    Examples:
        footfall sweep cube/drop --vary world.terrain.friction=0.2:1.0:9
        footfall sweep cube/sliding --vary world.terrain.friction=0.2:1.0:9 --workers 2
    """
    from footfall import progress_lines
    from footfall_sweep.grid import parse_axes
    from footfall_sweep.store import Store, remove_sweep
    from footfall_sweep.sweep import default_folder, make_plan

    grid = parse_axes(vary)
    _ask(grid.runs, yes)
    changes = parse_assignments(set_ or [], {"simulation.duration": duration})
    folder = output or default_folder(scene, grid, changes, keep)
    with progress_lines(lambda s: f"sweep: checking the scene and its values: {s:.0f} s"):
        plan = make_plan(scene, grid, changes, keep, folder)
    for note in plan.notes:
        typer.echo(f"note: {note}", err=True)
    if overwrite:
        remove_sweep(folder)
    with Store(folder, plan.identity, plan.grid.runs) as store:
        if retry:
            store.forget_failures()
        interrupted = _carry_out(plan, store, dask, workers)
        _report(grid, store, interrupted)


def _ask(runs: int, yes: bool) -> None:
    """Ask before ten million runs if standard input is a terminal."""
    from footfall_sweep.sweep import MANY, refuse_many

    if yes or runs <= MANY:
        return
    if sys.stdin.isatty() and typer.confirm(f"{runs} runs: continue?", err=True):
        return
    refuse_many(runs, "add --yes to run all of them")


def _carry_out(plan: Plan, store: Store, dask: str | None, count: int | None) -> bool:
    """Do the missing runs; return whether Ctrl-C interrupted them."""
    from footfall_sweep.sweep import carry_out

    before, total = sum(store.counts().values()), plan.grid.runs
    if before:
        print(f"{before} of {total} runs are already done", file=sys.stderr)
    try:
        carry_out(plan, store, _workers(dask, count, total - before), progress=True)
    except KeyboardInterrupt:
        return True
    return False


def _workers(dask: str | None, count: int | None, missing: int) -> Workers:
    """Return the workers for the missing runs."""
    if dask is not None and missing:
        from footfall_sweep.cluster import connect

        return connect(dask, count)
    from footfall_sweep.sweep import workers_of

    return workers_of(None, count, max(missing, 1))


def _report(grid: Grid, store: Store, interrupted: bool) -> None:
    """Print the result of the sweep: failures (the first ones and their file), and counts."""
    from footfall_sweep.store import FAILURES, RESULTS

    counts = store.counts()
    done, failed = sum(counts.values()), sum(counts.values()) - counts.get("complete", 0)
    for number, ending, error in store.failures(TOLD):
        print(f"{ending}: run {number} ({grid.label(number)}): {error}", file=sys.stderr)
    if failed > TOLD:
        left = f"{failed - TOLD} more runs not complete"
        print(f"and {left}: {store.folder / FAILURES}", file=sys.stderr)
    print(f"runs     {done} of {grid.runs} done, {failed} not complete")
    print(f"results  {store.folder / RESULTS}")
    if interrupted:
        print("interrupted: start the same command again to continue", file=sys.stderr)
        raise KeyboardInterrupt
    if failed:
        raise typer.Exit(1)
