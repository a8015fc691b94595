"""Pinocchio's two solvers of the nonlinear complementarity problem of contacts with friction."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pinocchio

from footfall.api.errors import SolverError
from footfall.api.plugin import Floats
from footfall_pinocchio_constraints.constraints import Block, constraints


@dataclass(frozen=True, slots=True)
class Answer:
    """What a solver came to.

    Attributes:
        x: shape (rows,).
        iterations: that it took, at least 1.
        content: whether it says that the tolerance is reached.
    """

    x: Floats
    iterations: int
    content: bool


Run = Callable[[Floats, float], Answer]
"""From a guess, shape (rows,), and a tolerance, in the units of x, of b and of their product."""


class Algorithm(ABC):
    """Finds x in the constraints' sets for ``W x + b`` with Coulomb's law (De Saxce's term).

    Nothing of one problem reaches the next: solver and result are made anew.

    Args:
        most: iterations after which the caller gives up.
    """

    def __init__(self, most: int) -> None:
        self._most = most

    @abstractmethod
    def bound(self, W: Floats, b: Floats, blocks: tuple[Block, ...]) -> Run:
        """Return a call that solves, or tries for a number of iterations.

        Args:
            W: shape (rows, rows).
            b: shape (rows,).
            blocks: kinds and sets.
        """


class Admm(Algorithm):
    """Alternating direction method of multipliers, with Anderson's acceleration.

    Carpentier, Le Lidec and Montaut, "From Compliant to Rigid Contact Simulation: a Unified and
    Efficient Approach", RSS 2024. The penalty follows the spectrum of W. Pinocchio leaves the
    acceleration off; with it a box that carries a hundred times its mass takes 70 iterations in
    place of 1200, a standing humanoid's cold start 15 in place of 35.
    """

    ANDERSON = 5
    ITERATIONS = 500

    def bound(self, W: Floats, b: Floats, blocks: tuple[Block, ...]) -> Run:
        """Stop where the solver's own residuals pass the tolerance."""
        settings, result = pinocchio.ADMMSolverSettings(), pinocchio.ADMMSolverResult()
        settings.admm_update_rule = pinocchio.ADMMUpdateRule.SPECTRAL
        settings.anderson_capacity = self.ANDERSON
        settings.max_iterations = min(self.ITERATIONS, self._most)
        return _bound(pinocchio.ADMMConstraintSolver(len(b)), settings, result, W, b, blocks)


class Pgs(Algorithm):
    """Projected Gauss-Seidel over the blocks.

    Its own residuals are those of each block right after its turn, before the others move: left to
    them it may stop after the first sweep at an answer that is off by centimetres a second. So it
    is made to do a number of sweeps, whatever it says.

    It divides by the diagonal of W, which holds a zero where a planar mechanism cannot move: there
    it is given a one. At rest in that direction nothing changes by it; if the ground moves in that
    direction, the answer does not pass the caller's judgement.
    """

    SWEEPS = 10
    NEVER = 0.0

    def bound(self, W: Floats, b: Floats, blocks: tuple[Block, ...]) -> Run:
        """Do some sweeps at each call, never content."""
        settings, result = pinocchio.PGSSolverSettings(), pinocchio.PGSSolverResult()
        settings.max_iterations = min(self.SWEEPS, self._most)
        regular = W + np.diag(np.where(W.diagonal() > 0.0, 0.0, 1.0))
        run = _bound(pinocchio.PGSConstraintSolver(len(b)), settings, result, regular, b, blocks)

        def sweep(guess: Floats, tolerance: float) -> Answer:
            answer = run(guess, self.NEVER)
            return Answer(answer.x, answer.iterations, False)

        return sweep


ALGORITHMS: dict[str, type[Algorithm]] = {"admm": Admm, "pgs": Pgs}


def _bound(
    solver: Any, settings: Any, result: Any, W: Floats, b: Floats, blocks: tuple[Block, ...]
) -> Run:
    """Bind a solver to a problem. It needs the guess each time: it does not go on from a result."""
    models, datas = constraints(blocks)
    delassus = pinocchio.DelassusOperatorDense(W)
    settings.relative_feasibility_tol = settings.relative_complementarity_tol = 0.0

    def run(guess: Floats, tolerance: float) -> Answer:
        settings.absolute_feasibility_tol = settings.absolute_complementarity_tol = tolerance
        result.setConstraintImpulseGuess(guess)
        try:
            content = bool(solver.solve(delassus, b, models, datas, settings, result))
        except (ValueError, RuntimeError) as error:
            raise SolverError(f"Pinocchio cannot solve the contact problem: {error}") from error
        iterations = max(1, min(int(result.iterations), settings.max_iterations))
        return Answer(result.retrieveConstraintImpulses(), iterations, content)

    return run
