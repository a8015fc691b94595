"""Collision groups as dense problems of their own, without equalities.

They are for models that solve small problems now and then. ``Elimination`` takes out loops and
welds.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from footfall.api.advanced import Elimination
from footfall.api.contact import BlockKind, ContactProblem
from footfall.api.plugin import Floats, Ints, SolverError


@dataclass(frozen=True, slots=True)
class DenseGroup:
    """The contacts of a group, n of them.

    Attributes:
        rows: shape (3 n,), of the problem.
        W: shape (3 n, 3 n), Delassus matrix without the equalities, symmetric.
        u: shape (3 n,), velocity before, including the equalities' impulse without contacts, [m/s].
        mu: shape (n,).
        restitution: shape (n,).
        loop_rows: shape (h,), the equality rows, of the problem.
        loops: the equalities' impulse as a function of the contacts' impulse.
    """

    rows: Ints
    W: Floats
    u: Floats
    mu: Floats
    restitution: Floats
    loop_rows: Ints
    loops: Elimination

    def write(self, problem: ContactProblem, impulse: Floats) -> None:
        """Write the contacts' impulse, shape (3 n,), and the equalities' impulse to the problem."""
        problem.impulse[self.rows] = impulse
        problem.impulse[self.loop_rows] = self.loops.impulses(impulse)

    def energy(self, impulse: Floats) -> float:
        """Return the change of kinetic energy by an impulse, shape (3 n,), [J].

        For the contacts alone; with equalities the change is at most this.
        """
        return float(impulse @ (self.u + 0.5 * (self.W @ impulse)))

    @classmethod
    def of(cls, problem: ContactProblem, *, damping: float = 0.0) -> Iterator[DenseGroup]:
        """Yield the collision groups of a problem; unilateral and box blocks are left out.

        Args:
            problem: an impact, or a step without offsets.
            damping: k of the equalities' damped inverse, in units of W, [1/kg]; 0: rank-safe.

        Raises:
            SolverError: if the problem is not finite, its Delassus matrix not symmetric or not
                positive semidefinite, or a coefficient out of range.
        """
        for group in problem.groups():
            kind = problem.kind[group]
            taking_part = group[(kind == BlockKind.CONE) | (kind == BlockKind.EQUALITY)]
            for blocks in _coupled(problem, taking_part):
                yield _group(problem, blocks, damping)


def _coupled(problem: ContactProblem, blocks: Ints) -> Iterator[Ints]:
    """Split blocks where their Delassus matrix is zero: one body may carry independent parts."""
    W = problem.delassus(blocks)
    owner = np.repeat(np.arange(len(blocks)), np.diff(problem.row)[blocks])
    linked = np.eye(len(blocks), dtype=bool)
    rows, columns = np.nonzero(W)
    linked[owner[rows], owner[columns]] = True
    label, old = np.arange(len(blocks)), None
    while old is None or (label != old).any():
        old = label
        label = np.where(linked | linked.T, label, len(blocks)).min(axis=1, initial=len(blocks))
    for name in np.unique(label):
        yield blocks[label == name]


def _group(problem: ContactProblem, blocks: Ints, damping: float) -> DenseGroup:
    kind = problem.kind[blocks]
    cones, equal = blocks[kind == BlockKind.CONE], blocks[kind == BlockKind.EQUALITY]
    c, h = problem.rows_of(cones), problem.rows_of(equal)
    u, mu, e = problem.free_velocity, problem.mu[cones], problem.restitution[cones]
    u = u[np.concatenate([c, h])]
    if not np.isfinite(u).all():
        raise SolverError("the impact problem is not finite")
    W = problem.sound_delassus(np.concatenate([cones, equal]), "the impact problem")
    _require_coefficients(mu, e)
    loops = Elimination.of(W, u, len(c), damping=damping)
    left, free = loops.reduce(W, u)
    return DenseGroup(c, left, free, mu.copy(), e.copy(), h, loops)


def _require_coefficients(mu: Floats, e: Floats) -> None:
    """Reject coefficients that are not numbers or out of range."""
    if not (mu >= 0.0).all() or not np.isfinite(mu).all():
        raise SolverError(
            "the impact problem has a friction coefficient that is not finite and >= 0"
        )
    if not ((e >= 0.0) & (e <= 1.0)).all():
        raise SolverError("the impact problem has a coefficient of restitution not between 0 and 1")
