"""Data of a model for an import."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from footfall.api.advanced import ModelCoupling, ModelJoining, Urdf
from footfall.api.engine import Pose
from footfall.api.plugin import Floats
from footfall.api.viewer import Shape
from footfall_import.checks import Finding
from footfall_import.urdf.srdf import NamedPosture, Rotor

EARTH = (0.0, 0.0, -9.81)
"""Default gravity, [m/s^2]."""


@dataclass(frozen=True, slots=True, eq=False)
class FixedObject:
    """A fixed object of a scene.

    Attributes:
        name: name of the object.
        shape: its shape; the heights of a height field are ``heights`` instead of a file.
        pose: in the world.
        friction: coefficient of its side, [-].
        color: red, green and blue, each 0 to 1; None without a colour of its own.
        heights: entry [i, j] at x_i, y_j, [m]; for height fields only.
    """

    name: str
    shape: Shape
    pose: Pose
    friction: float
    color: tuple[float, float, float] | None = None
    heights: Floats | None = None

    @property
    def file(self) -> str:
        """Path of the file of a mesh or height field in the robot's folder."""
        suffix = Path(self.shape.mesh).suffix if self.shape.mesh else ".npy"
        return f"meshes/object_{self.name}{suffix}"


@dataclass(frozen=True, slots=True)
class Servo:
    """Gains of a joint that the model file gives.

    Attributes:
        stiffness: [N m/rad or N/m].
        damping: [N m s/rad or N s/m].
        ratio: damping ratio [-] that is added, with the joint's own inertia at zero positions.
    """

    stiffness: float
    damping: float
    ratio: float


@dataclass(frozen=True, slots=True, eq=False)
class TendonDrive:
    """Tendons over common joints: a drive whose motors are the tendons and some of the joints.

    Attributes:
        tendons: names of the tendons, which are the first motors.
        joints: names.
        rows: shape (n, n), position of each motor by the joints' positions.
        stiffness, rest, damping, friction, inertia, limit: shape (n,), of each motor; the limit is
            infinite without one.
    """

    tendons: tuple[str, ...]
    joints: tuple[str, ...]
    rows: Floats
    stiffness: Floats
    rest: Floats
    damping: Floats
    friction: Floats
    inertia: Floats
    limit: Floats


Part = tuple[str, str]
"""A link or an object: name of its root body (empty for the robot's own) or of the object, and name
of the link (empty for an object or all links)."""
PartPair = tuple[Part, Part]


@dataclass(frozen=True, slots=True)
class Rules:
    """Contact rules of a scene.

    Attributes:
        inside: names of root bodies whose own links touch each other.
        ignore: pairs that never touch.
        keep: pairs that touch in spite of ``ignore``, or of a joint between them.
    """

    inside: tuple[str, ...] = ()
    ignore: tuple[PartPair, ...] = ()
    keep: tuple[PartPair, ...] = ()


@dataclass(frozen=True, slots=True)
class Model:
    """A URDF with additional data that a URDF cannot hold.

    Attributes:
        urdf: the checked tree.
        gears: gear ratio [-] of each driven joint.
        rotors: rotor and gear by joint.
        armature: reflected inertia by joint, [kg m^2 or kg].
        torque_limits: torque limit by joint if the URDF cannot hold it, [N m or N].
        servos: gains by joint.
        springs: stiffness [N m/rad or N/m] and rest position [rad or m] by joint.
        loops: loop closures; for a URDF its mimics, which need no entry in robot.toml.
        tendons: drives over several joints.
        stops: couplings with their free play: limits of tendons.
        postures: named postures.
        base: base type of the root given by the file, None if not given.
        start: initial pose of a moving root in the file, world frame; the plane of a planar base.
        planar: name of the file's joint and sign (1 or -1), by the joint of a planar base.
        gravity: the file's gravity, world frame, [m/s^2].
        root: name of its root body if chosen from several; else empty.
        others: models of the other bodies with joints in the same file.
        objects: fixed objects of the file's world.
        ground: height of the file's ground, [m].
        relief: a height field that is the ground, None for level ground.
        rules: contact rules of the file.
        findings: findings of the reader.
        text: the URDF's text if it was converted or repaired, else None.
        converted: True if the file was not a URDF; its loops then need entries in robot.toml.
    """

    urdf: Urdf
    gears: Mapping[str, float] = field(default_factory=dict)
    rotors: Mapping[str, Rotor] = field(default_factory=dict)
    armature: Mapping[str, float] = field(default_factory=dict)
    torque_limits: Mapping[str, float] = field(default_factory=dict)
    servos: Mapping[str, Servo] = field(default_factory=dict)
    springs: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    loops: tuple[ModelJoining | ModelCoupling, ...] = ()
    tendons: tuple[TendonDrive, ...] = ()
    stops: tuple[tuple[ModelCoupling, float], ...] = ()
    postures: tuple[NamedPosture, ...] = ()
    base: Literal["floating", "planar", "fixed"] | None = None
    start: Pose | None = None
    planar: Mapping[str, tuple[str, float]] = field(default_factory=dict)
    gravity: tuple[float, float, float] = EARTH
    root: str = ""
    others: tuple[Model, ...] = ()
    objects: tuple[FixedObject, ...] = ()
    ground: float = 0.0
    relief: FixedObject | None = None
    rules: Rules = Rules()
    findings: tuple[Finding, ...] = ()
    text: str | None = None
    converted: bool = False
