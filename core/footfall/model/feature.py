"""What of a robot can touch the ground."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from footfall.spatial.pose import Pose
from footfall.typing import Floats

FeatureKind = Literal["point", "sphere", "rim"]


@dataclass(frozen=True, slots=True, eq=False)
class Foot:
    """A frame that contact features are given in, e.g. a sole; ground wrenches are recorded in it.

    Attributes:
        name: of the frame, unique within the robot, e.g. ``l_sole``.
        link: index of the link in its tree.
        pose: of the frame in the link.
    """

    name: str
    link: int
    pose: Pose


@dataclass(frozen=True, slots=True, eq=False)
class ContactFeature:
    """A point, a sphere or a rim (a circle that rolls) fixed to a link.

    Attributes:
        name: unique within the robot, e.g. ``l_sole/0``.
        link: index of the link in its tree.
        kind: ``point``, ``sphere`` or ``rim``.
        position: shape (3,), the point or the centre, [m], link frame.
        axis: shape (3,), unit, the rim's axis in the link frame; zero for the others.
        radius: [m]; zero for a point.
        friction: coefficient of the robot's side, NaN where none is given.
        restitution: coefficient of the robot's side, NaN where none is given.
        foot: the frame that it was given in, if its ground wrench is to be recorded.
    """

    name: str
    link: int
    kind: FeatureKind
    position: Floats
    axis: Floats
    radius: float
    friction: float
    restitution: float
    foot: Foot | None = None
