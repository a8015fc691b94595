"""A contact law of somebody else's as one kernel: projected Gauss-Seidel on the exact cone."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple, cast

import numpy as np

from footfall.api.contact import (
    Claims,
    ContactProblem,
    ImpulseLaw,
    LawState,
    ProblemReport,
    ProblemSize,
    problem_from_arrays,
)
from footfall.api.kernels import bind, inner, kernel, opener, table_of
from footfall.api.plugin import Capability, Floats1, PluginConfig, SolverError

TOLERANCE, MOST_SWEEPS = range(2)


class Settings(NamedTuple):
    """``values``: shape (2,), tolerance [m/s] and most sweeps."""

    values: Floats1


settings = opener(Settings, 0)


@inner
def update(problem, i):
    """Update the impulse of contact i; return the change of its velocity, [m/s]."""
    u0, u1, un, own = 0.0, 0.0, 0.0, 0
    for p in range(problem.pair_start[i], problem.pair_start[i + 1]):
        j, at = 3 * problem.pair_block[p], problem.pair_data[p]
        if problem.pair_block[p] == i:
            own = at
        for k in range(3):
            r = problem.impulse[j + k]
            u0 += problem.W[at + k] * r
            u1 += problem.W[at + 3 + k] * r
            un += problem.W[at + 6 + k] * r
    row = 3 * i
    u0 += problem.free_velocity[row] + problem.offset[row]
    u1 += problem.free_velocity[row + 1] + problem.offset[row + 1]
    un += problem.free_velocity[row + 2] + problem.offset[row + 2]
    gives, wn = max(problem.W[own], problem.W[own + 4]), problem.W[own + 8]
    # What a loop holds by itself does not give way: no impulse changes it, none is needed.
    n, s, t = problem.impulse[row + 2], problem.impulse[row], problem.impulse[row + 1]
    if wn > 0.0:
        n = max(n - un / wn, 0.0)
    if gives > 0.0:
        s, t = s - u0 / gives, t - u1 / gives
    size, bound = math.sqrt(s * s + t * t), problem.mu[i] * n
    if size > bound:
        s, t = s * bound / size, t * bound / size
    moved = max(abs(s - problem.impulse[row]), abs(t - problem.impulse[row + 1])) * gives
    moved = max(moved, abs(n - problem.impulse[row + 2]) * wn)
    problem.impulse[row], problem.impulse[row + 1], problem.impulse[row + 2] = s, t, n
    return moved


@kernel
def solve(table, space):
    """Overwrite impulse, offset, correction and report; return whether a number is none."""
    problem, values = problem_from_arrays(table), settings(space).values
    blocks, change, sweeps, sound = problem.size[ProblemSize.BLOCKS], 0.0, 0.0, 0.0
    for i in range(blocks):
        sound += 0.0 * problem.mu[i]
        for k in range(3):
            problem.offset[3 * i + k] = problem.correction[3 * i + k] = 0.0
        if problem.size[ProblemSize.IMPULSIVE] == 0:
            problem.offset[3 * i + 2] = max(problem.gap[i], 0.0) / problem.dt[0]
    if blocks > 0:
        change = 2.0 * values[TOLERANCE]
    while change > values[TOLERANCE] and sweeps < values[MOST_SWEEPS]:
        change = 0.0
        for i in range(blocks):
            change = max(change, update(problem, i))
        sweeps += 1.0
    problem.report[ProblemReport.ITERATIONS], problem.report[ProblemReport.RESIDUAL] = (
        sweeps,
        change,
    )
    problem.report[ProblemReport.FAILED] = problem.report[ProblemReport.CORRECTS] = 0.0
    for k in range(3 * blocks):
        sound += 0.0 * (problem.impulse[k] + problem.free_velocity[k])
    for k in range(problem.pair_start[blocks] * 9):
        sound += 0.0 * problem.W[k]
    return sound != 0.0


class KernelLaw(ImpulseLaw):
    """One kernel, bound to the arrays of the problem."""

    name = "kernel_law"
    margin = 1e-3
    claims = Claims(residual=None)
    capabilities = frozenset(
        {Capability.FRICTION, Capability.TILTED_TERRAIN, Capability.SEVERAL_BODIES}
    )

    def __init__(self, config: PluginConfig) -> None:
        self._settings = table_of(Settings(np.array([1e-9, 1000.0])))

    def bound(self, problem: ContactProblem, state: LawState) -> Callable[[], object]:
        """Bind the kernel to arrays that never move."""
        return cast("Callable[[], object]", bind(solve, problem.table, self._settings))

    def solve(self, problem: ContactProblem, state: LawState) -> None:
        """Do the same for any problem."""
        if self.bound(problem, state)():
            self.go_on()

    def go_on(self) -> None:
        """Say what the kernel has found.

        Raises:
            SolverError: if the problem is not finite.
        """
        raise SolverError(f"{self.name}: the contact problem is not finite")
