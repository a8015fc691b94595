"""Contact features: points, spheres, rims and rings of a robot, placed on the links of a tree."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np

from footfall.config.friction import DirectionalFriction, first_given
from footfall.errors import RobotError, nearest
from footfall.interfaces.engine import TreeModel
from footfall.model.spec import (
    FeatureSpec,
    PointFeatures,
    RimFeature,
    RingFeature,
    RobotSpec,
    SphereFeature,
)
from footfall.spatial.pose import Pose, rotation_about
from footfall.typing import Floats

FeatureKind = Literal["point", "sphere", "rim"]


@dataclass(frozen=True, slots=True, eq=False)
class Foot:
    """A frame of contact features, e.g. a sole; ground wrenches are recorded in it.

    Attributes:
        name: name of the frame, unique within the robot, e.g. ``l_sole``.
        link: index of the link in its tree.
        pose: pose of the frame in the link.
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
        friction: of the robot's side, NaN if not given; axes of friction by direction are in the
            foot's frame, or in the link's if there is no foot.
        restitution: coefficient of the robot's side, NaN if not given.
        foot: its frame in the robot file, if that frame's ground wrench is recorded.
    """

    name: str
    link: int
    kind: FeatureKind
    position: Floats
    axis: Floats
    radius: float
    friction: float | DirectionalFriction
    restitution: float
    foot: Foot | None = None

    @property
    def rotation(self) -> Floats:
        """Rotation of the foot's frame in the link, shape (3, 3); that of the link if none."""
        return np.eye(3) if self.foot is None else self.foot.pose.rotation


def place_features(spec: RobotSpec, tree_model: TreeModel, file: str) -> tuple[ContactFeature, ...]:
    """Return the contact features in the order of the robot file, in their links' frames.

    Each is named by the feature (or its frame) and a number, e.g. ``l_sole/0``.

    Raises:
        RobotError: if a frame does not exist; offers the nearest.
    """
    placed = []
    count: Counter[str] = Counter()
    for given in spec.contact_features:
        frame = tree_model.frames.get(given.frame)
        if frame is None:
            known = nearest(given.frame, tree_model.frames)
            raise RobotError(f'{file}: contact_features: no link or frame "{given.frame}"{known}')
        pose = Pose(frame.rotation, frame.translation)
        foot = Foot(given.frame, frame.link, pose)
        stem = given.name or given.frame
        for position, axis, radius in _shapes(given):
            feature = ContactFeature(
                name=f"{stem}/{count[stem]}",
                link=frame.link,
                kind="point" if given.kind == "ring" else given.kind,
                position=pose.apply(position),
                axis=pose.rotation @ axis,
                radius=radius,
                friction=first_given(given.friction, spec.contact.friction),
                restitution=first_given(given.restitution, spec.contact.restitution),
                foot=foot,
            )
            placed.append(feature)
            count[stem] += 1
    return tuple(placed)


def _shapes(given: FeatureSpec) -> Iterator[tuple[Floats, Floats, float]]:
    """Yield position, axis and radius of each feature, in the given frame."""
    none = np.zeros(3)
    match given:
        case PointFeatures(points=points):
            yield from ((np.array(point), none, 0.0) for point in points)
        case SphereFeature(center=center, radius=radius):
            yield np.array(center), none, radius
        case RimFeature(center=center, radius=radius, axis=axis):
            yield np.array(center), np.array(axis), radius
        case RingFeature(npoly=npoly, center=center, radius=radius, axis=axis, start=start):
            for angle in 2.0 * np.pi / npoly * np.arange(npoly):
                arm = rotation_about(np.array(axis), angle) @ np.array(start)
                yield np.array(center) + radius * arm, none, 0.0
