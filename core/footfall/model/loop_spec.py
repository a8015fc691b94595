"""The schema of ``[[loops]]`` in robot.toml: constraints that close chains of joints."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from footfall.config.fields import Name, NonNegative, Text, UnitInterval, Vector3
from footfall.interfaces.plugin import PluginConfig

WORLD_FRAME = "world"


class FrameSpec(PluginConfig):
    """One end of a loop."""

    frame: Text
    """Link, fixed joint, or ``world``."""
    position: Vector3 | None = None
    """Position in ``frame``, [m]. Default: zero; in ``world``, the initial position of the other
    end."""
    orientation: Vector3 | None = None
    """Roll, pitch, yaw in ``frame``, [rad]. Default: zero; in ``world``, the initial orientation of
    the other end."""


class _Loop(PluginConfig):
    name: Name | None = None
    """Name in recordings; default: ``loop0``, ..."""
    project: bool = False
    """Change the initial posture to the nearest one that closes the loop. If false, a gap above
    1e-6 is an error."""


class _Joining(_Loop):
    a: Text | FrameSpec
    """First frame, a name or a table. Gaps and forces are recorded along its axes."""
    b: Text | FrameSpec
    """Second frame. The recorded force acts on this frame."""

    @model_validator(mode="after")
    def _one_world(self) -> Self:
        if self.end(0).frame == self.end(1).frame == WORLD_FRAME:
            raise ValueError("a and b cannot both be the world")
        return self

    def end(self, side: int) -> FrameSpec:
        """Return one end as a table."""
        given = self.b if side else self.a
        return FrameSpec(frame=given) if isinstance(given, str) else given


class PointLoopSpec(_Joining):
    """Two points that stay together: a ball joint, or a hinge of a planar linkage."""

    kind: Literal["point"]
    """Three rows: the origins of both frames coincide."""


class WeldLoopSpec(_Joining):
    """Two frames that stay together, in position and orientation."""

    kind: Literal["weld"]
    """Six rows: both frames coincide."""


class CouplingSpec(_Loop):
    """A joint that follows another: ``joint = ratio * of + offset`` (``mimic`` in a URDF)."""

    kind: Literal["coupling"]
    """One row: ``joint = ratio * of + offset``; two one-sided rows with backlash."""
    joint: Text
    """Following joint."""
    of: Text
    """Leading joint."""
    ratio: float = 1.0
    """Motion of ``joint`` per unit motion of ``of``, [-, m/rad or rad/m]."""
    offset: float = 0.0
    """Position of ``joint`` if ``of`` is at zero, [rad or m]; with backlash, the middle of the
    play."""
    backlash: NonNegative = 0.0
    """Width of the free play of ``joint``, [rad or m]."""
    restitution: UnitInterval = 0.0
    """Coefficient of restitution at the ends of the play, [-]."""

    @model_validator(mode="after")
    def _two_joints(self) -> Self:
        if self.joint == self.of:
            raise ValueError("a joint cannot follow itself")
        if self.restitution and not self.backlash:
            raise ValueError("restitution has no effect without backlash")
        if self.project and self.backlash:
            raise ValueError("project has no effect with backlash: move the posture yourself")
        return self


LoopSpec = Annotated[PointLoopSpec | WeldLoopSpec | CouplingSpec, Field(discriminator="kind")]
