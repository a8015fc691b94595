"""Settings of MuJoCo's step; the defaults are MuJoCo's own, but for the Jacobian."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, field_validator

from footfall.api.config import NonNegative, Positive
from footfall.api.plugin import PluginConfig

Reference = Annotated[tuple[float, float], Field(strict=False)]
"""Time constant [s] and damping ratio [-]; if negative, stiffness [1/s^2] and damping [1/s]."""
UpToOne = Annotated[float, Field(ge=0.0, le=1.0)]
Impedance = Annotated[
    tuple[UpToOne, UpToOne, NonNegative, UpToOne, Annotated[float, Field(ge=1.0)]],
    Field(strict=False),
]
"""d at no depth, d at full depth [-], width of the depth between [m], where it bends, power."""


class MujocoConfig(PluginConfig):
    """What MuJoCo calls by the same names in ``<option>`` and in its contacts."""

    integrator: Literal["euler", "implicitfast", "implicit"] = "euler"
    """How velocities and positions move on. ``RK4`` is left out: the forces of its four stages are
    no impulse of the step."""
    solver: Literal["newton", "cg", "pgs"] = "newton"
    """Of the constraint forces."""
    cone: Literal["pyramidal", "elliptic"] = "pyramidal"
    """Of friction: a square pyramid within the cone, or the cone."""
    jacobian: Literal["dense", "sparse", "auto"] = "dense"
    """Storage of the constraints' Jacobian. MuJoCo's own default is ``auto``, sparse from 60
    velocities on, where the Newton solver of MuJoCo 4.0.0 is wrong."""
    iterations: Annotated[int, Field(ge=1)] = 100
    """Most iterations of the solver a step."""
    tolerance: NonNegative = 1e-8
    """At which improvement, scaled, the solver stops, [-]."""
    ls_iterations: Annotated[int, Field(ge=1)] = 50
    """Most iterations of the solver's line search."""
    noslip_iterations: Annotated[int, Field(ge=0)] = 0
    """Iterations after the solver that take slip out of contacts that stick."""
    impratio: Positive = 1.0
    """How much harder friction is than the normal direction, [-]."""
    solref: Reference = (0.02, 1.0)
    """Of contacts, how penetration is pushed out: time constant [s] and damping ratio [-], or if
    negative stiffness [1/s^2] and damping [1/s]."""
    solimp: Impedance = (0.9, 0.95, 1e-3, 0.5, 2.0)
    """Of contacts, how hard they are by depth: d at none and at full depth [-], width between [m],
    where it bends and its power [-]."""
    solref_limit: Reference = (0.02, 1.0)
    """The same of limits of joints, [s, -]."""
    solimp_limit: Impedance = (0.9, 0.95, 1e-3, 0.5, 2.0)
    """The same of limits of joints, [-, -, rad or m, -, -]."""
    solref_friction: Reference = (0.02, 1.0)
    """The same of Coulomb friction in joints, [s, -]."""
    solimp_friction: Impedance = (0.9, 0.95, 1e-3, 0.5, 2.0)
    """The same of Coulomb friction in joints, [-, -, rad or m, -, -]."""

    @field_validator("solref", "solref_limit", "solref_friction")
    @classmethod
    def _one_form(cls, value: tuple[float, float]) -> tuple[float, float]:
        if not (min(value) > 0.0 or max(value) < 0.0):
            raise ValueError(
                "give a time constant and a damping ratio, both > 0, or -stiffness and -damping"
            )
        return value
