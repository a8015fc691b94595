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
    """Integrator. ``RK4`` is not supported."""
    solver: Literal["newton", "cg", "pgs"] = "newton"
    """Constraint solver."""
    cone: Literal["pyramidal", "elliptic"] = "pyramidal"
    """``elliptic``: the friction cone; ``pyramidal``: the square pyramid inside it."""
    jacobian: Literal["dense", "sparse", "auto"] = "dense"
    """Storage of the constraint Jacobian; ``auto`` is sparse from 60 velocities on. With sparse
    storage, the Newton solver of MuJoCo 4.0.0 is wrong."""
    iterations: Annotated[int, Field(ge=1)] = 100
    """Largest number of solver iterations."""
    tolerance: NonNegative = 1e-8
    """The solver stops if its scaled improvement is smaller, [-]."""
    ls_iterations: Annotated[int, Field(ge=1)] = 50
    """Largest number of line-search iterations."""
    noslip_iterations: Annotated[int, Field(ge=0)] = 0
    """Extra iterations that remove slip of sticking contacts."""
    impratio: Positive = 1.0
    """Impedance of friction divided by impedance along the normal, [-]."""
    solref: Reference = (0.02, 1.0)
    """Time constant [s] and damping ratio [-] of contacts. If negative: -stiffness [1/s^2] and
    -damping [1/s]."""
    solimp: Impedance = (0.9, 0.95, 1e-3, 0.5, 2.0)
    """Impedance at zero depth and at full depth [-], full depth [m], midpoint and power [-]."""
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
