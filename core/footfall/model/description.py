"""Core's view of a robot's model file whose format is read by a plugin."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from footfall.formats.normal_form import Base
from footfall.formats.urdf import PlacedShape, Visual
from footfall.interfaces.engine import ModelSource
from footfall.spatial.pose import Pose
from footfall.typing import Floats


@dataclass(frozen=True, slots=True, eq=False)
class ModelJoining:
    """Two frames that a model file joins.

    Attributes:
        name: name of the loop.
        kind: ``point`` or ``weld``.
        frames: names of two links or sites, or ``world``.
        poses: poses of the two ends in these frames; None for the pose of the other end while all
            joints are at zero.
        where: file and element, for errors.
    """

    name: str
    kind: Literal["point", "weld"]
    frames: tuple[str, str]
    poses: tuple[Pose | None, Pose | None]
    where: str


@dataclass(frozen=True, slots=True)
class ModelCoupling:
    """A joint that follows another in a model file: ``joint = ratio of + offset``.

    Attributes:
        name: name of the loop.
        joint: the following joint.
        of: the leading joint.
        ratio: [-], or in the units of the two joints.
        offset: [rad or m].
        where: file and element, for errors.
    """

    name: str
    joint: str
    of: str
    ratio: float
    offset: float
    where: str


ModelLoop = ModelJoining | ModelCoupling


class ModelDescription(ABC):
    """A checked model file in a format other than URDF.

    ``registry.model_format`` maps a format's name to a function that reads a ``Path`` and returns a
    description; it raises ``RobotError`` if the file is missing, malformed or of another format.

    Args:
        path: the file.
        joints: names of its joints with one position, in the canonical order of engines that read
            it.
        floating: whether its root moves freely.
        sections: the sections in the file, among ``actuator``, ``contact``, ``keyframe``,
            ``sensor``, ``equality``; Footfall warns of those that robot.toml does not treat.
    """

    def __init__(
        self, path: Path, joints: tuple[str, ...], floating: bool, sections: Collection[str]
    ) -> None:
        self.path, self.joints, self.floating, self.sections = path, joints, floating, sections

    @abstractmethod
    def source(
        self,
        name: str,
        gravity: Floats,
        base: Base,
        joints: tuple[str, ...] | None,
        locked: Mapping[str, float],
        placement: Pose | None,
    ) -> ModelSource:
        """Return the source for an engine; see ``ModelSource``.

        Args:
            name: name of the body in the scene.
            gravity: shape (3,), world frame, [m/s^2].
            base: kind of base.
            joints: names of the movable joints that are kept; None for all.
            locked: positions of the others, [rad or m].
            placement: pose of a fixed base in the world; at the origin if None.

        Raises:
            RobotError: if the file does not allow this kind of base.
        """

    @property
    @abstractmethod
    def has_loops(self) -> bool:
        """Whether the file closes chains of joints."""

    @abstractmethod
    def loops(self) -> Iterable[ModelLoop]:
        """Return the loops that close chains of joints.

        Raises:
            RobotError: if the file has a loop that is not supported; names it.
        """

    @abstractmethod
    def shapes(self, without: Collection[str]) -> tuple[PlacedShape, ...]:
        """Return the collision shapes in the file's order, except those of the given links.

        Raises:
            RobotError: if a shape is of a kind that cannot touch others.
        """

    @abstractmethod
    def visuals(self) -> Iterable[tuple[str, Visual]]:
        """Return the drawn shapes, each with the name of its link.

        Raises:
            RobotError: if they cannot be read.
        """

    @abstractmethod
    def excluded(self) -> tuple[tuple[str, str], ...]:
        """Return the pairs of links that never touch each other according to the file."""
