"""Pinocchio's two solvers of the nonlinear complementarity problem of contacts with friction."""

from __future__ import annotations

import resource
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pinocchio

from footfall.api.plugin import Floats, SolverError
from footfall_pinocchio_constraints.constraints import Block, constraints


@dataclass(frozen=True, slots=True)
class Answer:
    """Result of a solver.

    Attributes:
        x: shape (rows,).
        iterations: number of iterations, at least 1.
        content: whether the solver reports that the tolerance is reached.
    """

    x: Floats
    iterations: int
    content: bool


Run = Callable[[Floats, float], Answer]
"""Function of a guess, shape (rows,), and a tolerance, in units of x, of b and of their product."""


class Algorithm(ABC):
    """Solver of x in the constraints' sets for ``W x + b`` with Coulomb's law (De Saxce's term).

    Each problem gets a new solver and a new result, so nothing carries over to the next.

    Args:
        most: most iterations of the caller.
    """

    def __init__(self, most: int) -> None:
        self._most = most

    @abstractmethod
    def bound(self, W: Floats, b: Floats, blocks: tuple[Block, ...]) -> Run:
        """Return a function that does up to a number of iterations.

        Args:
            W: shape (rows, rows).
            b: shape (rows,).
            blocks: kinds and sets.
        """


class Admm(Algorithm):
    """Alternating direction method of multipliers, with Anderson's acceleration.

    Carpentier, Le Lidec and Montaut, "From Compliant to Rigid Contact Simulation: a Unified and
    Efficient Approach", RSS 2024. The penalty follows the spectrum of W. Pinocchio's default is no
    acceleration; with it a box that carries a hundred times its mass takes 70 iterations instead of
    1200, a standing humanoid's cold start 15 instead of 35.
    """

    ANDERSON = 5
    ITERATIONS = 500

    def bound(self, W: Floats, b: Floats, blocks: tuple[Block, ...]) -> Run:
        """Return a run that stops when the solver's own residuals reach the tolerance."""
        settings, result = pinocchio.ADMMSolverSettings(), pinocchio.ADMMSolverResult()
        settings.admm_update_rule = pinocchio.ADMMUpdateRule.SPECTRAL
        settings.anderson_capacity = self.ANDERSON
        settings.max_iterations = min(self.ITERATIONS, self._most)
        return _bound(pinocchio.ADMMConstraintSolver(len(b)), settings, result, W, b, blocks)


class Pgs(Algorithm):
    """Projected Gauss-Seidel over the blocks.

    The solver takes the residual of each block right after solving it, before the others change:
    it may stop after the first sweep with an error of centimetres per second. So a run always does
    a fixed number of sweeps.

    The solver divides by the diagonal of W, which is zero in directions in which a planar mechanism
    cannot move: there the diagonal is set to one. If the ground is at rest in such a direction,
    the answer does not change; if the ground moves, the caller's residual rejects the answer.
    """

    SWEEPS = 10
    NEVER = 0.0
    RESERVE = 2**20
    """Stack left to all else, [bytes]: Pinocchio copies W onto the stack, and crashes beyond it."""

    def bound(self, W: Floats, b: Floats, blocks: tuple[Block, ...]) -> Run:
        """Return a run that does a fixed number of sweeps and is never content.

        Raises:
            SolverError: if W does not fit onto the stack.
        """
        stack = resource.getrlimit(resource.RLIMIT_STACK)[0]
        if stack != resource.RLIM_INFINITY and W.nbytes + self.RESERVE > stack:
            needed = f"{(W.nbytes + self.RESERVE) // 1024} kB of stack for {len(b)} rows"
            raise SolverError(f"Pinocchio's PGS needs {needed}: ulimit -s unlimited, or use admm")
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
    """Bind a solver to a problem; each call needs a guess, since the solver keeps no result."""
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
