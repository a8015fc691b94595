"""One collision group for Pinocchio's solvers: dense, and scaled block by block."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from footfall.api.contact import ContactProblem
from footfall.api.plugin import Floats, Ints
from footfall_pinocchio_constraints import kernels
from footfall_pinocchio_constraints.constraints import Block


@dataclass(frozen=True, slots=True)
class ScaledGroup:
    """Blocks in the unknowns ``x = r / s``, ``s W s x + s b``, with s equal within a block.

    s is the power of two that brings the largest diagonal entry of the block nearest to 1. Powers
    of two cause no rounding, and lead to few different bounds of boxes, so that kept constraints
    can be reused. The friction cone is the same for scaled impulses.

    Attributes:
        rows: shape (m,), rows in the problem.
        W: shape (m, m), scaled.
        scale: shape (m,), s.
        judged: unscaled arguments of ``kernels.natural_map``: W, row, kind, mu, lower, upper.
        constraints: the blocks as constraints.
        unit: largest factor between a residual of x and one in m/s.
    """

    rows: Ints
    W: Floats
    scale: Floats
    judged: tuple[Floats, Ints, Ints, Floats, Floats, Floats]
    constraints: tuple[Block, ...]
    unit: float

    @classmethod
    def of(cls, problem: ContactProblem, law: str) -> Iterator[ScaledGroup]:
        """Yield the collision groups, without blocks that nothing can move (their W is 0).

        Raises:
            SolverError: if W cannot be a Delassus matrix; names the law.
        """
        for blocks in problem.groups():
            W = problem.sound_delassus(blocks, law)
            row = _first_rows(problem, blocks)
            top = np.maximum.reduceat(W.diagonal(), row[:-1])
            if top.min() > 0.0:
                yield cls._write(problem, blocks, W, row, top)
            elif top.max() > 0.0:
                moved = blocks[top > 0.0]
                row = _first_rows(problem, moved)
                yield cls._write(problem, moved, problem.delassus(moved), row, top[top > 0.0])

    @classmethod
    def _write(
        cls, problem: ContactProblem, blocks: Ints, W: Floats, row: Ints, top: Floats
    ) -> ScaledGroup:
        """Return the scaled group; ``top`` is the largest diagonal entry of each block."""
        kind, mu = problem.kind[blocks], problem.mu[blocks]
        lower, upper = problem.arrays.lower[blocks], problem.arrays.upper[blocks]
        s = np.exp2(-np.round(0.5 * np.log2(top)))
        scale = np.repeat(s, row[1:] - row[:-1])
        return cls(
            problem.rows_of(blocks),
            W * scale * scale[:, None],
            scale,
            (W, row, kind, mu, lower, upper),
            tuple(zip(*(x.tolist() for x in (kind, mu, lower / s, upper / s)), strict=True)),
            float((1.0 / s).max()),
        )

    def natural_map(self, b: Floats, r: Floats) -> float:
        """Return the natural map of impulses r at the velocity ``W r + b``, [m/s]."""
        return float(kernels.natural_map(*self.judged, b, r))

    def holding(self, free: Floats) -> Floats:
        """Return the smallest x that brings every row to rest by least squares, shape (m,)."""
        return np.asarray(np.linalg.lstsq(self.W, -self.scale * free, rcond=None)[0])


def _first_rows(problem: ContactProblem, blocks: Ints) -> Ints:
    """Return the first row of each block within the group, and the number of rows."""
    row = np.zeros(len(blocks) + 1, np.int64)
    np.cumsum(problem.row[blocks + 1] - problem.row[blocks], out=row[1:])
    return row
