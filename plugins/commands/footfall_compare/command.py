"""``footfall compare``: run a scene in several variations."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from footfall.api.command import Duration, SceneName, default_output

if TYPE_CHECKING:
    from footfall.api.plugin import Registry
    from footfall_compare.outcome import Comparison, Outcome
    from footfall_compare.reference import Own
    from footfall_compare.variation import Trial


def compare(
    scene: SceneName,
    vary: Annotated[
        list[str],
        typer.Option("--vary", metavar="KEY=V,V,..", help="Values for a key; may be repeated."),
    ],
    set_: Annotated[
        list[str] | None,
        typer.Option(
            "--set", metavar="KEY=VALUE", help="Change a key in all runs; may be repeated."
        ),
    ] = None,
    duration: Duration = None,
    output: Annotated[
        Path | None,
        typer.Option(
            help="Folder for recordings and page (default: runs/SCENE-compared-TIME).",
            show_default=False,
        ),
    ] = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace old output.")] = False,
) -> None:
    """Run a scene in every combination of values and compare the runs.

    Prints a table, and writes recordings and comparison.html (plots). If runs differ, Footfall
    repeats the first run twice: once turned by 90 degrees about the vertical, once with half the
    time step. Only differences larger than those of the repetitions matter.

    Examples:
        footfall compare cube/drop --vary contact.plugin=coulomb,gauss
        footfall compare cube/sliding --vary world.terrain.friction=0.2,0.5,0.8
    """
    from footfall import discover, find_scene
    from footfall.api.command import parse_assignments
    from footfall_compare.folder import check_folder, claim_folder
    from footfall_compare.variation import make_trials, parse_variations

    registry, name = discover(), find_scene(scene)[0]
    variations = parse_variations(vary)
    overrides: dict[str, Any] = parse_assignments(set_ or [], {"simulation.duration": duration})
    if output:
        check_folder(output, overwrite)
    trials = make_trials(scene, variations, overrides, registry)
    _tell(trials)
    folder = output or default_output(f"{name}-compared", suffix="")
    claim_folder(folder, overwrite or not output)
    outcomes, own, interrupted = _conduct(trials, folder, registry)

    from footfall_compare.outcome import Comparison
    from footfall_compare.table import print_comparison

    comparison = Comparison(name, variations, outcomes, folder, own)
    print_comparison(comparison)
    comparison.write_tables()
    _write_page(comparison)
    if interrupted:
        print(f"interrupted: {len(outcomes)} of {len(trials)} started", file=sys.stderr)
        raise KeyboardInterrupt
    if comparison.reference is None:
        raise typer.Exit(1)


def _tell(trials: list[Trial]) -> None:
    """Print each note of the scenes once."""
    notes = [note for trial in trials if trial.scene for note in trial.scene.notes]
    for note in dict.fromkeys(notes):
        typer.echo(f"note: {note}", err=True)


def _conduct(
    trials: list[Trial], folder: Path, registry: Registry
) -> tuple[list[Outcome], Own | None, bool]:
    """Run the trials, then the first again, with progress; return also True if interrupted."""
    from footfall_compare.compare import conduct, run_again

    def say(trial: Trial) -> None:
        combination = trial.combination
        line = f"{combination.number} of {len(trials)}: {combination.label}"
        typer.echo(line, err=True)

    outcomes: list[Outcome] = []
    try:
        for outcome in conduct(trials, folder, registry, progress=True, on_start=say):
            outcomes.append(outcome)
        own = run_again(trials, outcomes, registry, lambda way: typer.echo(way, err=True))
    except KeyboardInterrupt:
        return outcomes, None, True
    return outcomes, own, False


def _write_page(comparison: Comparison) -> None:
    """Write the page if plotly is installed, else print a note."""
    from footfall import progress_lines
    from footfall.api.plugin import PluginError

    try:
        with progress_lines(lambda s: f"writing the page: {s:.0f} s"):
            page = comparison.write_page()
        print(f"page written to {page}")
    except PluginError as error:
        print(f"recordings are in {comparison.folder}")
        typer.echo(f"note: no page: {error}", err=True)
