"""A model as an import sees it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from footfall.api.formats import ModelCoupling, ModelJoining, Urdf
from footfall_import.checks import Finding
from footfall_import.srdf import NamedPosture, Rotor


@dataclass(frozen=True, slots=True)
class Model:
    """A model as an import sees it: a URDF, and what stands beside the URDF's tree.

    Attributes:
        urdf: the checked tree.
        gears: gear ratio [-] of each joint that the file says is driven.
        rotors: rotor and gear by joint.
        armature: reflected inertia by joint, [kg m^2 or kg].
        torque_limits: greatest torque by joint where the URDF cannot say it, [N m or N].
        loops: what closes chains; of a URDF its mimics, which hold without being declared.
        postures: named postures.
        base: how the file says that the root is held.
        findings: what was found on the way.
        text: the URDF's text if it was converted, else None.
    """

    urdf: Urdf
    gears: Mapping[str, float] = field(default_factory=dict)
    rotors: Mapping[str, Rotor] = field(default_factory=dict)
    armature: Mapping[str, float] = field(default_factory=dict)
    torque_limits: Mapping[str, float] = field(default_factory=dict)
    loops: tuple[ModelJoining | ModelCoupling, ...] = ()
    postures: tuple[NamedPosture, ...] = ()
    base: Literal["floating", "fixed"] | None = None
    findings: tuple[Finding, ...] = ()
    text: str | None = None
