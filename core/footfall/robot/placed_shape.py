"""A shape of a model that can touch others, on one of its links."""

from __future__ import annotations

from dataclasses import dataclass

from footfall.robot.pose import Pose
from footfall.roles.visualizer import Shape


@dataclass(frozen=True, slots=True, eq=False)
class PlacedShape:
    """A shape on a link of a model.

    Attributes:
        frame: name of the link (of an MJCF file: of the body), which is a frame of the tree.
        origin: placement of the shape in the link's frame.
        shape: what it is.
    """

    frame: str
    origin: Pose
    shape: Shape
