"""The exporter ``mcap``: a recording as JSON messages with Foxglove's schemas.

Fields: https://docs.foxglove.dev/docs/sdk/schemas; file format: https://mcap.dev/spec.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

import footfall
from footfall import open_run
from footfall.api.plugin import Floats
from footfall.api.viewer import SceneGraph
from footfall_recordings.columns import Signal, blocks, signals
from footfall_recordings.destination import destination
from footfall_recordings.tessellation import triangles_of

if TYPE_CHECKING:
    import xarray as xr
    from mcap.writer import Writer

WORLD = "world"
"""Name of the root frame."""
FORCE = {"r": 0.94, "g": 0.32, "b": 0.04, "a": 1.0}
"""Colour of contact forces."""
THICK = 0.012
"""Diameter of the arrows relative to the scene's radius, [-]."""


def export_mcap(recording: Path, output: Path, *, overwrite: bool, trust: bool = False) -> None:
    """Write the bodies' shapes, their transforms, contact forces and all signals.

    Topics:

    - ``/tf`` (``foxglove.FrameTransforms``): one frame per link, with the link's name;
    - ``/scene`` (``foxglove.SceneUpdate``): shapes, fixed to these frames;
    - ``/contacts`` (``foxglove.SceneUpdate``): force arrows; the total weight has the length of
      the scene's radius;
    - one topic per recorded quantity, with one field per entry.

    Poses and arrows have 50 frames per second, signals have all rows. Time 0 of the run is second
    0 of the file.

    Raises:
        RecordingError: if the recording cannot be shown, or the file exists or cannot be written.
    """
    from mcap.writer import Writer

    graph, motion = footfall.recorded_motion(recording, trust=trust)
    run = open_run(recording)
    with destination(output, overwrite=overwrite) as part, part.open("wb") as file:
        writer = Writer(file)
        writer.start(profile="", library="footfall")
        _write_scene(writer, graph)
        _write_motion(writer, graph, motion)
        for signal in signals(run):
            _write_signal(writer, signal, run)
        writer.finish()


def _channel(writer: Writer, topic: str, schema: str, properties: dict[str, Any]) -> int:
    text = json.dumps({"title": schema, "type": "object", "properties": properties})
    number = writer.register_schema(schema, "jsonschema", text.encode())
    return int(writer.register_channel(topic, "json", number))


def _write(writer: Writer, channel: int, time: float, message: dict[str, Any]) -> None:
    stamp = max(0, round(1e9 * time))
    data = json.dumps(message, separators=(",", ":")).encode()
    writer.add_message(channel, log_time=stamp, data=data, publish_time=stamp)


def _stamp(time: float) -> dict[str, int]:
    seconds, rest = divmod(max(0, round(1e9 * time)), 1_000_000_000)
    return {"sec": seconds, "nsec": rest}


def _point(values: Any) -> dict[str, float]:
    return dict(zip("xyz", map(float, values), strict=True))


def _turn(values: Any) -> dict[str, float]:
    return dict(zip("xyzw", map(float, values), strict=True))


def _frame(graph: SceneGraph, link: int) -> str:
    name = graph.links[link] if link < len(graph.links) else ""
    return name or f"row {link}"


_ARRAY = {"type": "array", "items": {"type": "object"}}
_UPDATE = {"deletions": _ARRAY, "entities": _ARRAY}


def _entity(name: str, frame: str, time: float, **parts: list[Any]) -> dict[str, Any]:
    kinds = ("arrows", "cubes", "spheres", "cylinders", "lines", "triangles", "texts", "models")
    entity: dict[str, Any] = {
        "timestamp": _stamp(time),
        "frame_id": frame,
        "id": name,
        "lifetime": {"sec": 0, "nsec": 0},
        "frame_locked": True,
        "metadata": [],
    }
    return entity | {kind: parts.get(kind, []) for kind in kinds}


def _write_scene(writer: Writer, graph: SceneGraph) -> None:
    """Write all shapes once, as triangles in their links' frames."""
    channel = _channel(writer, "/scene", "foxglove.SceneUpdate", _UPDATE)
    still = {"position": _point(np.zeros(3)), "orientation": _turn((0.0, 0.0, 0.0, 1.0))}
    entities = []
    for node in graph.nodes:
        if node.layer != "visual":
            continue
        corners = triangles_of(node.shape).reshape(-1, 3) @ node.rotation.T + node.translation
        triangles = {
            "pose": still,
            "points": [_point(corner) for corner in corners],
            "color": dict(zip("rgba", map(float, node.color), strict=True)),
            "colors": [],
            "indices": [],
        }
        frame = _frame(graph, node.link)
        entities.append(_entity(node.name, frame, 0.0, triangles=[triangles]))
    _write(writer, channel, 0.0, {"deletions": [], "entities": entities})


def _write_motion(writer: Writer, graph: SceneGraph, motion: Any) -> None:
    frames = _channel(writer, "/tf", "foxglove.FrameTransforms", {"transforms": _ARRAY})
    contacts = _channel(writer, "/contacts", "foxglove.SceneUpdate", _UPDATE)
    scale = graph.radius / graph.weight if graph.weight > 0.0 else 1.0
    for k, time in enumerate(motion.time):
        now = float(time)
        transforms = [
            {
                "timestamp": _stamp(now),
                "parent_frame_id": WORLD,
                "child_frame_id": _frame(graph, link),
                "translation": _point(pose[:3]),
                "rotation": _turn(pose[3:]),
            }
            for link, pose in enumerate(motion.poses[k])
        ]
        _write(writer, frames, now, {"transforms": transforms})
        pairs = zip(motion.contact_position[k], motion.contact_force[k], strict=True)
        arrows = [_arrow(at, scale * force, graph.radius) for at, force in pairs if np.any(force)]
        entity = _entity("contact forces", WORLD, now, arrows=arrows)
        _write(writer, contacts, now, {"deletions": [], "entities": [entity]})


def _arrow(position: Floats, along: Floats, radius: float) -> dict[str, Any]:
    length = float(np.linalg.norm(along))
    width = THICK * radius
    head = min(4.0 * width, 0.5 * length)
    return {
        "pose": {"position": _point(position), "orientation": _turn(turn_from_x(along / length))},
        "shaft_length": length - head,
        "shaft_diameter": width,
        "head_length": head,
        "head_diameter": 2.0 * width,
        "color": FORCE,
    }


def turn_from_x(direction: Floats) -> Floats:
    """Return the quaternion x, y, z, w that turns the x axis to a unit vector (3,)."""
    x, y, z = direction
    if x < -1.0 + 1e-12:
        return np.array([0.0, 0.0, 1.0, 0.0])
    quaternion = np.array([0.0, -z, y, 1.0 + x])
    unit: Floats = quaternion / np.linalg.norm(quaternion)
    return unit


def _write_signal(writer: Writer, signal: Signal, run: xr.Dataset) -> None:
    fields = [label or "value" for label in signal.labels]
    about = f"{signal.about} [{signal.units}]"
    properties = {field: {"type": "number", "description": about} for field in fields}
    channel = _channel(writer, f"/{signal.name}", f"footfall.{signal.name}", properties)
    for time, values in _rows(signal, run):
        message = dict(zip(fields, values, strict=True))
        _write(writer, channel, time, message)


def _rows(signal: Signal, run: xr.Dataset) -> Iterator[tuple[float, list[float | None]]]:
    """Yield times and values; values that are not finite become null, as JSON has no infinity."""
    for rows in blocks(run.sizes["time"]):
        values = signal.values(run, rows)
        for time, row in zip(run["time"][rows].values, values, strict=True):
            finite = np.isfinite(row)
            yield float(time), [float(v) if ok else None for v, ok in zip(row, finite, strict=True)]
