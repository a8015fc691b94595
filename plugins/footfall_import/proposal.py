"""The proposal of an import: everything that robot.toml and its scene will say."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from footfall_import.checks import Finding
from footfall_import.locate import Located
from footfall_import.model import Model
from footfall_import.sole import Sole

Base = Literal["floating", "fixed"]


@dataclass(frozen=True, slots=True)
class DriveGroup:
    """Joints with the same drive.

    Attributes:
        joints: their names.
        gear_ratio: [-]
        rotor_inertia: on the motor's side, [kg m^2].
        torque_limit: [N m or N], ``model`` for that of the model file, None for none.
    """

    joints: tuple[str, ...]
    gear_ratio: float
    rotor_inertia: float
    torque_limit: float | Literal["model"] | None


@dataclass(frozen=True, slots=True)
class Facts:
    """Figures of the robot for the report.

    Attributes:
        joints: number of movable joints.
        links: number of the model file's links.
        mass: [kg]
        height: of the base above the feet, [m]; zero without feet.
        margin: of the centre of mass inside the support, [m]; zero without feet.
        condition: condition number of the inertia matrix with rotors, [-].
        busiest: joint that needs most of its torque limit to hold the posture, empty if unknown.
        load: part of that limit that it needs, [-].
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
    """A robot as proposed.

    Attributes:
        name: of the robot.
        located: where its model file is.
        model: what the file says.
        base: how the root is held.
        base_origin: why, for comments.
        base_height: of the root, [m].
        rpy: roll, pitch, yaw of the root, [rad].
        posture: by joint, zeros left out, [rad or m].
        posture_origin: where it comes from, for comments.
        soles: contact features.
        limited: joints whose limits in the model file are taken.
        drives: actuators.
        stiffness: by joint, [N m/rad or N/m].
        damping: by joint, [N m s/rad or N s/m].
        facts: figures.
        findings: worst first.
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
    facts: Facts
    findings: tuple[Finding, ...]

    @property
    def is_sound(self) -> bool:
        """Whether nothing was found that keeps the robot from running."""
        return not any(finding.level == "error" for finding in self.findings)
