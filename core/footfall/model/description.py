"""A robot's model file in a format that a plugin reads, as the core sees it."""

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
        name: of the loop.
        kind: ``point`` or ``weld``.
        frames: names of two links or sites, or ``world``.
        poses: of what is joined, in these frames; None: where the other end is while all joints
            are at zero.
        where: file and element, for errors.
    """

    name: str
    kind: Literal["point", "weld"]
    frames: tuple[str, str]
    poses: tuple[Pose | None, Pose | None]
    where: str


@dataclass(frozen=True, slots=True)
class ModelCoupling:
    """A joint that a model file makes follow another: ``joint = ratio of + offset``.

    Attributes:
        name: of the loop.
        joint: that follows.
        of: that it follows.
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

    ``registry.model_format`` holds, by the name of a format, functions that read a ``Path`` and
    return one; they raise ``RobotError`` if the file is missing, malformed or of another format.

    Args:
        path: the file.
        joints: names of its joints of one position, in the canonical order of engines that read it.
        floating: whether its root moves freely.
        sections: of ``actuator``, ``contact``, ``keyframe``, ``sensor``, ``equality`` those that
            the file says something of; what robot.toml says nothing of either is told.
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
        """Return what an engine loads; see ``ModelSource``.

        Args:
            name: of the body in the scene.
            gravity: shape (3,), world frame, [m/s^2].
            base: how the root is held.
            joints: names of the movable joints that are kept; None: all.
            locked: positions of the others, [rad or m].
            placement: of a fixed base in the world; at the origin if None.

        Raises:
            RobotError: if it is to be held in a way that the file does not allow.
        """

    @property
    @abstractmethod
    def has_loops(self) -> bool:
        """Whether the file closes chains of joints."""

    @abstractmethod
    def loops(self) -> Iterable[ModelLoop]:
        """Return what closes them.

        Raises:
            RobotError: if the file gives a loop that cannot be honoured; names it.
        """

    @abstractmethod
    def shapes(self, without: Collection[str]) -> tuple[PlacedShape, ...]:
        """Return what can touch others, in the file's order, but of the links named.

        Raises:
            RobotError: if a shape is of a kind that cannot touch others.
        """

    @abstractmethod
    def visuals(self) -> Iterable[tuple[str, Visual]]:
        """Return what is drawn, with the name of its link.

        Raises:
            RobotError: if it cannot be read.
        """

    @abstractmethod
    def excluded(self) -> tuple[tuple[str, str], ...]:
        """Return the pairs of links that the file says never touch each other."""
