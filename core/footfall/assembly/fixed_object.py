"""Objects of a scene that belong to the surroundings and never move."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from footfall.interfaces.visualizer import Node
from footfall.model.robot import Robot
from footfall.scene.scene import Body, Scene
from footfall.scene.slots import CONTROLLER
from footfall.spatial.pose import Pose


@dataclass(frozen=True, slots=True, eq=False)
class FixedObject:
    """An object that belongs to the surroundings.

    Attributes:
        name: in the scene.
        robot: its shape.
        pose: in the world.
    """

    name: str
    robot: Robot
    pose: Pose

    def nodes(self, row: int) -> tuple[Node, ...]:
        """Return what a visualizer draws, placed in a row of poses that never moves."""
        urdf = self.robot.urdf
        assert urdf is not None
        nodes = []
        for link in urdf.links.values():
            for k, visual in enumerate(link.visuals):
                at = self.pose @ visual.origin
                name = f"{self.name}/{link.name}/{k}"
                node = Node(name, row, visual.shape, at.rotation, at.translation)
                nodes.append(replace(node, color=visual.color) if visual.color else node)
        return tuple(nodes)


def split(
    scene: Scene, robots: Mapping[str, Robot], placed: Callable[[Body, Robot], Pose]
) -> tuple[list[str], list[FixedObject]]:
    """Return the names of the bodies that move, and the objects that do not.

    Args:
        scene: the scene.
        robots: by body name.
        placed: returns where a body starts.

    Raises:
        SceneError: if nothing moves, or nothing can touch what is fixed.
    """
    still = [name for name, body in scene.bodies.items() if body.fixed]
    for name in still:
        body = scene.bodies[name]
        if body.controller.plugin != CONTROLLER.default or body.pace.model_fields_set:
            raise scene.error("has no effect on a fixed object", "bodies", name, "controller")
        if not scene.detects:
            raise scene.error(
                "has no effect: nothing touches it with [collisions] detect = false",
                *("bodies", name, "fixed"),
            )
    moving = [name for name in scene.bodies if name not in still]
    if not moving:
        raise scene.error("nothing moves: every body is fixed", "bodies")
    return moving, [
        FixedObject(name, robots[name], placed(scene.bodies[name], robots[name])) for name in still
    ]
