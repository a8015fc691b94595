"""Tables of objects in a scene: shapes without a model file, and detection of their contacts."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from footfall.config.fields import (
    DataFile,
    Length,
    NonNegative,
    Positive,
    PositiveInt,
    Text,
    UnitInterval,
)
from footfall.interfaces.plugin import PluginConfig

Size = tuple[Length, Length, Length]
Copies = tuple[PositiveInt, PositiveInt, PositiveInt]
Color = tuple[UnitInterval, UnitInterval, UnitInterval]


class _Shape(PluginConfig):
    """Base class of the shapes: frozen, strict, no unknown keys; centred on the body's frame."""


class BoxShape(_Shape):
    """A box; it touches the ground with its corners."""

    type: Literal["box"]
    """A box with its edges along the body's axes."""
    size: Size
    """Full lengths along x, y and z, [m]."""


class SphereShape(_Shape):
    """A ball."""

    type: Literal["sphere"]
    """A ball."""
    radius: Length
    """[m]"""


class CylinderShape(_Shape):
    """A cylinder along z; it touches the ground with its rims."""

    type: Literal["cylinder"]
    """A cylinder along the body's z axis."""
    radius: Length
    """[m]"""
    length: Length
    """[m]"""


class CapsuleShape(_Shape):
    """A cylinder along z with half balls at its ends."""

    type: Literal["capsule"]
    """A capsule along the body's z axis."""
    radius: Length
    """[m]"""
    length: Length
    """Length of the straight part, [m]."""


class MeshShape(_Shape):
    """A mesh from a file, in the file's frame."""

    type: Literal["mesh"]
    """Triangles from a file."""
    file: DataFile
    """STL, OBJ, DAE or MSH file, relative to the scene."""
    scale: Size = (1.0, 1.0, 1.0)
    """Factors along x, y, z, e.g. 0.001 for millimetres, [-]."""
    use: Literal["hull", "triangles"] = "hull"
    """Surface that touches other bodies: the convex ``hull``, or the ``triangles``."""
    thickness: NonNegative = 0.0
    """Thickness of an open mesh of ``triangles`` behind its front, [m]. 0: only the front
    touches."""

    @model_validator(mode="after")
    def _is_sheet(self) -> Self:
        if self.thickness > 0.0 and self.use == "hull":
            raise ValueError('thickness has no effect with use = "hull"')
        return self


SolidShape = Annotated[
    BoxShape | SphereShape | CylinderShape | CapsuleShape | MeshShape, Field(discriminator="type")
]
SOLIDS = {
    "box": BoxShape,
    "sphere": SphereShape,
    "cylinder": CylinderShape,
    "capsule": CapsuleShape,
    "mesh": MeshShape,
}
"""Tables of shapes by their type."""


class HeightFieldShape(_Shape):
    """Ground with given heights, solid below; each cell of its grid is two triangles."""

    type: Literal["heightfield"]
    """Heights on a grid, for a fixed object; its frame is in the middle of the grid."""
    file: DataFile
    """File of heights, relative to the scene. ``.npy``: entry [i, j] is at x_i, y_j. ``.csv``: line
    i is at x_i. Grey ``.png``: black is 0, white is 1; x points right, y up."""
    size: tuple[Length, Length]
    """Length of the grid along x and y, [m]."""
    height: Positive = 1.0
    """Factor of the file's numbers, [m] per unit."""


ObjectShape = Annotated[
    BoxShape | SphereShape | CylinderShape | CapsuleShape | MeshShape | HeightFieldShape,
    Field(discriminator="type"),
]
PairOfNames = tuple[Text, Text]


class CollisionTable(PluginConfig):
    """Detection of contacts between bodies."""

    detect: bool | None = None
    """Whether bodies touch each other; default: true if the scene has a ``shape``."""
    ground: Literal["auto", "points", "shapes"] = "auto"
    """Parts that touch the ground. ``points``: the contact points of each body. ``shapes``: the
    contact points of links that have some, and the shapes of all other links. ``auto``: ``shapes``
    for objects other than balls on uneven ground, and for meshes of more than 32 corners; else
    ``points``."""
    margin: Positive = 0.01
    """Largest gap of a detected contact, [m]."""
    max_points: Annotated[PositiveInt, Field(le=64)] = 8
    """Largest number of contact points between two shapes."""
    self_collision: tuple[Text, ...] = ()
    """Bodies whose own links can touch each other, except neighbours at a joint and shapes that
    overlap at the start."""
    srdf: dict[Text, DataFile] = Field(default_factory=dict)
    """SRDF file for each body of ``self_collision``: it lists pairs of links that never touch.
    Replaces ``srdf`` of robot.toml."""
    ignore: tuple[PairOfNames, ...] = ()
    """Pairs that never touch: names or patterns ``body``, ``body/link``, ``body/link/shape``."""
    keep: tuple[PairOfNames, ...] = ()
    """Pairs that can touch although ``ignore`` or a joint between them excludes them."""

    @model_validator(mode="after")
    def _has_effect(self) -> Self:
        fields = type(self).model_fields
        given = [
            key
            for key, field in fields.items()
            if key != "detect"
            and getattr(self, key) != "points"
            and getattr(self, key) != field.get_default(call_default_factory=True)
        ]
        if self.detect is False and given:
            raise ValueError(f"{', '.join(given)} has no effect with detect = false")
        return self
