"""Place the visuals of a URDF on the links of a tree."""

from __future__ import annotations

from dataclasses import replace

from footfall.errors import RobotError
from footfall.robot.pose import Pose
from footfall.robot.urdf import Urdf
from footfall.roles.engine import TreeModel
from footfall.roles.visualizer import Node


def visual_nodes(urdf: Urdf, body_name: str, tree_model: TreeModel) -> tuple[Node, ...]:
    """Return what a visualizer draws for a body; names are ``body/link/number``.

    Args:
        urdf: the model.
        body_name: the body's name in the scene.
        tree_model: the tree that an engine made of the URDF; its frames place the links.

    Raises:
        RobotError: if the tree has no frame for a link that has visuals.
    """
    nodes = []
    for link in urdf.links.values():
        if not link.visuals:
            continue
        frame = tree_model.frames.get(link.name)
        if frame is None:
            raise RobotError(f'{urdf.path}: link "{link.name}": the engine gives no frame for it')
        on_link = Pose(frame.rotation, frame.translation)
        for k, visual in enumerate(link.visuals):
            pose = on_link @ visual.origin
            node = Node(
                f"{body_name}/{link.name}/{k}",
                frame.link,
                visual.shape,
                pose.rotation,
                pose.translation,
            )
            nodes.append(replace(node, color=visual.color) if visual.color else node)
    return tuple(nodes)
