"""The provenance of a simulator: its scene in resolved form."""

from __future__ import annotations

import hashlib
from dataclasses import replace

from footfall.interfaces.visualizer import Node
from footfall.jit.tables import read_only
from footfall.model.robot import Robot
from footfall.scene.resolved import resolved
from footfall.scene.scene import Scene
from footfall.simulator.run_record import Provenance
from footfall_stepper.assembly.shapes import BodyShape, FixedObject, shape_nodes
from footfall_stepper.world.world import World


def provenance_of(
    scene: Scene,
    world: World,
    robots: dict[str, Robot],
    fixed: list[FixedObject],
    shapes: tuple[BodyShape, ...],
    without: tuple[str, ...],
) -> Provenance:
    """Return the provenance of a simulator.

    Args:
        scene: validated.
        world: of its moving bodies.
        robots: by body name.
        fixed: its fixed objects.
        shapes: collision shapes of the bodies.
        without: keys of ``[simulation]`` without meaning here, left out of the resolved scene.
    """
    nodes: list[Node] = []
    for index, body in enumerate(world.bodies):
        first = int(world.topology.tree_link[index])
        for node in robots[body.name].visuals(body.name, body.model):
            nodes.append(replace(node, link=node.link + first))
    nodes += [node for thing in fixed for node in thing.nodes(world.n_links)]
    nodes += shape_nodes(shapes, world.n_links, touch=scene.detects)
    return Provenance(
        name=scene.name,
        resolved=resolved(
            scene, {name: _digest(robot) for name, robot in robots.items()}, without=without
        ),
        nodes=read_only(tuple(nodes)),
        duration=scene.simulation.duration,
        interval=scene.recorder.interval * scene.simulation.parts,
    )


def _digest(robot: Robot) -> dict[str, str]:
    """Return the identity of a robot's files: a hash of robot.toml and model."""
    digest = hashlib.sha256()
    if not robot.file.is_file():
        return {}
    for path in sorted({robot.file, robot.model.path}):
        digest.update(path.read_bytes())
    return {"sha256": digest.hexdigest()}
