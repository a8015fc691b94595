"""Evaluations along a path from soft contacts to the problem's own."""

from __future__ import annotations

from typing import NamedTuple

from footfall.api.advanced import largest_diagonal
from footfall.api.contact import ProblemSize, problem_from_arrays
from footfall.api.kernels import inner, kernel, opener
from footfall.api.plugin import Floats1, Floats2
from footfall_coulomb.kernels.newton.dense import write_dense
from footfall_coulomb.kernels.offset import harden, soften, write_offsets
from footfall_coulomb.workspace import workspace


class Path(NamedTuple):
    """A point of the path; n is the number of rows of the problem.

    Attributes:
        D: shape (n, n), the Delassus matrix plus ``softness diag(weight)``.
        J: shape (n, n), derivative of F.
        F: shape (n,), function of Alart and Curnier, [N s].
        u: shape (n,), velocity, [m/s].
        r: shape (n,), impulse at which F is evaluated, [N s].
        anchor: shape (n,), impulse at which the added diagonal has no effect, [N s].
        q: shape (n,), free velocity with offset, [m/s].
        diagonal: shape (n,), diagonal of the Delassus matrix.
        weight: shape (n,), largest diagonal entry of the row's block, [1/kg].
    """

    D: Floats2
    J: Floats2
    F: Floats1
    u: Floats1
    r: Floats1
    anchor: Floats1
    q: Floats1
    diagonal: Floats1
    weight: Floats1


path = opener(Path, 0)


@kernel
def begin(table, space, work_space):
    """Write the constants of the path, and add the contacts' own compliance to the matrix."""
    problem, at, work = problem_from_arrays(table), path(space), workspace(work_space)
    write_offsets(problem, work)
    soften(problem, work)
    write_dense(problem, at.D)
    for i in range(problem.size[ProblemSize.BLOCKS]):
        for a in range(problem.row[i], problem.row[i + 1]):
            at.diagonal[a] = at.D[a, a]
            at.weight[a] = largest_diagonal(problem, i)
            at.q[a] = problem.free_velocity[a] + problem.offset[a]


@kernel
def end(table, work_space):
    """Remove the compliance from the problem's matrix, and book it in the offset."""
    harden(problem_from_arrays(table), workspace(work_space))


@inner
def soft_velocity(problem, at, softness):
    """Write ``W + softness diag(weight)`` to D, and u at r with it."""
    n = problem.size[ProblemSize.ROWS]
    for a in range(n):
        at.D[a, a] = at.diagonal[a] + softness * at.weight[a]
        s = at.q[a] - softness * at.weight[a] * at.anchor[a]
        for b in range(n):
            s += at.D[a, b] * at.r[b]
        at.u[a] = s


@inner
def merit(problem, at):
    """Return ``sum weight F^2``."""
    total = 0.0
    for a in range(problem.size[ProblemSize.ROWS]):
        total += at.weight[a] * at.F[a] * at.F[a]
    return total
