"""Closed loops of a robot, placed on its tree's links."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Literal

from footfall.typing import Floats

WORLD = -1
"""Number of the link that stands for the world."""
AXES: Mapping[str, tuple[str, ...]] = {
    "point": ("x", "y", "z"),
    "weld": ("x", "y", "z", "rx", "ry", "rz"),
    "coupling": ("joint",),
}
"""Names of the rows of each kind of loop, along the first end's axes."""


@dataclass(frozen=True, slots=True, eq=False)
class LoopEnd:
    """A frame that a loop joins to another.

    Attributes:
        link: index of the tree's link (0 is the base), ``WORLD`` for the world.
        rotation: shape (3, 3), frame to link.
        translation: shape (3,), [m], in the link's frame.
    """

    link: int
    rotation: Floats
    translation: Floats


@dataclass(frozen=True, slots=True, eq=False)
class Loop:
    """Two frames whose origins (``point``), or which altogether (``weld``), stay where they meet.

    Attributes:
        name: unique in the robot.
        kind: ``point`` has three rows, ``weld`` six.
        ends: rows are along the axes of the first; forces are those on the second.
        project: whether the posture may be moved at the start so that the ends meet.
        where: it is declared, for errors: file and key or element.
    """

    name: str
    kind: Literal["point", "weld"]
    ends: tuple[LoopEnd, LoopEnd]
    project: bool = False
    where: str = ""


@dataclass(frozen=True, slots=True)
class JointCoupling:
    """A joint that follows another: ``s = ratio s_of + offset``, one row.

    Attributes:
        name: unique in the robot.
        joint: index of the joint that follows.
        of: index of the joint that it follows.
        ratio: [-], or in the units of the two joints.
        offset: [rad or m].
        project: whether the posture may be moved at the start so that it holds.
        where: it is declared, for errors: file and key or element.
    """

    kind: ClassVar[Literal["coupling"]] = "coupling"
    name: str
    joint: int
    of: int
    ratio: float
    offset: float
    project: bool = False
    where: str = ""
