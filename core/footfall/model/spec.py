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
    """A shape on a link that touches other bodies and other links of the robot."""

    frame: Text
    """Link or fixed joint that carries the shape."""
    shape: SolidShape
    """Shape as in a scene, e.g. ``{type = "box", size = [0.1, 0.1, 0.1]}``; lengths in [m], a
    mesh's file relative to this file."""
    position: Vector3 = (0.0, 0.0, 0.0)
    """Position of the shape's centre, or of a mesh's origin, in the frame, [m]."""
    orientation: Vector3 = (0.0, 0.0, 0.0)
    """Roll, pitch, yaw of the shape in the frame, [rad]."""
    friction: Friction | None = None
    """Coefficient of friction, [-], or a table: friction by direction; default: that of
    ``[contact]``."""
    restitution: UnitInterval | None = None
    """Coefficient of restitution, [-]; default: that of ``[contact]``."""


class ModelFile(PluginConfig):
    """The model file and its use."""

    file: Text
    """URDF or MJCF file, relative to this file. With ``package``: the last part of its path in
    the package."""
    package: Text | None = None
    """Installed package that contains the file, e.g. ``icub-models``."""
    extra: Text | None = None
    """Extra of Footfall that installs ``package``; named in the error if ``package`` is missing."""
    format: Literal["urdf", "mjcf"] | None = None
    """Format; default: ``mjcf`` for ``.xml`` and ``.mjcf``, else ``urdf``."""
    collisions: Literal["read", "other_links", "ignored"] = "read"
    """Collision shapes of the file that touch other bodies: all, those of links without
    ``[[collision_shapes]]``, or none. For the ground see ``[[contact_features]]``."""
    srdf: Text | None = None
    """SRDF file with pairs of links that never touch, used with ``self_collision``."""
    loops: Literal["read", "ignored"] = "read"
    """Use of the file's loops (``<mimic>``, ``<equality>``). A ``[[loops]]`` entry replaces the
    file's loop that has the same name, or couples the same joint to another."""


class ContactDefaults(PluginConfig):
    """Coefficients of the robot, for features without their own."""

    friction: Friction | None = None
    """Coefficient of friction, [-], or a table: friction by direction; default: the ground's
    alone."""
    restitution: UnitInterval | None = None
    """Coefficient of restitution, [-]; default: that of the ground."""


class _Feature(PluginConfig):
    frame: Text
    """Link or fixed joint that carries the feature."""
    name: Text | None = None
    """Name in recordings, followed by a number, e.g. ``l_sole/0``; default: the frame's."""
    friction: Friction | None = None
    """Coefficient of friction of the robot, [-], or a table: friction by direction."""
    restitution: UnitInterval | None = None
    """Coefficient of restitution of the robot, [-]."""


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
    """A circular edge that rolls, e.g. of a coin or a wheel."""

    kind: Literal["rim"]
    """A circle; its lowest point touches."""
    radius: Length
    """[m]"""
    axis: UnitVector3
    """Normal of the circle's plane, in the frame, [-]."""
    center: Vector3 = (0.0, 0.0, 0.0)
    """[m], in the frame."""


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
    """Direction from the centre to the first point, in the circle's plane, [-]; the others follow
    about the axis."""
    center: Vector3 = (0.0, 0.0, 0.0)
    """[m], in the frame."""

    @model_validator(mode="after")
    def _start_in_plane(self) -> Self:
        if abs(sum(a * b for a, b in zip(self.axis, self.start, strict=True))) > 1e-9:
            raise ValueError("start must be at a right angle to axis")
        return self


FeatureSpec = Annotated[
    PointFeatures | SphereFeature | RimFeature | RingFeature, Field(discriminator="kind")
]


class JointDynamics(PluginConfig):
    """Properties of joints; they replace those of the model file."""

    damping: NonNegative | None = None
    """Viscous coefficient, [N m s/rad or N s/m]; default: the model file's."""
    armature: NonNegative | None = None
    """Reflected inertia of the motor, [kg m^2 or kg]; default: the model file's."""
    friction: NonNegative | None = None
    """Coulomb friction, [N m or N]; default: the model file's."""
    limits: tuple[float, float] | Literal["model"] | None = None
    """Lowest and highest position, [rad or m], or ``model``: limits of the model file. By default
    the joint has no limits, even if the model file has some."""
    restitution: UnitInterval | None = None
    """Coefficient of restitution of the limits, [-]; default: 0."""

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
    """``floating``, ``fixed`` or ``planar`` (moves in x and z, turns about y); default: the MJCF's
    own, ``floating`` for a URDF."""
    joints: tuple[Text, ...] | None = None
    """Joints that can move, by name or pattern. The others are locked at the posture. Default:
    all."""
    posture: dict[str, float] = {}
    """Position by joint name or pattern, [rad or m]; 0 for the others."""
    base_position: Vector3 = (0.0, 0.0, 0.0)
    """Default position of the root, [m], world frame."""
    base_orientation: Vector3 = (0.0, 0.0, 0.0)
    """Default roll, pitch, yaw of the root, [rad]."""
    contact: ContactDefaults = ContactDefaults()
    """Friction and restitution of the contact features."""
    contact_features: tuple[FeatureSpec, ...] = ()
    """Features that touch the ground."""
    collision_shapes: tuple[CollisionShapeSpec, ...] = ()
    """Shapes that touch other bodies. ``collisions`` in ``[model]`` decides whether they replace
    those of the model file."""
    visual_offsets: dict[str, Vector3] = {}
    """Shift of a link's visuals by link name, [m], in its frame."""
    loops: tuple[LoopSpec, ...] = ()
    """Closed loops of joints, or links held to the world. Redundant loops are allowed."""
    joint_dynamics: dict[str, JointDynamics] = {}
    """Damping, armature, friction and limits by joint name or pattern."""
    actuators: tuple[ActuatorSpec, ...] = ()
    """Drives; joints without one get the commanded torque."""
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
