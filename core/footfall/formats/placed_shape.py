"""A shape of a model that can touch others, on one of its links."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from footfall.geometry.drawn import Shape
from footfall.spatial.pose import Pose


@dataclass(frozen=True, slots=True, eq=False)
class PlacedShape:
    """A shape on a link of a model.

    Attributes:
        frame: name of the link (of an MJCF file: of the body), which is a frame of the tree.
        origin: placement of the shape in the link's frame.
        shape: what it is.
        meshes: what touches others of a mesh: its convex hull, or its triangles as they are.
        friction: coefficient of its side, [-]; None: the robot's.
        restitution: coefficient of its side, [-]; None: the robot's.
        bits: an MJCF's ``contype`` and ``conaffinity``: two shapes of one robot may touch if a bit
            of the one's contype is in the other's conaffinity.
    """

    frame: str
    origin: Pose
    shape: Shape
    meshes: Literal["hull", "triangles"] = "hull"
    friction: float | None = None
    restitution: float | None = None
    bits: tuple[int, int] = (1, 1)

    def may_touch(self, other: PlacedShape) -> bool:
        """Return whether the file's bits let two shapes of one robot touch."""
        return bool(self.bits[0] & other.bits[1] or other.bits[0] & self.bits[1])
