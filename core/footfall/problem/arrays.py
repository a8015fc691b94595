"""The packed arrays of a contact problem: typed blocks, the factor of the Delassus matrix."""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple

import numpy as np

from footfall.jit.stages import Addresses
from footfall.jit.tables import allocated, opener
from footfall.typing import Floats1, Floats2, Floats3, Ints1, Ints2


class BlockKind(IntEnum):
    """The condition on a block's impulse ``r`` and target velocity ``u``.

    ``CONE`` and later kinds have three rows.
    """

    EQUALITY = 0
    """Any rows, ``u = 0``: loops and welds. Footfall eliminates them before a law sees the problem,
    unless the law asks for them."""
    UNILATERAL = 1
    """1 row, ``0 <= r  perp  u >= 0``: joint limits."""
    BOX = 2
    """1 row, ``u = 0`` if ``lower < r < upper``, ``u >= 0`` at the lower and ``u <= 0`` at the
    upper bound: joint friction (bounds are impulses, [N s] or [N m s])."""
    CONE = 3
    """3 rows (tangent, tangent, normal): Signorini's condition and Coulomb's law with the exact
    cone ``|r_t| <= mu r_n``."""
    MOMENT = 4
    """3 rows (rolling about both tangents, spin about the normal): friction moments of the cone
    given by ``moments``. A row is an angular velocity times a length over mu, [m/s], so both blocks
    form one cone of 6 rows, ``|(r_t, r_m)| <= mu r_n``, with one slip ``(u_t, u_m)``. A length of 0
    gives a row of zeros."""


class ProblemSize(IntEnum):
    """Places in a problem's ``size``."""

    BLOCKS = 0
    """Number of blocks."""
    ROWS = 1
    """Number of rows."""
    PAIRS = 2
    """Number of pairs of blocks."""
    IMPULSIVE = 3
    """1 for an impact (no time passes), else 0."""


class ProblemReport(IntEnum):
    """Places in a problem's ``report``."""

    ITERATIONS = 0
    """Iterations that the answer took."""
    RESIDUAL = 1
    """Residual of the law's own equations, [m/s]."""
    FAILED = 2
    """1 if the answer is not a solution, else 0."""
    CORRECTS = 3
    """1 if ``correction`` is not zero; for an impact: if its restitution was cut."""


class Residual(IntEnum):
    """Places of the residuals of an answer, the largest over all blocks."""

    NATURAL_MAP = 0
    """Natural map of the block's condition, [m/s]."""
    SIGNORINI = 1
    """``|r_n u_n|``, [J]."""
    DISSIPATION = 2
    """Maximum dissipation: ``|(mu r_n - |r_t|) |u_t||``, [J]."""
    COMPLEMENTARITY = 3
    """Conic complementarity: ``|r . (u + mu |u_t| n)|``, [J]."""
    OUTSIDE_CONE = 4
    """Distance of the impulse to the cone, [N s]."""


RESIDUALS = len(Residual)
"""Number of residuals of an answer."""


class ProblemArrays(NamedTuple):
    """Preallocated arrays of a contact problem, for kernels; ``size`` holds the counts.

    Attributes:
        size: shape (4,), indexed by ``ProblemSize``.
        dt: shape (1,), length of the step, [s]; for an impulsive problem, of the whole step.
        kind: shape (blocks,), a ``BlockKind``.
        row: shape (blocks + 1,), first row of each block.
        candidate: shape (blocks,), index of the contact candidate (row of per-contact state), -1
            for blocks that are not contacts.
        mu: shape (blocks,), friction coefficient of the pair.
        restitution: shape (blocks,), coefficient of restitution of the pair.
        gap: shape (blocks,), signed distance, [m].
        lower: shape (blocks,), lower bound of a box's impulse.
        upper: shape (blocks,), upper bound of a box's impulse.
        frame: shape (blocks, 3, 3), rows are the world directions of tangent, tangent, normal, the
            tangents times factors up to 1 if friction depends on the direction; for
            ``MOMENT`` blocks, times their lengths over mu, [m].
        position: shape (blocks, 3), contact point, world, [m].
        pair_start: shape (blocks + 1,), first pair of each block: its row of the Delassus matrix.
        pair_block: shape (pairs,), the other block of the pair (itself included).
        pair_data: shape (pairs,), start of the pair's rows x rows sub-matrix in ``W``.
        W: flat storage of the sub-matrices of the Delassus matrix J M^-1 J', row-major.
        pending: shape (1,), 1 if W has only its diagonal blocks yet, else 0; see
            ``footfall.problem.blocks.complete_matrix``.
        in_product: shape (1,), 1 if the factor's ``product`` has all of W meanwhile, else 0.
        rest: shape (2,), addresses of the function that writes all of W, and of its frame.
        velocity: shape (rows,), J v at the start of the step, [m/s].
        free_velocity: shape (rows,), J v+ without constraint impulses, [m/s].
        jdot_v: shape (rows,), classical acceleration Jdot v, [m/s^2]; only if the law needs it.
        impulse: shape (rows,), in: warm start; out: the law's impulse, [N s].
        offset: shape (rows,), out: added by the law to J v+ to get the velocity ``u`` that it
            targets (gap over dt, restitution), [m/s].
        correction: shape (rows,), out: split impulse that moves positions only, [N s].
        report: shape (4,), out, indexed by ``ProblemReport``.
        deepest: shape (1,), largest depth that contact gaps report, [m]; deeper points are pushed
            out no faster than from this depth.
        metre: shape (1,), length of a metre in the scene's units.
        moments: shape (blocks,), for a cone the index of its moments' block, and the reverse; -1 if
            none. Empty if no contact has torsional or rolling friction.
    """

    size: Ints1
    dt: Floats1
    kind: Ints1
    row: Ints1
    candidate: Ints1
    mu: Floats1
    restitution: Floats1
    gap: Floats1
    lower: Floats1
    upper: Floats1
    frame: Floats3
    position: Floats2
    pair_start: Ints1
    pair_block: Ints1
    pair_data: Ints1
    W: Floats1
    pending: Ints1
    in_product: Ints1
    rest: Ints1
    velocity: Floats1
    free_velocity: Floats1
    jdot_v: Floats1
    impulse: Floats1
    offset: Floats1
    correction: Floats1
    report: Floats1
    deepest: Floats1
    metre: Floats1
    moments: Ints1


def allocate(
    blocks: int, rows: int, pairs: int, entries: int, *, moments: bool = False
) -> ProblemArrays:
    """Allocate arrays for at most this many blocks, rows, pairs and Delassus entries."""
    rowwise = ("velocity", "free_velocity", "jdot_v", "impulse", "offset", "correction")
    return allocated(
        ProblemArrays,
        blocks,
        **dict.fromkeys(rowwise, rows),
        size=4,
        dt=1,
        row=blocks + 1,
        candidate=np.full(blocks, -1, np.int64),
        pair_start=blocks + 1,
        pair_block=pairs,
        pair_data=pairs,
        W=entries,
        pending=1,
        in_product=1,
        rest=np.zeros(2, np.int64).view(Addresses),
        report=4,
        deepest=np.full(1, np.inf),
        metre=np.ones(1),
        moments=np.full(blocks if moments else 0, -1, np.int64),
    )


problem_from_arrays = opener(ProblemArrays, 0)
"""Opens a problem from its table (``ContactProblem.table``)."""


class Factor(NamedTuple):
    """A factor of the Delassus matrix, ``W = Z Z'``, with one column per velocity of the bodies.

    W may have far more rows than Z has columns. Every block pushes one or two links. For each link
    it has a piece of Z: three rows (a block of one row uses the first) over the velocities in the
    link's *span*. Pieces of the first link count negatively. Without a factor all arrays are empty.

    Attributes:
        link: shape (blocks, 2), the links that a block pushes; -1 for none.
        start: shape (blocks, 2), start of the piece in ``Z``.
        Z: flat, four numbers per velocity: the block's rows of ``J L^-1 D^-1/2``, [kg^-1/2], padded
            with zeros.
        span_start: shape (links + 1,), start of a link's span in ``span``.
        span: velocities within the link's tree, ascending.
        link_tree: shape (links,), tree of a link.
        tree_v: shape (trees + 1,), first velocity of each tree.
        product: flat, the upper triangle of a square matrix: ``Z Z'`` if ``in_product`` says so.
    """

    link: Ints2
    start: Ints2
    Z: Floats1
    span_start: Ints1
    span: Ints1
    link_tree: Ints1
    tree_v: Ints1
    product: Floats1
