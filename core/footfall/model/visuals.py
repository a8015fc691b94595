"""Visuals of a model, placed on the links of a tree."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping

import numpy as np

from footfall.errors import RobotError, RobotWarning
from footfall.formats.urdf import Urdf, Visual
from footfall.interfaces.engine import TreeModel
from footfall.interfaces.visualizer import GREY, Node
from footfall.model.description import ModelDescription
from footfall.spatial.pose import Pose


def visual_nodes(
    model: Urdf | ModelDescription,
    offsets: Mapping[str, tuple[float, float, float]],
    body_name: str,
    tree_model: TreeModel,
) -> tuple[Node, ...]:
    """Return the nodes of a body for a visualizer; names are ``body/link/number``.

    Args:
        model: the checked model file.
        offsets: shifts of links' visuals, [m], in their frames.
        body_name: the body's name in the scene.
        tree_model: the engine's tree of the model; its frames place the links.

    Raises:
        RobotError: if the tree has no frame for a link that has visuals.
    """
    nodes: list[Node] = []
    count: dict[str, int] = {}
    for link, visual in _visuals(model):
        frame = tree_model.frames.get(link)
        if frame is None:
            raise RobotError(f'{model.path}: link "{link}": the engine gives no frame for it')
        k = count[link] = count.get(link, -1) + 1
        shift = Pose(np.eye(3), np.array(offsets.get(link, (0.0, 0.0, 0.0))))
        pose = Pose(frame.rotation, frame.translation) @ shift @ visual.origin
        nodes.append(visual_node(f"{body_name}/{link}/{k}", frame.link, visual, pose))
    return tuple(nodes)


def visual_node(name: str, row: int, visual: Visual, pose: Pose) -> Node:
    """Return the node of a visual that moves with a row of the poses."""
    color = visual.color or ((1.0, 1.0, 1.0, 1.0) if visual.texture else GREY)
    at, looks = (pose.rotation, pose.translation), (visual.texture, visual.covers)
    return Node(name, row, visual.shape, *at, color, "visual", *looks)


def _visuals(model: Urdf | ModelDescription) -> Iterator[tuple[str, Visual]]:
    if isinstance(model, ModelDescription):
        try:
            yield from list(model.visuals())
        except RobotError as error:
            warnings.warn(f"{error}; not drawn", RobotWarning, stacklevel=2)
        return
    for link in model.links.values():
        for visual in link.visuals:
            yield link.name, visual
