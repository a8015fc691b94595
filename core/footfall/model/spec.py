"""The schema and reader of ``robot.toml``: model, joints, contact features, shapes, posture."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import BaseModel, Field, model_validator

from footfall.config.fields import (
    SCHEMA,
    Length,
    NonNegative,
    OneLine,
    Text,
    UnitInterval,
    UnitVector3,
    Vector3,
)
from footfall.config.friction import Friction
from footfall.config.toml import read_toml
from footfall.config.validate import validate
from footfall.formats.normal_form import Base
from footfall.interfaces.plugin import PluginConfig
from footfall.model.devices import ActuatorSpec, SensorSpec
from footfall.model.loop_spec import LoopSpec
from footfall.model.object_schema import SolidShape


class CollisionShapeSpec(PluginConfig):
    """A shape on a link. Other links of its robot touch it only with ``self_collision``."""

    frame: Text
    """Link or fixed joint that carries the shape."""
    shape: SolidShape
    """Shape as in a scene, e.g. ``{type = "box", size = [0.1, 0.1, 0.1]}``, [m]. The file of a mesh
    is relative to this file."""
    position: Vector3 = (0.0, 0.0, 0.0)
    """Centre of the shape, or origin of a mesh, in the frame, [m]."""
    orientation: Vector3 = (0.0, 0.0, 0.0)
    """Roll, pitch, yaw of the shape in the frame, [rad]."""
    friction: Friction | None = None
    """Coefficient of friction, [-], or a table: friction by direction; default: from
    ``[contact]``."""
    restitution: UnitInterval | None = None
    """Coefficient of restitution, [-]; default: from ``[contact]``."""


class ModelFile(PluginConfig):
    """The model file and its use."""

    file: Text
    """URDF or MJCF file, relative to this file. With ``package``, its path in the package, or
    an end of this path that no other file has."""
    package: Text | None = None
    """Installed package that contains the file, e.g. ``icub-models``."""
    extra: Text | None = None
    """Extra of Footfall that installs ``package``."""
    format: Literal["urdf", "mjcf"] | None = None
    """Format; default: ``mjcf`` for ``.xml`` and ``.mjcf``, else ``urdf``."""
    collisions: Literal["read", "other_links", "ignored"] = "read"
    """``read``: all collision shapes of the model file touch other bodies; ``other_links``: only
    those of links without ``[[collision_shapes]]``; ``ignored``: none."""
    srdf: Text | None = None
    """SRDF file with pairs of links that cannot touch, for the scene's ``self_collision``."""
    loops: Literal["read", "ignored"] = "read"
    """Use of the file's loops (``<mimic>``, ``<equality>``). A table of ``[[loops]]`` replaces the
    file's loop of the same ``name``; a coupling also replaces a coupling of the same ``joint``."""


class ContactDefaults(PluginConfig):
    """Default coefficients of contact features and collision shapes."""

    friction: Friction | None = None
    """Coefficient of friction, [-], or a table: friction by direction. Without it, the coefficient
    of the ground or the other body counts."""
    restitution: UnitInterval | None = None
    """Coefficient of restitution, [-]. Without it, that of the ground or the other body counts."""


class _Feature(PluginConfig):
    frame: Text
    """Link or fixed joint that carries the feature."""
    name: Text | None = None
    """Name in recordings (default: the frame's), followed by a number, e.g. ``l_sole/0``."""
    friction: Friction | None = None
    """Coefficient of friction, [-], or a table: friction by direction; default: from
    ``[contact]``."""
    restitution: UnitInterval | None = None
    """Coefficient of restitution, [-]; default: from ``[contact]``."""


class PointFeatures(_Feature):
    """Points, e.g. the corners of a sole."""

    kind: Literal["point"]
    """A fixed set of points."""
    points: Annotated[tuple[Vector3, ...], Field(min_length=1)]
    """Positions, [m], in the frame."""


class SphereFeature(_Feature):
    """A sphere that rolls."""

    kind: Literal["sphere"]
    """A sphere; its lowest point touches."""
    radius: Length
    """[m]"""
    center: Vector3 = (0.0, 0.0, 0.0)
    """Centre, [m], in the frame."""


class RimFeature(_Feature):
    """A circular edge that rolls, e.g. of a wheel."""

    kind: Literal["rim"]
    """A circle; its lowest point touches."""
    radius: Length
    """[m]"""
    axis: UnitVector3
    """Normal of the circle's plane, in the frame, [-]."""
    center: Vector3 = (0.0, 0.0, 0.0)
    """Centre, [m], in the frame."""


class RingFeature(_Feature):
    """Evenly spaced points on a circle."""

    kind: Literal["ring"]
    """A polygon's corners on a circle."""
    npoly: Annotated[int, Field(ge=3)]
    """Number of points; a scene may change it."""
    radius: Length
    """[m]"""
    axis: UnitVector3
    """Normal of the circle's plane, in the frame, [-]."""
    start: UnitVector3
    """Direction from the centre to the first point, in the circle's plane, [-]."""
    center: Vector3 = (0.0, 0.0, 0.0)
    """Centre, [m], in the frame."""

    @model_validator(mode="after")
    def _start_in_plane(self) -> Self:
        if abs(sum(a * b for a, b in zip(self.axis, self.start, strict=True))) > 1e-9:
            raise ValueError("start must be at a right angle to axis")
        return self


FeatureSpec = Annotated[
    PointFeatures | SphereFeature | RimFeature | RingFeature, Field(discriminator="kind")
]


class JointDynamics(PluginConfig):
    """Properties of joints. They replace those of the model file."""

    damping: NonNegative | None = None
    """Viscous coefficient, [N m s/rad or N s/m]; default: the model file's."""
    armature: NonNegative | None = None
    """Reflected inertia of the motor, [kg m^2 or kg]; default: the model file's."""
    friction: NonNegative | None = None
    """Coulomb friction, [N m or N]; default: the model file's."""
    limits: tuple[float, float] | Literal["model"] | None = None
    """Lowest and highest position, [rad or m], or ``model``: the model file's. Default: no limits,
    even if the model file has some."""
    restitution: UnitInterval | None = None
    """Coefficient of restitution at the limits, [-]; default: 0."""

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        if isinstance(self.limits, tuple) and self.limits[0] > self.limits[1]:
            lower, upper = self.limits
            raise ValueError(f"limits: lower {lower:g} is above upper {upper:g}")
        return self


class RobotSpec(BaseModel):
    """A robot or an object."""

    model_config = SCHEMA

    description: OneLine = ""
    """One line for listings."""
    model: ModelFile
    """The model file."""
    base: Base | None = None
    """Motion of the root; ``planar``: along x and z, about y. Default: from the MJCF; ``floating``
    for a URDF."""
    joints: tuple[Text, ...] | None = None
    """Movable joints (default: all). The others are locked in ``posture``."""
    posture: dict[str, float] = {}
    """Positions by joint, [rad or m]; default: 0."""
    base_position: Vector3 = (0.0, 0.0, 0.0)
    """Default position of the root, [m], world frame."""
    base_orientation: Vector3 = (0.0, 0.0, 0.0)
    """Default roll, pitch, yaw of the root, [rad]."""
    contact: ContactDefaults = ContactDefaults()
    """Default friction and restitution of contact features and collision shapes."""
    contact_features: tuple[FeatureSpec, ...] = ()
    """Features that touch the ground."""
    collision_shapes: tuple[CollisionShapeSpec, ...] = ()
    """Shapes that touch other bodies. ``collisions`` in ``[model]`` keeps or drops the shapes of
    the model file."""
    visual_offsets: dict[str, Vector3] = {}
    """Shifts of the drawn shapes, by link, [m], in the link's frame."""
    loops: tuple[LoopSpec, ...] = ()
    """Closed loops of joints, and links held to the world."""
    joint_dynamics: dict[str, JointDynamics] = {}
    """Damping, armature, friction and limits by joint."""
    actuators: tuple[ActuatorSpec, ...] = ()
    """Drives. A joint without a drive gets the commanded torque."""
    sensors: tuple[SensorSpec, ...] = ()
    """Sensors, with rates and errors."""

    @model_validator(mode="after")
    def _has_other_links(self) -> Self:
        if self.model.collisions == "other_links" and not self.collision_shapes:
            raise ValueError('model.collisions = "other_links" needs [[collision_shapes]]')
        return self


def read_spec(path: Path | str) -> RobotSpec:
    """Read and validate a robot file.

    Raises:
        SceneError: if it cannot be read, or a key or value is not allowed; names file, line and
            key, the allowed values and the nearest name.
    """
    toml = read_toml(path)
    return validate(RobotSpec, toml.data, file=toml.file, lines=toml.lines)
