"""A model as an import sees it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from footfall.api.formats import ModelCoupling, ModelJoining, Urdf
from footfall.api.geometry import Pose
from footfall_import.checks import Finding
from footfall_import.urdf.srdf import NamedPosture, Rotor

EARTH = (0.0, 0.0, -9.81)
"""Gravity where the file says nothing, [m/s^2]."""


@dataclass(frozen=True, slots=True)
class Model:
    """A model as an import sees it: a URDF, and what stands beside the URDF's tree.

    Attributes:
        urdf: the checked tree.
        gears: gear ratio [-] of each joint that the file says is driven.
        rotors: rotor and gear by joint.
        armature: reflected inertia by joint, [kg m^2 or kg].
        torque_limits: greatest torque by joint where the URDF cannot say it, [N m or N].
        springs: stiffness [N m/rad or N/m] and position at rest [rad or m] by joint.
        loops: what closes chains; of a URDF its mimics, which hold without being declared.
        postures: named postures.
        base: how the file says that the root is held.
        start: where the file places a root that moves, world frame; of a planar base its plane.
        planar: joints of the file that a planar base is, by its own: name and sign.
        gravity: as the file says, world frame, [m/s^2].
        root: name of the root body that it is, of a file with several; else empty.
        others: the bodies that move by themselves beside it in the same file.
        findings: what was found on the way.
        text: the URDF's text if it was converted or repaired, else None.
        converted: whether the file was no URDF, which says loops by itself.
    """

    urdf: Urdf
    gears: Mapping[str, float] = field(default_factory=dict)
    rotors: Mapping[str, Rotor] = field(default_factory=dict)
    armature: Mapping[str, float] = field(default_factory=dict)
    torque_limits: Mapping[str, float] = field(default_factory=dict)
    springs: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    loops: tuple[ModelJoining | ModelCoupling, ...] = ()
    postures: tuple[NamedPosture, ...] = ()
    base: Literal["floating", "planar", "fixed"] | None = None
    start: Pose | None = None
    planar: Mapping[str, tuple[str, float]] = field(default_factory=dict)
    gravity: tuple[float, float, float] = EARTH
    root: str = ""
    others: tuple[Model, ...] = ()
    findings: tuple[Finding, ...] = ()
    text: str | None = None
    converted: bool = False
