"""One run of a sweep in a worker, and the check that the worker can do it."""

from __future__ import annotations

import hashlib
import json
import socket
import warnings
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from functools import cache
from importlib.metadata import entry_points, version
from pathlib import Path
from threading import Lock
from typing import Any, Literal

import numpy as np

from footfall import RunReport, Scene, assemble, discover, find_scene, load_scene
from footfall.api.plugin import Floats1, FootfallError, RecordingError, Registry, error_line
from footfall_stepper.api import Run, StepperSimulator, stepped

Keep = Literal["summary", "state", "recordings"]
"""Data kept per run: figures; the last state as well; the recording as well."""
Ending = Literal["complete", "refused", "failed", "unfit", "unstored"]
ENTRY_POINTS = "footfall"
COMPUTING = ("numpy", "scipy", "llvmlite", "pin")
"""Distributions, besides those of plugins, whose versions affect the results."""
STORE = "runs.sqlite"
"""File of the store in the folder of a sweep."""
UNSEEN = {"visualizer.plugin": "none"}
"""Change that every run of a sweep makes to its scene: no viewer."""

_assembling = Lock()
"""Lock for loading a scene, which diverts the output of compiled libraries."""


@dataclass(frozen=True, slots=True)
class Brief:
    """Common data of all runs of a sweep, as sent to workers.

    Attributes:
        scene: name of a bundled scene, or absolute path of a file.
        digest: SHA-256 of the scene's file.
        overrides: changes that all runs make to the scene, by dotted key.
        keep: data kept per run.
        folder: absolute path of the sweep's folder, for workers that write recordings.
        versions: versions that the workers must have.
    """

    scene: str
    digest: str
    overrides: Mapping[str, Any]
    keep: Keep
    folder: str
    versions: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class LastState:
    """State at the end of a run.

    Attributes:
        time: simulated time, [s].
        q: shape (nq,), positions as in a recording, [m, 1 or rad].
        v: shape (nv,), velocities as in a recording, [m/s or rad/s].
        positions: labels of ``q``.
        velocities: labels of ``v``.
    """

    time: float
    q: Floats1
    v: Floats1
    positions: tuple[str, ...]
    velocities: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Outcome:
    """Outcome of a run.

    Attributes:
        number: number of the run, from 0.
        ending: ``complete``; ``refused`` if the scene cannot run; ``failed`` if the run broke off;
            ``unfit`` if the worker cannot do the run; ``unstored`` if it could not write. The last
            two count as not run.
        error: reason why the run is not complete, in one line; empty if it is.
        figures: figures of the run's report, by name.
        state: last state, if it is kept.
    """

    number: int
    ending: Ending
    error: str = ""
    figures: Mapping[str, float] = field(default_factory=dict)
    state: LastState | None = None


def versions() -> dict[str, str]:
    """Return the installed versions of Footfall, its plugins, and numeric libraries."""
    found = {name: version(name) for name in ("footfall", *COMPUTING)}
    plugins = {point.dist for point in entry_points(group=ENTRY_POINTS)}
    found |= {one.name: one.version for one in plugins if one is not None}
    return found


def differing(there: Mapping[str, str], here: Mapping[str, str]) -> str:
    """Return the differing versions: ``numpy 2.3.0 (here 2.4.6)``; empty if all are the same."""
    return ", ".join(
        f"{name} {there.get(name, 'missing')} (here {here.get(name, 'missing')})"
        for name in sorted({*there, *here})
        if there.get(name) != here.get(name)
    )


def digest_of(scene: str) -> str:
    """Return the SHA-256 of a scene's file."""
    return hashlib.sha256(find_scene(scene)[1].read_bytes()).hexdigest()


def unfitness(brief: Brief) -> str:
    """Return why this process cannot do the runs of a sweep, in one line; empty if it can."""
    place = f"the worker on {socket.gethostname()}"
    other = differing(versions(), brief.versions)
    if other:
        return f"{place} has {other}: install the same versions there"
    try:
        if digest_of(brief.scene) != brief.digest:
            return f"{place} has another file of the scene {brief.scene}"
    except (FootfallError, OSError):
        return f"{place} has no scene {brief.scene}: put its file where all workers see it"
    if brief.keep == "recordings" and not Path(brief.folder, STORE).exists():
        return f"{place} does not see the folder {brief.folder}: recordings need a shared folder"
    return ""


_fit: set[str] = set()
"""Briefs, as JSON, of the sweeps whose runs this process can do."""


def _known_unfitness(brief: Brief) -> str:
    """Return ``unfitness``, checked only once per sweep in a process that fits."""
    said = json.dumps(asdict(brief), sort_keys=True, default=str)
    unfit = "" if said in _fit else unfitness(brief)
    if not unfit:
        _fit.add(said)
    return unfit


@cache
def _registry() -> Registry:
    return discover()


def scene_of(brief: Brief, values: Mapping[str, Any], registry: Registry | None = None) -> Scene:
    """Load the scene of a run.

    Raises:
        FootfallError: if its values are not allowed, or contradict each other.
    """
    changes = {**UNSEEN, **brief.overrides, **values}
    return load_scene(brief.scene, changes, registry or _registry())


def do_run(brief: Brief, number: int, values: Mapping[str, Any]) -> Outcome:
    """Do one run; errors in it are in the outcome.

    Args:
        brief: common data of all runs.
        number: number of the run.
        values: values of the varied keys.
    """
    unfit = _known_unfitness(brief)
    if unfit:
        return Outcome(number, "unfit", unfit)
    try:
        sim = _assembled(brief, values)
        run = Run(sim, sim.provenance.duration)
    except Exception as error:
        refused = isinstance(error, FootfallError)
        return Outcome(number, "refused" if refused else "failed", line_of(error))
    ending: Ending = "complete"
    words = ""
    try:
        run.record(recording_of(brief, number), True, False)
    except RecordingError as error:
        return Outcome(number, "unstored", line_of(error))
    except Exception as error:
        ending, words = "failed", line_of(error)
    state = _last_state(sim) if brief.keep != "summary" else None
    return Outcome(number, ending, words, _figures(run.report), state)


def make_a_step(brief: Brief, values: Mapping[str, Any]) -> None:
    """Compile the kernels of a run by its first step; ignore errors, as the run reports them."""
    try:
        _assembled(brief, values).step()
    except Exception:
        return


def recording_of(brief: Brief, number: int) -> Path | None:
    """Return the path of a run's recording; None if recordings are not kept."""
    if brief.keep != "recordings":
        return None
    return Path(brief.folder, recording_name(number))


def recording_name(number: int) -> str:
    """Return the path of a run's recording in the folder of its sweep."""
    return f"recordings/{number:08d}.zarr"


def line_of(error: BaseException) -> str:
    """Return the message of an error in one line."""
    if isinstance(error, FootfallError):
        return " ".join(str(error).split())
    return error_line(error)


def _assembled(brief: Brief, values: Mapping[str, Any]) -> StepperSimulator:
    with _assembling, warnings.catch_warnings(action="ignore"):  # the parent has printed them
        return stepped(assemble(scene_of(brief, values), _registry()))


def _figures(report: RunReport | None) -> dict[str, float]:
    if report is None:
        return {}
    figures = {name: getattr(report, name) for name in FIGURES} | {"alarms": len(report.alarms)}
    return {name: float(value) for name, value in figures.items()}


def _last_state(sim: StepperSimulator) -> LastState:
    q, v, labels = sim.state["q"], sim.state["v"], sim.labels
    return LastState(sim.time, np.array(q), np.array(v), labels.position, labels.velocity)


UNITS = {
    **dict.fromkeys(("simulated", "wall", "typical_step"), "s"),
    **dict.fromkeys(("natural_map_worst", "natural_map_median"), "m/s"),
    **{"cone_worst": "N s", "penetration_worst": "m"},
    **dict.fromkeys(("energy_start", "energy_end", "energy_balance", "work"), "J"),
    **dict.fromkeys(("dissipated", "integration_error", "elastic"), "J"),
}
"""Units of figures; all others have unit 1."""
FIGURES = (
    *(item.name for item in fields(RunReport) if item.type in ("int", "float")),
    "energy_balance",
    "alarms",
)
"""Numbers of a run's report, see ``footfall.RunReport``; of alarms their number."""
