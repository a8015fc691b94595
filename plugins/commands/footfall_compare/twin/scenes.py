"""Worlds of Footfall as sides of a comparison: scenes, and model files as Footfall imports them."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import numpy as np

import footfall
from footfall.api.plugin import FootfallError, Ints, RobotError
from footfall_compare.twin.facts import Facts, own_facts
from footfall_compare.twin.side import Side
from footfall_stepper.api import StepperSimulator, stepped

BODY = "robot"
"""Name of the robot in the scene for a file."""
KINDS = {
    "solver": r"(engine|contact|impact|integrator)\..*",
    "gains": r".*\.controller\..*(stiffness|damping)(\..*)?",
    "friction of contacts": r"(?!.*\.(actuators|controller)\.).*(friction|restitution)",
    "other settings": r".*",
}
"""Layers of a scene's keys: of the first that matches."""
UNSEEN = {"description", "duration", "recorder", "visualizer", "simulator", "robot"}
UNSEEN |= {"time_step", "gravity"}
"""Parts of keys of a scene that are compared elsewhere or have no effect on the motion."""


def scene_side(sim: StepperSimulator) -> Side:
    """Return a scene at its start; bodies but the first one have their name before their parts."""
    world, first = sim.world, sim.world.bodies[0].name
    settings: dict[str, dict[str, Any]] = {kind: {} for kind in KINDS}
    for key, value in _flat(sim.provenance.resolved["scene"]):
        if set(key.split(".")).isdisjoint(UNSEEN):
            kind = next(kind for kind, pattern in KINDS.items() if re.fullmatch(pattern, key))
            settings[kind][key.replace(f"bodies.{first}.", "", 1)] = value
    torques = np.concatenate([sim.signals(body.name).torque_limits for body in world.bodies])
    side = _side(sim, first)
    return replace(
        side,
        tables={
            "time step": {"step": sim.time_step},
            "gravity": {"gravity": world.topology.gravity},
            "start posture": side.start,
            "contact geometry": dict(_shapes(sim, first)),
            "limits of torque": dict(zip(_bare(sim.labels.joint, first), torques, strict=True)),
            **settings,
        },
    )


def import_side(path: Path) -> Side:
    """Return a model file as Footfall imports it: the values of the file, not those of a scene.

    Raises:
        RobotError: if the file cannot be loaded; names an alternative.
    """
    robot = {"robot": str(path.absolute())}
    tables = {"simulation": {"time_step": 1e-3}, "bodies": {BODY: robot}}
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", ".*has no contact points")  # irrelevant here
            sim = stepped(footfall.assemble(footfall.scene_from_dict(tables)))
    except FootfallError as error:
        said = str(error).removeprefix(f"bodies.{BODY}.robot: ").removeprefix(f'robot "{BODY}": ')
        way = "import it and compare a scene of the import: footfall import FILE"
        raise RobotError(f"{said} (or {way})") from error
    side, body = _side(sim, BODY), sim.world.bodies[0]
    limits = np.tile([-np.inf, np.inf], (sim.world.nv, 1))
    given = body.model.position_lower, body.model.position_upper
    limits[body.joint_offset :] = np.column_stack(given)
    torques = dict(zip(body.model.joint_names, body.model.effort_limit, strict=True))
    return replace(
        side,
        at=lambda q, v: replace(side.at(q, v), limits=limits),
        tables={"limits of torque": torques},
    )


def _side(sim: StepperSimulator, first: str) -> Side:
    """Return the links and dofs of a world. The base of a body in its place is left out."""
    world, topology = sim.world, sim.world.topology

    def global_dofs(name: str) -> Ints:
        every = [getattr(body.model, name) for body in world.bodies]
        parts = zip(every, topology.tree_v[:-1], strict=True)
        return np.concatenate([np.where(dofs < 0, -1, dofs + start) for dofs, start in parts])

    frames = (b.model.frames.get(link) for b in world.bodies for link in b.model.link_names)
    offsets = np.array([np.zeros(3) if frame is None else frame.translation for frame in frames])
    names, dofs = _bare(sim.labels.position, first), _bare(sim.labels.velocity, first)
    start, link_dof = dict(zip(names, sim.q.tolist(), strict=True)), global_dofs("link_dof")
    kept = np.flatnonzero(link_dof >= 0)

    def at(q: Mapping[str, float], v: Mapping[str, float]) -> Facts:
        sim.q[:] = [q.get(name, start[name]) for name in names]
        sim.v[:] = [v.get(name, 0.0) for name in dofs]
        for tree in np.flatnonzero(topology.floating):
            turn = sim.q[topology.tree_q[tree] + 3 : topology.tree_q[tree] + 7]
            turn /= np.linalg.norm(turn)
        sim.look()
        found = own_facts(sim, sim.q, sim.v)
        # From a link's origin, on its last joint, to that of an MJCF's body.
        away = np.einsum("nij,nj->ni", found.pose[:, :9].reshape(-1, 3, 3), offsets)
        found.pose[:, 9:] += away
        found.twist[:, :3] += np.cross(found.twist[:, 3:], away)
        com, damping = found.com - offsets, world.joints.damping.copy()
        return replace(found, com=com, damping=damping).of(kept, np.arange(world.nv))

    links = [_bare(world.link_names, first)[k] for k in kept]
    return Side(dofs, global_dofs("dof_parent"), tuple(links), link_dof[kept], start, at)


def _bare(labels: Iterable[str], first: str) -> tuple[str, ...]:
    return tuple(label.removeprefix(f"{first}/") for label in labels)


def _shapes(sim: StepperSimulator, first: str) -> Iterator[tuple[str, Any]]:
    """Yield features that touch the ground and collision shapes, by name."""
    world, candidates = sim.world, sim.world.candidates
    yield "features", True  # not compared with geoms, also if there are none
    for k, name in enumerate(_bare(world.contact_names, first)):
        yield name, (*candidates.local[k], *candidates.axis[k], candidates.radius[k])
    for shape in world.collider.shapes if world.collider else ():
        (name,) = _bare([shape.name], first)
        yield f"{name} place", shape.pose.translation
        yield f"{name} rotation", shape.pose.rotation
        for part in fields(shape.geometry):
            yield f"{name} {part.name}", getattr(shape.geometry, part.name)


def _flat(tables: Mapping[str, Any], before: str = "") -> Iterator[tuple[str, Any]]:
    """Yield the entries of nested tables by their keys with dots."""
    for key, value in tables.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{before}{key}.")
        elif isinstance(value, list) and value and isinstance(value[0], Mapping):
            yield from _flat({str(k): entry for k, entry in enumerate(value)}, f"{before}{key}.")
        else:
            yield f"{before}{key}", value
