"""A scene in Rerun: shapes below their links, forces as arrows, scalars."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from footfall.api.plugin import Floats
from footfall.api.viewer import Ground, SceneGraph
from footfall_recordings.tessellation import triangles_of

if TYPE_CHECKING:
    import rerun

FORCE = (240, 82, 10)
"""Colour of contact forces, red, green, blue."""
GROUND = (150, 160, 150)
"""Default colour of the ground."""
WIDE = 10.0
"""Half the side of the square that shows a plane, relative to the scene's radius, [-]."""


def entity(graph: SceneGraph, link: int) -> list[object]:
    """Return the path of a link; ``row NUMBER`` for unnamed rows (fixed parts and the ground)."""
    name = graph.links[link] if link < len(graph.links) else ""
    return ["world", *(name or f"row {link}").split("/")]


def log_scene(
    stream: rerun.RecordingStream, graph: SceneGraph, before: Sequence[str] = ()
) -> tuple[str, ...]:
    """Log static data: axes, the bodies' meshes, the ground, the colour of forces.

    Args:
        stream: Rerun's recording stream.
        graph: the scene.
        before: mesh paths of a previous scene that this one replaces.

    Returns:
        The mesh paths of this scene.
    """
    import rerun

    meshes: dict[str, rerun.Mesh3D] = {}

    stream.log("world", rerun.ViewCoordinates.RIGHT_HAND_Z_UP, static=True)
    for node in graph.nodes:
        if node.layer == "visual":
            corners = triangles_of(node.shape).reshape(-1, 3) @ node.rotation.T + node.translation
            color = [round(255.0 * part) for part in node.color]
            path = [*entity(graph, node.link), f"shape {node.name.rpartition('/')[2]}"]
            meshes[rerun.new_entity_path(path)] = _mesh(corners, color)
    below = ["world"] if graph.ground_link is None else entity(graph, graph.ground_link)
    for k, part in enumerate(graph.grounds):
        path = [*below, f"ground {k}"]
        if isinstance(part, Ground):
            meshes[rerun.new_entity_path(path)] = _mesh(_square(part, WIDE * graph.radius), GROUND)
            continue
        color = [*GROUND] if part.color is None else [round(255.0 * share) for share in part.color]
        corners = part.points[part.triangles].reshape(-1, 3)
        meshes[rerun.new_entity_path(path)] = _mesh(corners, color)
        if len(part.lines):
            lines = rerun.LineStrips3D(list(part.points[part.lines]))
            stream.log([*path, "lines"], lines, static=True)
    stream.log("world/contact_forces", rerun.Arrows3D.from_fields(colors=[FORCE]), static=True)
    for gone in set(before) - set(meshes):
        stream.log(gone, rerun.Mesh3D(vertex_positions=np.zeros((0, 3))), static=True)
    for place, mesh in meshes.items():
        stream.log(place, mesh, static=True)
    return tuple(meshes)


def _mesh(corners: Floats, color: Sequence[int]) -> rerun.Mesh3D:
    """Return a mesh of triangles; each three corners are a triangle."""
    import rerun

    normals = np.cross(corners[1::3] - corners[::3], corners[2::3] - corners[::3])
    size = np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-300)
    return rerun.Mesh3D(
        vertex_positions=corners,
        triangle_indices=np.arange(len(corners)).reshape(-1, 3),
        vertex_normals=np.repeat(normals / size, 3, axis=0),
        albedo_factor=list(color),
    )


def _square(ground: Ground, half: float) -> Floats:
    """Return the corners of two triangles on a plane, about its point nearest to the origin."""
    x = np.cross(np.eye(3)[int(np.argmin(np.abs(ground.normal)))], ground.normal)
    x *= half / np.linalg.norm(x)
    y, middle = np.cross(ground.normal, x), ground.offset * np.asarray(ground.normal)
    a, b, c, d = middle - x - y, middle + x - y, middle + x + y, middle - x + y
    return np.array([a, b, c, a, c, d])


def send_motion(
    stream: rerun.RecordingStream,
    graph: SceneGraph,
    time: Floats,
    poses: Floats,
    contact_position: Floats,
    contact_force: Floats,
) -> None:
    """Send poses of links, and force arrows; the total weight has the length of the scene's radius.

    Args:
        stream: Rerun's recording stream.
        graph: the scene.
        time: shape (n,), simulated, [s].
        poses: shape (n, links, 7), position [m] and quaternion x, y, z, w.
        contact_position: shape (n, contacts, 3), [m].
        contact_force: shape (n, contacts, 3), [N].
    """
    import rerun

    when = [rerun.TimeColumn("time", duration=time)]
    for link in range(graph.n_links):
        placed = poses[:, link]
        columns = rerun.Transform3D.columns(translation=placed[:, :3], quaternion=placed[:, 3:])
        path = rerun.new_entity_path(entity(graph, link))
        rerun.send_columns(path, when, columns, recording=stream)
    acting = np.any(contact_force != 0.0, axis=2)
    scale = graph.radius / graph.weight if graph.weight > 0.0 else 1.0
    arrows = rerun.Arrows3D.columns(
        origins=contact_position[acting], vectors=scale * contact_force[acting]
    ).partition(acting.sum(axis=1))
    rerun.send_columns("world/contact_forces", when, arrows, recording=stream)


def send_scalars(
    stream: rerun.RecordingStream, path: Sequence[object], name: str, time: Floats, values: Any
) -> None:
    """Send a scalar's values at their times [s], as a line with a name."""
    import rerun

    place = rerun.new_entity_path(list(path))
    stream.log(place, rerun.SeriesLines(names=name), static=True)
    columns = rerun.Scalars.columns(scalars=values)
    when = [rerun.TimeColumn("time", duration=time)]
    rerun.send_columns(place, when, columns, recording=stream)
