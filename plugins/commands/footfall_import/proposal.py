"""The proposal of an import: everything that robot.toml and its scene will say."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from footfall_import.checks import Finding
from footfall_import.locate import Located
from footfall_import.model import Model
from footfall_import.sole import Sole
from footfall_import.standing.gait import Walk

Base = Literal["floating", "planar", "fixed"]


@dataclass(frozen=True, slots=True)
class DriveGroup:
    """Joints with the same drive.

    Attributes:
        joints: their names.
        gear_ratio: [-]
        rotor_inertia: on the motor's side, [kg m^2].
        torque_limit: [N m or N], ``model`` for that of the model file, None for none.
        spring: stiffness [N m/rad or N/m] and position at rest [rad or m]; None for none.
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
        feed_forward: torques that hold the posture, by joint, zeros left out, [N m or N].
        facts: figures.
        companions: the bodies of the same file that move by themselves.
        findings: worst first.
        walk: a gait that was asked for.
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
    feed_forward: Mapping[str, float]
    facts: Facts
    findings: tuple[Finding, ...]
    companions: tuple[Proposal, ...] = ()
    walk: Walk | None = None

    def beside(self, companion: Proposal) -> tuple[float, float, float]:
        """Return where a companion starts in the world, [m].

        As the file places both; what stands on the ground does so here, and so does what else
        would be in it.
        """
        mine, its = self.model.start, companion.model.start
        assert its is not None
        x, y, z = (float(value) for value in its.translation)
        if self.base != "fixed" and mine is not None:
            x, y = x - float(mine.translation[0]), y - float(mine.translation[1])
            z += self.base_height - float(mine.translation[2])
            z = companion.base_height if companion.soles else z
        return x, y, max(z, companion.base_height if companion.soles else z)

    @property
    def is_sound(self) -> bool:
        """Whether nothing was found that keeps the robot from running."""
        return not any(finding.level == "error" for finding in self.findings)
