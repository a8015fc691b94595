"""The function ``footfall.sweep``: plan, workers, runs, results."""

from __future__ import annotations

import hashlib
import itertools
import json
import warnings
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

from footfall import Scene, assemble, discover, find_scene
from footfall.api.advanced import temporary_folder
from footfall.api.command import Key
from footfall.api.plugin import FootfallError, Registry, RobotWarning, SceneError, nearest
from footfall_sweep.conduct import Progress, conduct
from footfall_sweep.dataset import open_results, write_results
from footfall_sweep.grid import Axis, Grid, make_grid
from footfall_sweep.store import Store, remove_sweep
from footfall_sweep.task import Brief, Keep, digest_of, scene_of, versions
from footfall_sweep.workers import Given, Processes, Workers, cores

if TYPE_CHECKING:
    import xarray as xr

MANY = 10**7
"""Most runs without confirmation."""
TRIED_VALUES = 200
"""Most values of a key that are all tried before the sweep; otherwise the first and the last."""
TRIED_COMBINATIONS = 64
"""Most combinations that are tried for a value that the first combination rejects."""
SAMPLES = 32
"""Most scenes for which kernels are compiled before the sweep."""


@dataclass(frozen=True, slots=True)
class Plan:
    """A checked sweep.

    Attributes:
        grid: keys and values.
        brief: common data of all its runs.
        identity: values that identify the sweep, by name; kept in its folder.
        notes: notes on its scenes.
    """

    grid: Grid
    brief: Brief
    identity: Mapping[str, Any]
    notes: tuple[str, ...]

    @property
    def samples(self) -> list[dict[str, Any]]:
        """Values of runs that need all kernels: one run for each value that is not a number."""
        first = self.grid.values(0)
        found = [first]
        for axis in self.grid.axes:
            others = itertools.islice(axis.values, 1, SAMPLES)
            found += [{**first, axis.key: v} for v in others if isinstance(v, str | Mapping)]
        return found[:SAMPLES]


def make_plan(
    scene: str | Path, grid: Grid, overrides: Mapping[str, Any], keep: str, folder: Path
) -> Plan:
    """Check a sweep before it runs.

    Raises:
        SceneError: if a key does not exist, is both set and varied, or has a value that is wrong in
            every tried combination; if ``keep`` is invalid.
        PluginError: if a plugin that the scene needs cannot be loaded.
    """
    if keep not in get_args(Keep):
        near = nearest(keep, get_args(Keep))
        raise SceneError(f"keep: allowed is summary, state or recordings, got {keep!r}{near}")
    _refuse_set(grid, overrides)
    registry, (name, path) = discover(), find_scene(scene)
    is_file = str(scene) != name
    brief = Brief(
        scene=str(path.resolve()) if is_file else name,
        digest=digest_of(str(scene)),
        overrides=dict(overrides),
        keep=keep,  # type: ignore[arg-type]
        folder=str(folder.resolve()),
        versions=versions(),
    )
    loaded = try_values(grid, brief, registry)
    identity = {
        "scene": brief.scene,
        "vary": {axis.key: _identity(axis) for axis in grid.axes},
        "overrides": brief.overrides,
        "keep": keep,
        "digest": brief.digest,
        "robots": _robots(loaded, registry),
        "versions": brief.versions,
    }
    return Plan(grid, brief, identity, loaded.notes)


def _robots(scene: Scene, registry: Registry) -> Any:
    """Return digests of the robots' files by body; empty if the scene cannot be assembled."""
    with warnings.catch_warnings():
        warnings.simplefilter("once", RobotWarning)
        try:
            return assemble(scene, registry).provenance.resolved["robots"]
        except FootfallError:
            return {}


def default_folder(scene: str | Path, grid: Grid, overrides: Mapping[str, Any], keep: str) -> Path:
    """Return the folder of a sweep, fixed by the command: ``runs/cube-drop-swept-...``."""
    vary = {axis.key: _identity(axis) for axis in grid.axes}
    said = json.dumps([str(scene), vary, dict(overrides), keep], default=str)
    stem = find_scene(scene)[0].replace("/", "-")
    return Path("runs") / f"{stem}-swept-{hashlib.sha256(said.encode()).hexdigest()[:8]}"


def _identity(axis: Axis) -> Any:
    """Return the values of a key, or a digest of them if there are many."""
    if isinstance(axis.values, range):
        return str(axis.values)
    if len(axis.values) <= TRIED_VALUES:
        return list(axis.values)
    digest = hashlib.sha256(json.dumps(axis.values, default=str).encode()).hexdigest()
    return f"{len(axis.values)} values, {digest[:16]}"


def _refuse_set(grid: Grid, overrides: Mapping[str, Any]) -> None:
    varied = {axis.key for axis in grid.axes}
    for key in overrides:
        try:
            name = str(Key.parse(key))
        except ValueError:  # reported when the scene is loaded
            continue
        if name in varied:
            raise SceneError("is both set and varied", key=name)


def try_values(grid: Grid, brief: Brief, registry: Registry) -> Scene:
    """Load the scene with each value of each key, and return the first that loads.

    A value that fails in some combinations makes those runs fail. A value that fails in all of them
    is an error of the sweep.

    Raises:
        FootfallError: if a value fails in all combinations tried.
    """
    loaded: Scene | None = None
    for place, axis in enumerate(grid.axes):
        few = len(axis.values) <= TRIED_VALUES
        for value in axis.values if few else (axis.values[0], axis.values[-1]):
            first: FootfallError | None = None
            for values in _combinations_with(grid, place, value):
                try:
                    scene = scene_of(brief, values, registry)
                except FootfallError as error:
                    first = first or error
                else:
                    loaded, first = loaded or scene, None
                    break
            if first is not None and (len(axis.values) == 1 or _blames(first, axis)):
                raise first
    if loaded is None:
        scene_of(brief, grid.values(0), registry)
        raise SceneError("no combination of the values gives a valid scene")
    return loaded


def _blames(error: FootfallError, axis: Axis) -> bool:
    return isinstance(error, SceneError) and error.key == axis.key


def _combinations_with(grid: Grid, place: int, value: Any) -> Iterator[dict[str, Any]]:
    """Yield some combinations in which a key has the given value."""
    keys = [axis.key for axis in grid.axes]
    listed: list[Sequence[Any]] = [axis.values for axis in grid.axes]
    listed[place] = [value]
    chosen = itertools.product(*(itertools.islice(values, TRIED_COMBINATIONS) for values in listed))
    for values in itertools.islice(chosen, TRIED_COMBINATIONS):
        yield dict(zip(keys, values, strict=True))


def carry_out(plan: Plan, store: Store, workers: Workers, *, progress: bool) -> None:
    """Do the missing runs of a sweep, and write its results, even if it is interrupted.

    Raises:
        FootfallError: if the sweep cannot continue; the message gives the reason.
    """
    counts = store.counts()
    done, total = sum(counts.values()), plan.grid.runs
    if done == total and store.has_results():
        return
    try:
        if done < total:
            shown = Progress(total, done, done - counts.get("complete", 0), shown=progress)
            with workers, shown:
                workers.begin(plan.brief, plan.samples)
                conduct(plan.grid, plan.brief, store, workers, shown)
    finally:
        write_results(plan.grid, plan.brief, store)


def workers_of(executor: Any, count: int | None, runs: int) -> Workers:
    """Return the workers that do the runs.

    Args:
        executor: the caller's executor or Dask client; None: processes of this machine.
        count: number of processes; by default one per core.
        runs: number of runs.

    Raises:
        SceneError: if the executor is of another type, or the number is not positive.
    """
    if executor is None:
        if count is not None and count < 1:
            raise SceneError(f"workers: allowed is 1 or more, got {count}")
        return Processes(min(count or cores(), runs))
    if hasattr(executor, "get_executor"):
        from footfall_sweep.cluster import Cluster

        cluster = Cluster(executor)
        cluster.closes = False
        return cluster
    if not isinstance(executor, Executor):
        raise SceneError(f"executor: must be a concurrent.futures.Executor, got {executor!r}")
    return Given(executor)


def refuse_many(runs: int, what_to_do: str) -> None:
    """Reject a sweep with very many runs.

    Raises:
        SceneError: if the sweep has more than ``MANY`` runs.
    """
    if runs > MANY:
        raise SceneError(f"the sweep has {runs} runs, more than {MANY}: {what_to_do}")


def sweep(
    scene: str | Path,
    vary: Mapping[str, Any],
    overrides: Mapping[str, Any] | None = None,
    *,
    duration: float | None = None,
    executor: Any = None,
    workers: int | None = None,
    keep: Keep = "summary",
    output: str | Path | None = None,
    overwrite: bool = False,
    many: bool = False,
    progress: bool = True,
) -> xr.Dataset:
    """Run a scene for every combination of values, on many workers.

    ``footfall.sweep("cube/sliding", {"world.terrain.friction": "0.2:1.0:9"})``.
    A second call with the same ``output`` does only the missing runs. A failed run is in the
    Dataset with its error; the other runs continue. In a script, call it under ``if __name__ ==
    "__main__":``, because its worker processes import the script.

    Args:
        scene: ``robot/scene`` of a bundled scene, or path of a scene file.
        vary: values by dotted key: a sequence, or a text as on the command line (``a:b:n`` n
            numbers evenly spaced with both ends, ``a:b:n:log``, ``0:100`` as ``range``). ``seed``,
            ``duration`` and ``time_step`` are those of the table ``simulation``.
        overrides: changes that all runs make to the file, by dotted key.
        duration: duration of each run, [s]; by default the scene's.
        executor: any ``concurrent.futures.Executor``, or a Dask client; by default processes.
        workers: number of processes; by default one per core.
        keep: data kept per run: ``summary``; ``state`` adds the last state; ``recordings`` adds
            the recording.
        output: folder of the sweep; by default a temporary one, removed when the process ends.
        overwrite: whether to replace another sweep at ``output``.
        many: whether to allow more than ten million runs.
        progress: whether to show progress on standard error.

    Returns:
        A Dataset with a dimension for each varied key, named by its last part (by the whole key if
        that is not unique), with the values as coordinates. Variables: ``ending``, ``error``, the
        numbers of ``footfall.RunReport``; with ``state`` also ``time``, ``q`` and ``v``; with
        ``recordings`` also ``recording``, paths for ``footfall.open_run``.

    Raises:
        SceneError: if a key does not exist, or a value is wrong in every combination.
        PluginError: if the workers have other versions, or there are no workers.
        RecordingError: if the folder holds something else, or cannot be written.
        SimulationError: if the workers cannot be reached; runs done before are kept.
    """
    if not isinstance(vary, Mapping):
        raise SceneError(f"vary: must be a table of values by key, got {vary!r}")
    grid = make_grid(vary.items())
    if not many:
        refuse_many(grid.runs, "give many=True to run all of them")
    changes = dict(overrides or {})
    if duration is not None:
        changes["simulation.duration"] = duration
    folder = Path(output) if output is not None else temporary_folder() / "sweep"
    plan = make_plan(scene, grid, changes, keep, folder)
    crew = workers_of(executor, workers, grid.runs)
    if overwrite:
        remove_sweep(folder)
    with Store(folder, plan.identity, plan.grid.runs) as store:
        carry_out(plan, store, crew, progress=progress)
    return open_results(folder)
