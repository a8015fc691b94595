"""Gauss's principle of least constraint with friction pyramids: two contact laws.

Among all contact forces in the friction pyramids, those that bring the accelerations of the
touching points closest to zero in the metric of the inertia: ``min_f 1/2 f'Wf + g'f`` with the
Delassus matrix W and the points' acceleration g without contact forces. Guedelha, Pasandi,
L'Erario, Traversaro, Pucci, "A Flexible MATLAB/Simulink Simulator for Robotic Floating-base
Systems in Contact with the Ground", IRC 2022, equations (4) to (7) and (13). Loops are eliminated
by the host before.

The QP is convex, so it always has an answer; sliding is where it is not Coulomb's law:

* ``gauss`` holds the acceleration of a touching point at zero whatever its velocity: a body that
  slides on a plane meets no friction and glides for ever, and a touching point that is already
  rising is still carried.
* ``gauss_discrete`` brings the velocity after the step to zero. Where the pyramid does not let it,
  the answer has ``u_n = mu (|u_1| + |u_2|)``: a sliding body *hops*, on a normal force of many
  times its weight (41 times for 1 kg at 1 m/s, mu 0.5, 1 ms).
* Both: the pyramid is square, its faces across the tangent axes, and circumscribes the exact cone:
  friction along a diagonal reaches ``sqrt(2) mu``.

A body that does not slide (a standing or stepping robot) is held exactly. For sliding use the law
``coulomb``.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from pydantic import Field

from footfall.plugin import Capability, PluginConfig, StatePart
from footfall.problem.contact_problem import ContactProblem
from footfall.roles.contact import ForceLaw, ImpulseLaw, LawState, Need
from footfall.roles.solver import QPSolver
from footfall_gauss.pyramid_qp import PyramidQP

Floats = npt.NDArray[np.float64]
CAPABILITIES = frozenset(
    {
        Capability.FRICTION,
        Capability.TILTED_TERRAIN,
        Capability.SEVERAL_BODIES,
        Capability.IMPLICIT_GAINS,
    }
)
ANISOTROPY = float(np.sqrt(2.0)) - 1.0
"""Of a square pyramid around the cone."""
MULTIPLIER = StatePart("multiplier", "contact", 5)
FAILURES = StatePart("failures", "global")


class GaussConfig(PluginConfig):
    """Settings of both laws."""

    touch_distance: float = Field(default=1e-9, ge=0.0, le=1e-3)
    """Gap up to which a point touches, [m]. A point at rest is within rounding of the ground, on
    either side of it; with 0, as in the source, it drops out of the problem now and then."""
    max_consecutive_failures: int = Field(default=10, ge=1)
    """Steps in a row with a failed QP at which the run ends. Until then the last valid forces of
    the same contacts are kept, and each failure is counted in the recording."""


def _pyramid_qp(law: str, config: GaussConfig, solver: QPSolver) -> PyramidQP:
    return PyramidQP(law, solver, config.touch_distance, config.max_consecutive_failures)


class Gauss(ForceLaw):
    """Gauss's principle at the acceleration level (the source's continuous mode).

    ``g = J nudot_free + Jdot v`` with ``J nudot_free = (free_velocity - velocity) / dt``. A
    function of the state alone: impacts are left to an impact model, and velocity errors stay.
    """

    name = "gauss"
    Config = GaussConfig
    uses_solver = True
    anisotropy = ANISOTROPY
    slides = False
    needs = frozenset({Need.DELASSUS, Need.JDOT_V})
    capabilities = CAPABILITIES
    state_parts = (StatePart("force", "contact", 3), MULTIPLIER, FAILURES)

    def __init__(self, config: GaussConfig, solver: QPSolver) -> None:
        self.config = config
        self._qp = _pyramid_qp(self.name, config, solver)

    @property
    def margin(self) -> float:
        """Gap up to which a point enters the problem, [m]."""
        return self.config.touch_distance

    def allocate(self, candidates: int, rows: int) -> None:
        """Make workspaces for at most so many contact candidates."""
        self._qp.allocate(candidates)

    def force(self, problem: ContactProblem, state: LawState, rate: LawState, out: Floats) -> None:
        """Overwrite ``out`` with the contact forces, [N]."""
        candidate, dt = problem.candidate, problem.dt
        out.reshape(-1, 3)[:] = state["force"][candidate]
        weights = np.array([1.0 / dt, -1.0 / dt, 1.0])
        residual = self._qp.solve(problem, weights, out, state["multiplier"], state["failures"])
        problem.arrays.report[1] = residual * dt
        state["force"][:] = 0.0
        state["force"][candidate] = out.reshape(-1, 3)


class GaussDiscrete(ImpulseLaw):
    """Gauss's principle for the velocity after one step (the source's discrete mode).

    There ``g = J nudot_free + Jdot v + J v / dt`` for forces f held over the step. With the impulse
    ``r = dt f`` that is, times dt, ``min_r 1/2 r'Wr + (free_velocity + dt Jdot v)'r``: an impulse
    law with the offset ``dt Jdot v``, exactly. In an impact no time passes and the offset is zero.

    Positions may be moved with the old velocity, as the source does.
    """

    name = "gauss_discrete"
    Config = GaussConfig
    uses_solver = True
    residual_bound = None
    anisotropy = ANISOTROPY
    slides = False
    explicit_position = True
    needs = frozenset({Need.DELASSUS, Need.JDOT_V})
    capabilities = CAPABILITIES | {Capability.MOVING_GROUND}
    state_parts = (MULTIPLIER, FAILURES)

    def __init__(self, config: GaussConfig, solver: QPSolver) -> None:
        self.config = config
        self._qp = _pyramid_qp(self.name, config, solver)

    @property
    def margin(self) -> float:
        """Gap up to which a point enters the problem, [m]."""
        return self.config.touch_distance

    def allocate(self, candidates: int, rows: int) -> None:
        """Make workspaces for at most so many contact candidates."""
        self._qp.allocate(candidates)

    def solve(self, problem: ContactProblem, state: LawState) -> None:
        """Overwrite the impulse, [N s], from its warm start, which is the last step's."""
        dt = 0.0 if problem.impulsive else problem.dt
        problem.offset[:] = dt * problem.jdot_v if dt else 0.0
        problem.correction[:] = 0.0
        weights = np.array([1.0, 0.0, dt])
        impulse = problem.impulse
        residual = self._qp.solve(problem, weights, impulse, state["multiplier"], state["failures"])
        problem.arrays.report[1] = residual
