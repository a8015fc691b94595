"""The proposal of an import: all content of robot.toml and its scene."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

from footfall_import.checks import Finding
from footfall_import.locate import Located
from footfall_import.model import Model
from footfall_import.sole import Sole
from footfall_import.standing.gait import Walk
from footfall_import.wheels import Roll

Base = Literal["floating", "planar", "fixed"]


@dataclass(frozen=True, slots=True)
class DriveGroup:
    """Joints with the same drive.

    Attributes:
        joints: their names.
        gear_ratio: [-]
        rotor_inertia: on the motor's side, [kg m^2].
        torque_limit: [N m or N]; ``model``: the model file's limit; None: no limit.
        spring: stiffness [N m/rad or N/m] and rest position [rad or m]; None: no spring.
    """

    joints: tuple[str, ...]
    gear_ratio: float
    rotor_inertia: float
    torque_limit: float | Literal["model"] | None
    spring: tuple[float, float] | None = None


@dataclass(frozen=True, slots=True)
class Facts:
    """Figures of the robot for the report.

    Attributes:
        joints: number of movable joints.
        links: number of links in the model file.
        mass: [kg]
        height: height of the base above the feet, [m]; zero without feet.
        margin: distance of the centre of mass inside the support's edge, [m]; zero without feet.
        condition: condition number of the inertia matrix with rotors, [-].
        busiest: joint with the largest ratio of holding torque to limit, empty if unknown.
        load: this ratio, [-].
    """

    joints: int
    links: int
    mass: float
    height: float
    margin: float
    condition: float
    busiest: str
    load: float


@dataclass(frozen=True, slots=True)
class Proposal:
    """A proposed robot.

    Attributes:
        name: name of the robot.
        located: its model file.
        model: content of the model file.
        base: base type of the root.
        base_origin: reason for the base type, for comments.
        base_height: height of the root, [m].
        rpy: roll, pitch, yaw of the root, [rad].
        posture: by joint, zeros left out, [rad or m].
        posture_origin: source of the posture, for comments.
        soles: contact features.
        limited: joints that use the model file's limits.
        drives: actuators.
        stiffness: by joint, [N m/rad or N/m].
        damping: by joint, [N m s/rad or N s/m].
        targets: positions that the file's servos hold, by joint, [rad or m].
        feed_forward: torques that hold the posture, by joint, zeros left out, [N m or N].
        facts: figures.
        companions: other moving bodies of the same file.
        findings: worst first.
        walk: the wanted gait, None without one.
        roll: motion of a scene on wheels, None without wheels or a floating base.
        names: names in the scene, by the names of ``model.rules``.
    """

    name: str
    located: Located
    model: Model
    base: Base
    base_origin: str
    base_height: float
    rpy: tuple[float, float, float]
    posture: Mapping[str, float]
    posture_origin: str
    soles: tuple[Sole, ...]
    limited: tuple[str, ...]
    drives: tuple[DriveGroup, ...]
    stiffness: Mapping[str, float]
    damping: Mapping[str, float]
    targets: Mapping[str, float]
    feed_forward: Mapping[str, float]
    facts: Facts
    findings: tuple[Finding, ...]
    companions: tuple[Proposal, ...] = ()
    walk: Walk | None = None
    roll: Roll | None = None
    names: Mapping[str, str] = field(default_factory=dict)

    @property
    def in_file_frame(self) -> bool:
        """True if the scene has the file's fixed things, so that all bodies have its positions."""
        held = any(companion.base == "fixed" for companion in self.companions)
        ground = self.model.relief is not None or self.model.ground != 0.0
        return held or bool(self.model.objects) or ground

    @property
    def place(self) -> tuple[float, float, float]:
        """Initial position of a moving base among the file's fixed things, [m]."""
        at = self.model.start.translation if self.model.start else (0.0, 0.0, self.base_height)
        z = self.model.ground + self.base_height if self.soles else float(at[2])
        return float(at[0]), float(at[1]), z

    def beside(self, companion: Proposal) -> tuple[float, float, float]:
        """Return the initial position of a companion in the world, [m].

        The offset from this robot is the file's. A companion that stands on the ground, or would
        be below it, is put on the ground.
        """
        mine, its = self.model.start, companion.model.start
        x, y, z = (float(value) for value in (its.translation if its else (0.0, 0.0, 0.0)))
        if self.in_file_frame:
            ground = self.model.ground + companion.base_height
            return x, y, max(z, ground) if companion.soles else z
        if self.base != "fixed" and mine is not None:
            x, y = x - float(mine.translation[0]), y - float(mine.translation[1])
            z += self.base_height - float(mine.translation[2])
            z = companion.base_height if companion.soles else z
        return x, y, max(z, companion.base_height if companion.soles else z)

    def on_its_servos(self) -> Proposal:
        """Return the proposal without added torques at joints that have servos of the file."""
        torques = {n: tau for n, tau in self.feed_forward.items() if n not in self.model.servos}
        others = tuple(companion.on_its_servos() for companion in self.companions)
        return replace(self, feed_forward=torques, companions=others)

    @property
    def is_sound(self) -> bool:
        """True if no finding is an error."""
        return not any(finding.level == "error" for finding in self.findings)
