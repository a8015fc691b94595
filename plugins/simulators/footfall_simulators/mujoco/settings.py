"""Settings of MuJoCo's step; the defaults are MuJoCo's own, except for the Jacobian."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, field_validator

from footfall.api.plugin import NonNegative, PluginConfig, Positive

Reference = Annotated[tuple[float, float], Field(strict=False)]
"""Time constant [s] and damping ratio [-]; if negative, stiffness [1/s^2] and damping [1/s]."""
UpToOne = Annotated[float, Field(ge=0.0, le=1.0)]
Impedance = Annotated[
    tuple[UpToOne, UpToOne, NonNegative, UpToOne, Annotated[float, Field(ge=1.0)]],
    Field(strict=False),
]
"""Impedance d at zero depth and at full depth [-], depth between them [m], midpoint, power."""


class MujocoConfig(PluginConfig):
    """MuJoCo's settings of the same names in ``<option>`` and in its contacts."""

    integrator: Literal["euler", "implicitfast", "implicit"] = "euler"
    """Integrator of velocities and positions. ``RK4`` is left out: the forces of its four stages
    have no equivalent impulse over the step."""
    solver: Literal["newton", "cg", "pgs"] = "newton"
    """Solver of the constraint forces."""
    cone: Literal["pyramidal", "elliptic"] = "pyramidal"
    """Friction cone: a square pyramid inside the cone, or the cone itself."""
    jacobian: Literal["dense", "sparse", "auto"] = "dense"
    """Storage of the constraints' Jacobian. MuJoCo's own default is ``auto``, sparse from 60
    velocities on, where the Newton solver of MuJoCo 4.0.0 is wrong."""
    iterations: Annotated[int, Field(ge=1)] = 100
    """Largest number of solver iterations per step."""
    tolerance: NonNegative = 1e-8
    """Scaled improvement below which the solver stops, [-]."""
    ls_iterations: Annotated[int, Field(ge=1)] = 50
    """Largest number of iterations of the solver's line search."""
    noslip_iterations: Annotated[int, Field(ge=0)] = 0
    """Iterations after the solver that remove slip from sticking contacts."""
    impratio: Positive = 1.0
    """Ratio of the impedance of friction to that of the normal direction, [-]."""
    solref: Reference = (0.02, 1.0)
    """Response of contacts to penetration: time constant [s] and damping ratio [-]; if negative,
    stiffness [1/s^2] and damping [1/s]."""
    solimp: Impedance = (0.9, 0.95, 1e-3, 0.5, 2.0)
    """Impedance of contacts by depth: d at zero and at full depth [-], depth between them [m],
    midpoint and power [-]."""
    solref_limit: Reference = (0.02, 1.0)
    """``solref`` of joint limits, [s, -]."""
    solimp_limit: Impedance = (0.9, 0.95, 1e-3, 0.5, 2.0)
    """``solimp`` of joint limits, [-, -, rad or m, -, -]."""
    solref_friction: Reference = (0.02, 1.0)
    """``solref`` of Coulomb friction in joints, [s, -]."""
    solimp_friction: Impedance = (0.9, 0.95, 1e-3, 0.5, 2.0)
    """``solimp`` of Coulomb friction in joints, [-, -, rad or m, -, -]."""

    @field_validator("solref", "solref_limit", "solref_friction")
    @classmethod
    def _one_form(cls, value: tuple[float, float]) -> tuple[float, float]:
        if not (min(value) > 0.0 or max(value) < 0.0):
            raise ValueError(
                "must be a time constant and a damping ratio, both > 0, or -stiffness and -damping"
            )
        return value
