"""A recording as RRD, as Rerun shows it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

import footfall
from footfall import open_run
from footfall_recordings.columns import Signal, signals
from footfall_recordings.destination import destination
from footfall_recordings.tessellation import triangles_of

if TYPE_CHECKING:
    import rerun

FORCE = (240, 82, 10)
"""Colour of contact forces, red, green, blue."""


def export_rrd(recording: Path, output: Path, *, overwrite: bool, trust: bool = False) -> None:
    """Write the bodies' meshes, their transforms, contact forces and all signals.

    Entities: ``world/BODY/LINK`` moves, the shapes stand below it; ``world/contact_forces`` are
    arrows as long as the scene for the whole weight; ``signals/NAME/ENTRY`` are scalars with names
    and units. The timeline ``time`` is the run's, in seconds. Poses are those of 50 frames a
    second.

    Raises:
        RecordingError: if the recording cannot be shown, or the file exists or cannot be written.
    """
    import rerun

    graph, motion = footfall.recorded_motion(recording, trust=trust)
    run = open_run(recording)
    with destination(output, overwrite=overwrite) as part:
        stream = rerun.RecordingStream("footfall", recording_id=Path(recording).stem)
        stream.save(str(part))
        stream.log("world", rerun.ViewCoordinates.RIGHT_HAND_Z_UP, static=True)
        _log_shapes(stream, graph)
        _send_motion(stream, graph, motion)
        for signal in signals(run):
            _send_signal(stream, signal, run)
        stream.flush()
        stream.disconnect()


def _entity(graph: Any, link: int) -> list[object]:
    """Return the path of a link."""
    name = graph.links[link] if link < len(graph.links) else ""
    return ["world", *(name or f"row {link}").split("/")]


def _log_shapes(stream: rerun.RecordingStream, graph: Any) -> None:
    import rerun

    for node in graph.nodes:
        if node.layer != "visual":
            continue
        corners = triangles_of(node.shape).reshape(-1, 3) @ node.rotation.T + node.translation
        color = [round(255.0 * part) for part in node.color]
        path = [*_entity(graph, node.link), f"shape {node.name.rpartition('/')[2]}"]
        normals = np.cross(corners[1::3] - corners[::3], corners[2::3] - corners[::3])
        size = np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-300)
        mesh = rerun.Mesh3D(
            vertex_positions=corners,
            triangle_indices=np.arange(len(corners)).reshape(-1, 3),
            vertex_normals=np.repeat(normals / size, 3, axis=0),
            albedo_factor=color,
        )
        stream.log(path, mesh, static=True)


def _send_motion(stream: rerun.RecordingStream, graph: Any, motion: Any) -> None:
    import rerun

    time = [rerun.TimeColumn("time", duration=motion.time)]
    for link in range(graph.n_links):
        poses = motion.poses[:, link]
        columns = rerun.Transform3D.columns(translation=poses[:, :3], quaternion=poses[:, 3:])
        path = rerun.new_entity_path(_entity(graph, link))
        rerun.send_columns(path, time, columns, recording=stream)
    acting = np.any(motion.contact_force != 0.0, axis=2)
    scale = graph.radius / graph.weight if graph.weight > 0.0 else 1.0
    arrows = rerun.Arrows3D.columns(
        origins=motion.contact_position[acting], vectors=scale * motion.contact_force[acting]
    ).partition(acting.sum(axis=1))
    stream.log("world/contact_forces", rerun.Arrows3D.from_fields(colors=[FORCE]), static=True)
    rerun.send_columns("world/contact_forces", time, arrows, recording=stream)


def _send_signal(stream: rerun.RecordingStream, signal: Signal, run: Any) -> None:
    import rerun

    time = [rerun.TimeColumn("time", duration=run["time"].values)]
    values = signal.values(run, slice(None))
    for k, label in enumerate(signal.labels):
        path = rerun.new_entity_path(["signals", signal.name, *([label] if label else [])])
        name = f"{signal.name} {label} [{signal.units}]".replace("  ", " ")
        stream.log(path, rerun.SeriesLines(names=name), static=True)
        columns = rerun.Scalars.columns(scalars=values[:, k])
        rerun.send_columns(path, time, columns, recording=stream)
