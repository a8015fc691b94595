"""Comparisons: run the combinations of a scene's variations one after the other."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from footfall import assemble, discover, find_scene, open_run
from footfall.api.advanced import temporary_folder
from footfall.api.plugin import FootfallError, RecordingError, Registry, SceneError, error_line
from footfall_compare.folder import claim_folder
from footfall_compare.outcome import Comparison, Outcome
from footfall_compare.reference import Own, changed_scenes, seen_from
from footfall_compare.trajectory import Trajectory
from footfall_compare.variation import (
    Combination,
    Trial,
    check_variations,
    make_trials,
    refusal,
    value_text,
)
from footfall_stepper.api import Run, StepperSimulator, stepped

LONGEST = 100
"""Greatest number of characters of a recording's name."""


def conduct(
    trials: Sequence[Trial],
    folder: Path,
    registry: Registry,
    *,
    progress: bool = False,
    on_start: Callable[[Trial], None] = lambda trial: None,
) -> Iterator[Outcome]:
    """Run every trial and yield its outcome; recordings go to the folder.

    On Ctrl-C the interrupted trial is yielded with its recording, then KeyboardInterrupt is raised.

    Args:
        trials: the trials to run.
        folder: existing folder for the recordings.
        registry: registry of the trials.
        progress: True to show a progress bar on a terminal.
        on_start: called before each trial.

    Raises:
        RecordingError: if a recording cannot be written.
    """
    first: Trajectory | None = None
    for trial in trials:
        on_start(trial)
        outcome = run_trial(trial, folder, registry, progress=progress)
        if outcome.ending == "complete" and outcome.trajectory is not None:
            first = first or outcome.trajectory
            outcome = replace(outcome, difference=outcome.trajectory.difference(first))
        yield outcome
        if outcome.ending == "interrupted":
            raise KeyboardInterrupt


def run_trial(trial: Trial, folder: Path, registry: Registry, *, progress: bool = False) -> Outcome:
    """Run one trial; a refused scene or a failed run is also an outcome."""
    if trial.scene is None:
        assert trial.error is not None
        return Outcome(trial.combination, "refused", refusal(trial.error))
    try:
        sim = stepped(assemble(trial.scene, registry))
    except FootfallError as error:
        return Outcome(trial.combination, "refused", refusal(error))
    except Exception as error:
        return Outcome(trial.combination, "failed", error_line(error))
    _warm_up(sim)
    return _recorded(trial, sim, Run(sim, sim.provenance.duration), folder, progress)


def run_again(
    trials: Sequence[Trial],
    outcomes: Sequence[Outcome],
    registry: Registry,
    on_start: Callable[[str], object] = lambda way: None,
) -> Own | None:
    """Run the reference in changed scenes, to see what it does not determine itself.

    These are two runs, one with twice the steps; their recordings are temporary. None if no motion
    differs from the reference's.
    """
    if not any(o.difference and o.difference.counts for o in outcomes):
        return None
    trial, first = next(
        (trial, o.trajectory)
        for trial, o in zip(trials, outcomes, strict=False)
        if o.ending == "complete" and o.trajectory
    )
    assert trial.scene is not None
    scenes, missing = changed_scenes(trial.scene, registry)
    ways = dict[str, Trajectory]()
    for way, scene in scenes.items():
        on_start(f"the first again, {way}")
        found = run_trial(replace(trial, scene=scene), temporary_folder(), registry)
        if found.ending == "interrupted":
            raise KeyboardInterrupt
        if found.ending == "complete" and found.trajectory:
            ways[way] = seen_from(found.trajectory, first, way)
        else:
            missing += (f"{way}: {found.reason}",)
    return Own(first, ways, missing)


def _recorded(
    trial: Trial, sim: StepperSimulator, run: Run, folder: Path, progress: bool
) -> Outcome:
    path = folder / recording_name(trial.combination)
    done = Outcome(trial.combination, "complete")
    try:
        run.record(path, False, progress)
    except RecordingError:
        raise
    except KeyboardInterrupt:
        done = Outcome(trial.combination, "interrupted", f"interrupted at {sim.time:g} s")
    except Exception as error:
        known = isinstance(error, FootfallError)
        words = " ".join(str(error).split()) if known else error_line(error)
        done = Outcome(trial.combination, "failed", words)
    return replace(done, report=run.report, trajectory=_trajectory(path, sim))


def _trajectory(path: Path, sim: StepperSimulator) -> Trajectory | None:
    """Return the motion of a recording, None if there is no recording."""
    try:
        with open_run(path) as run:
            return Trajectory.of(run, sim)
    except RecordingError:
        return None


def recording_name(combination: Combination) -> str:
    """Return a name for a combination's recording, e.g. ``2-gauss-0.001.zarr``."""
    words = [value_text(value) for value in combination.values.values()]
    stem = re.sub(r"[^A-Za-z0-9._+-]+", "-", "-".join([str(combination.number), *words]))
    return f"{stem[:LONGEST].strip('-')}.zarr"


def _warm_up(sim: StepperSimulator) -> None:
    """Make one step and undo it, so that compilation does not count as step time."""
    start = sim.state.copy()
    try:
        sim.step()
    except FootfallError:
        pass  # the run reports it
    finally:
        sim.state.restore(start)


def compare(
    scene: str | Path,
    vary: Mapping[str, Sequence[Any]],
    overrides: Mapping[str, Any] | None = None,
    *,
    duration: float | None = None,
    output: str | Path | None = None,
    overwrite: bool = False,
) -> Comparison:
    """Run a scene in every combination of values, and compare the runs.

    Example: ``footfall.compare("cube/sliding", {"contact.plugin": ["coulomb", "gauss"]})``. An
    incompatible combination (e.g. of a law and an integrator) is refused with its reason; the
    others run. One step is made and undone before each run, so step times exclude compilation. If
    runs differ, the first complete one runs twice more, turned by a quarter about the vertical and
    with half the step, and differences are judged beside its own (``judgements``).

    Args:
        scene: ``robot/scene`` of a bundled scene, or path of a scene file.
        vary: values by dotted key; every combination is run, the last key changes fastest.
        overrides: changes to the scene for all runs, by dotted key or nested.
        duration: [s]; by default the scene's.
        output: folder for the recordings; by default temporary, removed when the process ends.
        overwrite: True if an earlier comparison at ``output`` may be replaced.

    Raises:
        SceneError: if a key does not exist, or a value is wrong in every combination.
        RecordingError: if the folder exists or cannot be written.
    """
    registry = discover()
    shared = dict(overrides or {})
    if duration is not None:
        shared["simulation.duration"] = duration
    if not isinstance(vary, Mapping):
        raise SceneError(f"vary: must be a table of values by key, got {vary!r}")
    variations = check_variations(vary.items())
    trials = make_trials(scene, variations, shared, registry)
    folder = Path(output) if output is not None else temporary_folder() / "comparison"
    claim_folder(folder, overwrite)
    outcomes = tuple(conduct(trials, folder, registry))
    own = run_again(trials, outcomes, registry)
    comparison = Comparison(find_scene(scene)[0], variations, outcomes, folder, own)
    comparison.write_tables()
    return comparison
