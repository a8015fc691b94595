"""A recorded motion: the scene's shapes, and their poses over time."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from footfall import assemble, discover, open_run, segment_paths, stored_scene
from footfall.api.plugin import Floats, RecordingError, Registry
from footfall.api.viewer import SceneGraph
from footfall_meshcat.drawing.payload import pack_payload
from footfall_meshcat.recorded.marks import marks_of
from footfall_meshcat.recorded.plotted import Plotted, plotted
from footfall_meshcat.server.messages import PAIR
from footfall_stepper.api import Drawing, StepperSimulator, stepped

if TYPE_CHECKING:
    import xarray as xr


Drawn = npt.NDArray[np.floating]
ROWS = ("time", "poses", "contact_position", "contact_force", "com", "between")
"""Arrays of a motion with one row per frame."""


@dataclass(frozen=True, slots=True)
class Motion:
    """The frames of a recording as arrays; row k of each is the frame at ``time[k]``.

    Attributes:
        time: shape (frames,), strictly increasing, [s].
        poses: shape (frames, n_links, 7), world position [m] and quaternion x, y, z, w.
        contact_position: shape (frames, n_contacts, 3), world, [m].
        contact_force: shape (frames, n_contacts, 3), world, [N].
        com: shape (frames, 3), total centre of mass, world, [m].
        marks: events: kind, time and end [s], text of each.
        signals: signals for plots.
        between: shape (frames, n, 7), data of contacts between bodies, see ``Frame``; by default
            none.
    """

    time: Drawn
    poses: Drawn
    contact_position: Drawn
    contact_force: Drawn
    com: Drawn
    marks: tuple[Mapping[str, object], ...] = ()
    signals: Plotted = field(default_factory=Plotted)
    between: Drawn = field(default_factory=lambda: np.zeros((0, 0, PAIR)))

    def __post_init__(self) -> None:
        if not self.between.size:
            object.__setattr__(self, "between", np.zeros((len(self.time), 0, PAIR)))

    def check(self, graph: SceneGraph) -> None:
        """Raise RecordingError unless the shapes fit the scene and the times increase."""
        frames = len(self.time)
        expected = {
            "time": (frames,),
            "poses": (frames, graph.n_links, 7),
            "contact_position": (frames, graph.n_contacts, 3),
            "contact_force": (frames, graph.n_contacts, 3),
            "com": (frames, 3),
        }
        for name, shape in expected.items():
            given = np.shape(getattr(self, name))
            if given != shape:
                raise RecordingError(f"{name} has shape {given}, the scene needs {shape}")
        if not frames:
            raise RecordingError("a motion without frames cannot be shown")
        if not np.isfinite(self.time).all() or (np.diff(self.time) <= 0.0).any():
            raise RecordingError("the times of a motion must be finite and increase")

    def decimated(self, rate: float) -> Motion:
        """Return at most ``rate`` frames per second [1/s]: the first at or after each tick, and
        always the first and the last.
        """  # noqa: D205 - one sentence
        rows = _rows_to_show(self.time, rate)
        kept: dict[str, Any] = {name: np.asarray(getattr(self, name))[rows] for name in ROWS}
        return replace(self, **kept)

    def payload(self, **settings: object) -> bytes:
        """Return the payload of a playing page: float32, except float64 times.

        Args:
            settings: initial settings of the player: ``speed``, ``loop``.
        """
        _, links = self.poses.shape[:2]
        counts = {"contacts": self.contact_force.shape[1], "between": self.between.shape[1]}
        header = {"links": links, **counts, "play": settings}
        arrays: dict[str, npt.NDArray[Any]] = {
            name: np.asarray(getattr(self, name), np.float64 if name == "time" else np.float32)
            for name in ROWS
        }
        told = {
            "marks": list(self.marks),
            "signals": list(self.signals.names),
        }
        return pack_payload(header | told, arrays | dict(self.signals.arrays))


FRAME_RATE = 50.0
"""Largest number of frames per simulated second, [1/s]; pages interpolate."""


def recorded_motion(
    path: Path, registry: Registry, *, trust: bool = False
) -> tuple[SceneGraph, Motion]:
    """Return the scene graph and the motion of a recording, for a visualizer.

    Recordings hold positions, not poses of links: Footfall assembles the scene again and evaluates
    its kinematics at each shown row. Functions named in the scene are imported only with ``trust``.

    Raises:
        RecordingError: if there is no recording, or it holds no scene or no rows.
        SceneError, RobotError, PluginError: if its scene cannot be assembled here.
    """
    run = joined_run(path)
    resolved = run.attrs.get("resolved_scene")
    if not resolved:
        raise RecordingError(f"{path}: it was not made from a scene, so it cannot be shown")
    with warnings.catch_warnings():
        # The run has warned already. Objects of a later segment are at their place of creation.
        warnings.simplefilter("ignore", UserWarning)
        none = {"plugin": "none"}
        scene = stored_scene(resolved, registry, trust=trust, visualizer=none)
        sim = stepped(assemble(scene, registry))
    rows = _rows_to_show(run["time"].values, FRAME_RATE)
    if not len(rows):
        raise RecordingError(f"{path}: holds no rows")
    shown = run.isel(time=rows)
    drawing = sim.drawing()
    graph = drawing.graph()
    poses = np.zeros((len(rows), graph.n_links, 7))
    _write_poses(sim, drawing, shown["time"].values, _fitting(sim, shown, path), poses)
    positions, forces, between = _contacts(sim, drawing, run, rows)
    graph = replace(graph, n_contacts=positions.shape[1])
    motion = Motion(
        shown["time"].values,
        poses,
        positions,
        forces,
        shown["com"].values,
        tuple(marks_of(run)),
        plotted(run, FRAME_RATE),
        between,
    )
    return graph, motion


def shown_together(path: Path) -> list[xr.Dataset]:
    """Open the segments of a recording that one page plays: those with the first one's contacts.

    They follow each other if the contact law or gravity has changed in the run. A restart, another
    body, or contacts between bodies end them.
    """
    first, *others = map(open_run, segment_paths(path))
    parts = [first]
    for run in others:
        same = all(run[name].equals(first[name]) for name in ("position", "contact"))
        if not same or "collisions_start" in run or run["time"][0] <= parts[-1]["time"][-1]:
            break
        parts.append(run)
    return parts


def joined_run(path: Path) -> xr.Dataset:
    """Return ``shown_together`` as one run, without the variables that one of them lacks.

    The attribute ``changes`` has the time [s] and the reason of each new segment.
    """
    parts = shown_together(path)
    if len(parts) == 1:
        return parts[0]
    import xarray as xr

    names = [name for name in parts[0].data_vars if all(name in part for part in parts)]
    each = [part[names] for part in parts]
    whole = xr.concat(each, "time", data_vars="minimal", coords="minimal", combine_attrs="override")
    changes = [(float(part["time"][0]), part.attrs["began_by"]) for part in parts[1:]]
    return whole.assign_attrs(changes=changes)


def motion_of(path: str | Path, *, trust: bool = False) -> tuple[SceneGraph, Motion]:
    """Return the scene graph and the motion of a recording, 50 frames per second.

    Args:
        path: path of a recording.
        trust: whether functions named in its scene may be imported.

    Raises:
        RecordingError: if there is no recording, or it holds no scene or no rows.
        SceneError, RobotError, PluginError: if its scene cannot be assembled here.
    """
    return recorded_motion(Path(path), discover(), trust=trust)


def _rows_to_show(time: Drawn, rate: float) -> npt.NDArray[np.int64]:
    """Return at most ``rate`` rows per second, the first and the last included."""
    tick = np.floor((time - time[:1]) * rate * (1.0 + 1e-9) + 1e-6)
    keep = np.diff(tick, prepend=-1.0) > 0.0
    keep[-1:] = True
    return np.flatnonzero(keep)


def _fitting(sim: StepperSimulator, shown: xr.Dataset, path: Path) -> Floats:
    """Return the recorded positions; reject those of a robot that has changed since."""
    q = np.ascontiguousarray(shown["q"].values, float)
    contacts = shown.sizes["contact"]
    if q.shape[1] != sim.world.nq or contacts != sim.world.n_contacts:
        raise RecordingError(
            f"{path}: a robot has changed since: {q.shape[1]} positions and {contacts} contact "
            f"points in the recording, {sim.world.nq} and {sim.world.n_contacts} now"
        )
    return q


def _contacts(
    sim: StepperSimulator, drawing: Drawing, run: xr.Dataset, rows: npt.NDArray[np.int64]
) -> tuple[Floats, Floats, Floats]:
    """Return positions and forces of the rows' contacts, (rows, contacts, 3), and ``between``.

    The arrays have room for the largest number of contacts between bodies in any row, up to the
    number that frames show. Friction is NaN if the recording does not hold it.
    """
    position, force = (run[f"contact_{name}"].values[rows] for name in ("position", "force"))
    if sim.world.collider is None or "collisions_start" not in run:
        return position, force, np.zeros((len(rows), 0, PAIR))
    ends = np.append(run["collisions_start"].values, run["collisions_key"].size)
    counts = ends[rows + 1] - ends[rows]
    first = np.cumsum(counts) - counts
    wanted = np.repeat(ends[rows] - first, counts) + np.arange(counts.sum())
    table = run.isel({run["collisions_key"].dims[0]: wanted})
    unknown = np.full(len(wanted), np.nan)
    names = ("force", "position", "normal", "friction", "status", "body_1", "body_2")
    found = [f"collisions_{name}" for name in names]
    each = np.column_stack([table[one].values if one in table else unknown for one in found])
    most = min(int(counts.max(initial=0)), len(drawing.between))
    declared = position.shape[1]
    shown = [np.zeros((len(rows), declared + most, 3)) for _ in range(2)]
    between = np.zeros((len(rows), most, PAIR))
    for k in range(len(rows)):
        drawing.show(position[k], force[k], each[first[k] : first[k] + counts[k]])
        for out, part in zip(shown, (drawing.position, drawing.force), strict=True):
            out[k] = part[: declared + most]
        between[k] = drawing.between[:most]
    return shown[0], shown[1], between


def _write_poses(
    sim: StepperSimulator, drawing: Drawing, time: Floats, q: Floats, out: Floats
) -> None:
    """Evaluate the poses of all links, and of a moving ground, shape (rows, n_links, 7)."""
    for k, positions in enumerate(q):
        sim.q[:] = positions
        sim.stepper.observe(float(time[k]))
        drawing.place(float(time[k]))
        out[k] = drawing.poses
