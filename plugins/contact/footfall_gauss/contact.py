"""Gauss's principle of least constraint with friction pyramids: two contact laws.

The laws choose the contact forces in the friction pyramids that bring the accelerations of the
touching points closest to zero in the metric of the inertia: ``min_f 1/2 f'Wf + g'f`` with the
Delassus matrix W and the points' acceleration g without contact forces. Closed loops (equality
rows) are eliminated first; their multipliers are returned. Guedelha, Pasandi, L'Erario,
Traversaro, Pucci, "A Flexible MATLAB/Simulink Simulator for Robotic Floating-base Systems in
Contact with the Ground: Theoretical Background and Implementation Details", International Journal
of Semantic Computing, 2024: equation (5) at the acceleration level, (13c) and (18) at the velocity
level with loops.

The QP is convex, so it always has an answer; ``gauss`` and ``gauss_discrete`` take that of least
norm (``footfall.problem.canonical``), whichever the solver finds. For sliding it differs from
Coulomb's law:

* ``gauss`` holds the acceleration of a touching point at zero for any velocity: a body that slides
  on a plane has no friction and never stops, and a touching point that already rises is still
  supported.
* ``gauss_discrete`` brings the velocity after the step to zero. If the pyramid does not allow this,
  the answer has ``u_n = mu (|u_1| + |u_2|)``: a sliding body *hops*, with a normal force of many
  times its weight (41 times for 1 kg at 1 m/s, mu 0.5, 1 ms).
* Both: the pyramid circumscribes the exact cone; friction towards an edge reaches
  ``mu / cos(pi / sides)``, ``sqrt(2) mu`` along the diagonals of the source's square.

A body that does not slide (a standing or stepping robot) is held exactly. For sliding use the law
``coulomb``.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from footfall.api.advanced import ContactModel
from footfall.api.contact import (
    BlockKind,
    Claims,
    ContactProblem,
    ForceLaw,
    ImpulseLaw,
    LawState,
    Need,
)
from footfall.api.plugin import Capability, Floats, StatePart
from footfall.api.solver import QPSolver
from footfall_gauss import kernels
from footfall_gauss.fixed_point import FixedPoint
from footfall_gauss.group_qp import Once, Settle
from footfall_gauss.pyramid import excess
from footfall_gauss.pyramid_qp import PyramidQP
from footfall_gauss.settings import GaussConfig, GaussDeSaxceConfig, PyramidConfig

__all__ = ["Gauss", "GaussConfig", "GaussDeSaxce", "GaussDeSaxceConfig", "GaussDiscrete"]

CAPABILITIES = frozenset(
    {
        Capability.FRICTION,
        Capability.TILTED_TERRAIN,
        Capability.SEVERAL_BODIES,
        Capability.CLOSED_CHAINS,
        Capability.IMPLICIT_GAINS,
    }
)
FORCE = StatePart("force", "contact", 3)
FAILURES = StatePart("failures", "global", low=0.0, whole=True)
SHIFT = StatePart("shift", "contact")
AHEAD = 1.5
"""Steps of look-ahead: points that would reach the ground within them take part, as in the core."""


def multiplier(sides: int) -> StatePart:
    """Return the state part that holds the multipliers of a pyramid's rows."""
    return StatePart("multiplier", "contact", sides)


class PyramidLaw(ContactModel):
    """The common part of the laws: a QP over the friction pyramids of each group of contacts."""

    uses_solver = True
    blocks = frozenset({BlockKind.CONE, BlockKind.EQUALITY})
    array_keys = frozenset({"loops", "loop_damping"})

    def __init__(
        self, config: PyramidConfig, solver: QPSolver, settle: Settle, reach: tuple[float, float]
    ) -> None:
        self.config, (self._margin, _) = config, reach
        self.claims = replace(self.claims, anisotropy=excess(config.sides))
        self._qp = PyramidQP(self.name, solver.name, settle, config, reach)
        self._weights = np.zeros(4)

    @property
    def margin(self) -> float:
        """Gap up to which a point enters the problem, [m]."""
        return self._margin

    def allocate(self, candidates: int, rows: int) -> None:
        """Allocate work space for a number of contact candidates."""
        self._qp.allocate(candidates)


class Gauss(PyramidLaw, ForceLaw):
    """Gauss's principle at the acceleration level.

    The forces f minimise ``1/2 f'W f + g'f`` within the friction pyramids. g is the acceleration of
    the points without contact forces. An impact model resolves impacts. The law does not correct
    velocity errors.
    """

    name = "gauss"
    Config = GaussConfig
    claims = Claims(
        slides=False,
        misses={
            "creep": "a point that rounding lifts beyond touch_distance drops out; the impact that "
            "brings it back moves the body by some 1e-5 m",
        },
    )
    needs = frozenset({Need.DELASSUS, Need.JDOT_V})
    capabilities = CAPABILITIES

    def __init__(self, config: GaussConfig, solver: QPSolver) -> None:
        super().__init__(config, solver, Once(solver), (config.touch_distance, 0.0))
        self.state_parts = (FORCE, multiplier(config.sides), FAILURES)

    def force(self, problem: ContactProblem, state: LawState, rate: LawState, out: Floats) -> None:
        """Overwrite ``out`` with the contact forces, [N]."""
        dt, weights = problem.dt, self._weights
        kernels.recall(problem.table, state["force"], out)
        weights[0], weights[1], weights[2] = 1.0 / dt, -1.0 / dt, 1.0
        residual = self._qp.solve(problem, weights, out, state)
        problem.report.residual = residual * dt
        kernels.remember(problem.table, out, state["force"])


class GaussDiscrete(PyramidLaw, ImpulseLaw):
    """Gauss's principle for the velocity after one step.

    The impulses r minimise ``1/2 r'W r + (u_free + dt Jdot v)'r`` within the friction pyramids,
    with the time derivative Jdot of J and the velocity v of the joints and bases.
    """

    name = "gauss_discrete"
    Config = GaussConfig
    claims = Claims(slides=False)
    explicit_position = True
    needs = frozenset({Need.DELASSUS, Need.JDOT_V})
    capabilities = CAPABILITIES | {Capability.MOVING_GROUND}

    def __init__(self, config: GaussConfig, solver: QPSolver) -> None:
        super().__init__(config, solver, Once(solver), (config.touch_distance, 0.0))
        self.state_parts = (multiplier(config.sides), FAILURES)

    def solve(self, problem: ContactProblem, state: LawState) -> None:
        """Overwrite the impulse, [N s], from its warm start, which is the last step's."""
        dt = 0.0 if problem.impulsive else problem.dt
        problem.offset[:] = dt * problem.jdot_v if dt else 0.0
        problem.correction[:] = 0.0
        self._weights[0], self._weights[2] = 1.0, dt
        problem.report.residual = self._qp.solve(problem, self._weights, problem.impulse, state)


class GaussDeSaxce(PyramidLaw, ImpulseLaw):
    """The law ``gauss_discrete`` with De Saxce's shift of velocities: sliding bodies do not rise.

    At the end of the step the law satisfies Signorini's condition, and Coulomb's law with a
    friction pyramid instead of the cone. Each step solves a sequence of convex QPs.

    Limit: penetration is not corrected.
    """

    name = "gauss_de_saxce"
    Config = GaussDeSaxceConfig
    claims = Claims()
    capabilities = CAPABILITIES | {Capability.MOVING_GROUND, Capability.RESTITUTION}

    def __init__(self, config: GaussDeSaxceConfig, solver: QPSolver) -> None:
        settle = FixedPoint(solver, config.sides, config.tolerance, config.max_iterations)
        super().__init__(config, solver, settle, (config.margin, AHEAD))
        self.state_parts = (multiplier(config.sides), SHIFT, FAILURES)
        self._weights[:] = 1.0, 0.0, 0.0, 1.0

    def solve(self, problem: ContactProblem, state: LawState) -> None:
        """Overwrite the impulse, [N s], from its warm start, which is the last step's."""
        kernels.write_offsets(problem.table)
        residual = self._qp.solve(problem, self._weights, problem.impulse, state)
        problem.report.residual = residual
