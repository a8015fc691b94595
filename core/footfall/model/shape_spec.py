"""The schema of a robot file's own collision shapes."""

from __future__ import annotations

from pydantic import BaseModel

from footfall.config.fields import NonNegative, Text, UnitInterval, Vector3
from footfall.model.schema import SCHEMA
from footfall.scene.object_table import SolidShape


class CollisionShapeSpec(BaseModel):
    """A shape on a link that touches other bodies, and links of its own robot."""

    model_config = SCHEMA

    frame: Text
    """Link or fixed joint that the shape is fixed to and whose frame it is given in."""
    shape: SolidShape
    """What it is, as in a scene: ``{type = "box", size = [0.1, 0.1, 0.1]}``, ``sphere``,
    ``cylinder``, ``capsule`` or ``mesh`` (its file relative to this one); lengths in [m]."""
    position: Vector3 = (0.0, 0.0, 0.0)
    """Of the shape's centre, or of a mesh's origin, in the frame, [m]."""
    orientation: Vector3 = (0.0, 0.0, 0.0)
    """Roll, pitch, yaw of the shape in the frame, [rad]."""
    friction: NonNegative | None = None
    """Coefficient of friction of its side, [-]; not given: that of ``[contact]``."""
    restitution: UnitInterval | None = None
    """Coefficient of restitution of its side, [-]; not given: that of ``[contact]``."""
