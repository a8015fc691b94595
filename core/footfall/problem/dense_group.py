"""One collision group of a contact problem as dense arrays, its equalities eliminated.

For models that solve small problems now and then (impacts). Equality rows (loops, welds) take the
impulse ``r_h = -A (W_hc r + u_h)``, with A an inverse of their own Delassus matrix ``P = W_hh``, so
that what is left for the contacts is ``u = (W_cc - W_ch A W_hc) r + (u_c - W_ch A u_h)``.

* Without damping ``A = P^+``, the pseudo-inverse by eigenvectors, so that a loop that is closed
  twice is no trouble: the loops' velocity becomes zero, exactly.
* With damping k, ``A = P (P P + k^2 1)^-1`` (Guedelha et al. 2022 with k = 1e-3): defined for any
  P, but some velocity is left, and near a singularity a lot.

Neither adds energy. ``A P A <= A`` for both, and with ``y = W_hc r + u_h`` the kinetic energy
changes by ``r'u_c + r'W_cc r / 2 - y'A y + y'A P A y / 2``, which is at most what the problem that
is left says, ``r'u + r'W r / 2``, less ``u_h'A u_h / 2``.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from footfall.errors import SolverError
from footfall.problem.blocks import BlockKind
from footfall.problem.contact_problem import ContactProblem

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
ROUNDING = 1e-9
"""Asymmetry and negative eigenvalues of a Delassus matrix that count as rounding, relative."""


@dataclass(frozen=True, slots=True)
class Loops:
    """The equality rows of a group.

    Attributes:
        rows: shape (h,), of the problem.
        u: shape (h,), their velocity before, [m/s].
        coupling: shape (h, 3 n), W_hc.
        inverse: shape (h, h), A.
    """

    rows: Ints
    u: Floats
    coupling: Floats
    inverse: Floats


@dataclass(frozen=True, slots=True)
class DenseGroup:
    """The contacts of a group, n of them.

    Attributes:
        rows: shape (3 n,), of the problem.
        W: shape (3 n, 3 n), Delassus matrix without the equalities, symmetric.
        u: shape (3 n,), velocity before, the equalities' impulse without contacts included, [m/s].
        mu: shape (n,).
        restitution: shape (n,).
        loops: the equality rows.
    """

    rows: Ints
    W: Floats
    u: Floats
    mu: Floats
    restitution: Floats
    loops: Loops

    def write(self, problem: ContactProblem, impulse: Floats) -> None:
        """Write the contacts' impulse, shape (3 n,), and that of the equalities to the problem."""
        loops = self.loops
        problem.impulse[self.rows] = impulse
        problem.impulse[loops.rows] = -loops.inverse @ (loops.coupling @ impulse + loops.u)

    def energy(self, impulse: Floats) -> float:
        """Return by how much an impulse, shape (3 n,), changes the kinetic energy, [J].

        Of the contacts alone: with equalities the change is at most this.
        """
        return float(impulse @ (self.u + 0.5 * (self.W @ impulse)))


def dense_groups(
    problem: ContactProblem, *, damping: float = 0.0, relative_cut: float = 1e-12
) -> Iterator[DenseGroup]:
    """Yield the collision groups of a problem; unilateral and box blocks take no part.

    Args:
        problem: an impact, or a step without offsets.
        damping: k of the equalities' damped inverse, in units of W, [1/kg]; 0: pseudo-inverse.
        relative_cut: eigenvalues of P below this part of its largest count as zero, [-].

    Raises:
        SolverError: if the problem is not finite, its Delassus matrix not symmetric or not positive
            semidefinite, or a coefficient out of range.
    """
    for group in problem.groups():
        kind = problem.kind[group]
        taking_part = group[(kind == BlockKind.CONE) | (kind == BlockKind.EQUALITY)]
        for blocks in _coupled(problem, taking_part):
            yield _group(problem, blocks, damping, relative_cut)


def _coupled(problem: ContactProblem, blocks: Ints) -> Iterator[Ints]:
    """Split blocks where their Delassus matrix is zero: one body may carry what moves apart."""
    W = dense_delassus(problem, blocks)
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


def _group(
    problem: ContactProblem, blocks: Ints, damping: float, relative_cut: float
) -> DenseGroup:
    kind = problem.kind[blocks]
    cones, equal = blocks[kind == BlockKind.CONE], blocks[kind == BlockKind.EQUALITY]
    c, h = problem.rows_of(cones), problem.rows_of(equal)
    u, mu, e = problem.free_velocity, problem.mu[cones], problem.restitution[cones]
    W = sound(dense_delassus(problem, np.concatenate([cones, equal])), u[np.concatenate([c, h])])
    _require_coefficients(mu, e)
    n = len(c)
    inverse = damped_inverse(W[n:, n:], damping, relative_cut)
    loops = Loops(h, u[h].copy(), W[n:, :n], inverse)
    reduced = W[:n, :n] - loops.coupling.T @ inverse @ loops.coupling
    free = u[c] - loops.coupling.T @ (inverse @ loops.u)
    return DenseGroup(c, 0.5 * (reduced + reduced.T), free, mu.copy(), e.copy(), loops)


def damped_inverse(P: Floats, damping: float, relative_cut: float = 1e-12) -> Floats:
    """Return ``P (P P + k^2 1)^-1`` of a symmetric P, or its pseudo-inverse if k is 0."""
    if not len(P):
        return np.zeros((0, 0))
    values, vectors = np.linalg.eigh(P)
    kept = values > relative_cut * max(values[-1], 0.0)
    values, vectors = values[kept], vectors[:, kept]
    return np.asarray((vectors * (values / (values**2 + damping**2))) @ vectors.T)


def dense_delassus(problem: ContactProblem, blocks: Ints) -> Floats:
    """Return the Delassus matrix of some blocks, in their order, shape (rows, rows)."""
    arrays, row = problem.arrays, problem.row
    rows = problem.rows_of(blocks)
    place, member = np.zeros(problem.n_rows, np.int64), np.zeros(problem.n_blocks, bool)
    place[rows], member[blocks] = np.arange(len(rows)), True
    W = np.zeros((len(rows), len(rows)))
    for i in blocks:
        pairs = slice(int(arrays.pair_start[i]), int(arrays.pair_start[i + 1]))
        others, data = arrays.pair_block[pairs], arrays.pair_data[pairs]
        height, at = int(row[i + 1] - row[i]), int(place[row[i]])
        for width in np.unique(row[others + 1] - row[others]):
            chosen = member[others] & (row[others + 1] - row[others] == width)
            columns = place[row[others[chosen]]][:, None] + np.arange(width)
            entries = data[chosen][:, None] + np.arange(height * width)
            strip = arrays.W[entries].reshape(-1, height, width).transpose(1, 0, 2)
            W[at : at + height, columns.ravel()] = strip.reshape(height, -1)
    return W


def sound(W: Floats, u: Floats) -> Floats:
    """Return a Delassus matrix with its rounding symmetrised.

    Raises:
        SolverError: if W or the velocities are not finite, or W is not symmetric or not positive
            semidefinite, as that of any mechanical system is.
    """
    if not (np.isfinite(W).all() and np.isfinite(u).all()):
        raise SolverError("the impact problem is not finite")
    size = float(np.abs(W).max(initial=0.0))
    if (np.abs(W - W.T) > ROUNDING * size).any():
        raise SolverError("the Delassus matrix of the impact problem is not symmetric")
    W = 0.5 * (W + W.T)
    if len(W) and np.linalg.eigvalsh(W)[0] < -ROUNDING * size:
        raise SolverError("the Delassus matrix of the impact problem has a negative eigenvalue")
    return W


def _require_coefficients(mu: Floats, e: Floats) -> None:
    """Refuse coefficients that are out of range or not numbers."""
    if not (mu >= 0.0).all() or not np.isfinite(mu).all():
        raise SolverError("the impact problem has a coefficient of friction that is no number >= 0")
    if not ((e >= 0.0) & (e <= 1.0)).all():
        raise SolverError("the impact problem has a coefficient of restitution not within 0 and 1")
