"""Work space of the law's kernels, opened from a table like a world's arrays."""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum
from typing import Any, NamedTuple

import numpy as np

from footfall.api.advanced import Factor
from footfall.api.advanced import allocate as allocate_problem
from footfall.api.contact import ContactProblem
from footfall.api.kernels import opener
from footfall.api.plugin import Floats1, Floats2, Ints1, Ints2

NEWTON_ROWS = 240
"""Rows up to which the whole matrix of a problem is stored."""
GROUP_ROWS, GROUP_BLOCKS, GROUP_PAIRS = 4000, 1500, 15_000
"""Rows, blocks and pairs of blocks up to which a collision group is copied into a separate problem
and gets Newton steps."""

WIDEST, LINKED = 360, 60
"""Room in a large system, on average: entries per row, and linked bodies per body."""
FEW_ROWS = 36
"""Systems of up to this number of rows are solved in rows, see ``few_rows``."""


class Setting(IntEnum):
    """Places in ``Workspace.settings``."""

    TOLERANCE = 0
    """Natural-map residual at which the sweeps stop, [m/s]."""
    RELAXATION = 1
    """Over-relaxation of the sweeps, [-]."""
    POSITION_GAIN = 2
    """Part of the penetration beyond the slop that is removed in a step, [-]."""
    POSITION_SLOP = 3
    """Penetration that is not corrected, [m]."""
    LARGEST_COMPLIANCE = 4
    """Largest compliance of all contacts, [m/N]; 0: all are rigid."""
    DAMPING_TIME = 5
    """Relaxation time of compliant contacts, [s]."""


class SweepCount(IntEnum):
    """Places in ``Workspace.sweeps``."""

    DONE = 0
    """Sweeps before a call."""
    STOP = 1
    """Sweeps at the end of the call."""
    MOST = 2
    """Sweeps at the end of the last call."""


class Attempt(IntEnum):
    """Places in ``Workspace.attempt``: an attempt to accelerate the sweeps."""

    RESIDUAL = 0
    """Natural map reached, [m/s]."""
    TOLERANCE = 1
    """Natural map required, [m/s]."""
    FOUND = 2
    """1 if Newton's method found the answer of contacts that give way a little, else 0."""


class Acceleration(IntEnum):
    """Places in ``Workspace.system``."""

    SYSTEM = 0
    """The ``System`` to accelerate."""
    FAILED = 1
    """Whether a kernel has failed in it."""
    COLUMNS = 2
    """Number of columns of its factor."""
    TRIED = 3
    """Whether ``try_few_rows`` has looked for its answer."""


class System(IntEnum):
    """Systems that sweeps solve."""

    WHOLE = 0
    """The impulses of all contacts."""
    CORRECTION = 1
    """The split impulses."""
    GROUP = 2
    """The impulses of a collision group."""


class Workspace(NamedTuple):
    """Settings and scratch; only the settings survive a solve.

    Attributes:
        settings: shape (6,), by ``Setting``.
        compliance: shape (candidates,), compliance of each contact candidate, [m/N]; 0: rigid.
        sweeps: shape (3,), by ``SweepCount``.
        still: shape (rows,), zero.
        push: shape (rows,), target velocities of the position correction, [m/s].
        kept: shape (rows,), the best impulse so far.
        y, velocity: shapes (velocities,) and (rows,), for products with a factor.
        stiff: shape (blocks,), W_nn of contacts without their compliance, [1/kg].
        local: shape (9,), the matrix of one contact.
        few_rows, columns, exact, more, rows: shape (2,), addresses of the kernels of
            ``kernels.newton.acceleration``, see ``call.late``.
        system: shape (4,), by ``Acceleration``.
        attempt: shape (3,), by ``Attempt``.
        D, J: shape (n, n), for Newton's method; n is its largest number of rows.
        F, u: shape (n,), for Newton's method.
    """

    settings: Floats1
    compliance: Floats1
    sweeps: Ints1
    still: Floats1
    push: Floats1
    kept: Floats1
    y: Floats1
    velocity: Floats1
    stiff: Floats1
    local: Floats1
    few_rows: Ints1
    columns: Ints1
    exact: Ints1
    more: Ints1
    rows: Ints1
    system: Ints1
    attempt: Floats1
    D: Floats2
    J: Floats2
    F: Floats1
    u: Floats1


class BlockState(IntEnum):
    """States of a block in a Newton step, see ``kernels.newton.rows``."""

    GIVEN = 0
    """Its impulse is zero: an open contact, or a block that takes no part."""
    FREE = 1
    """Its velocity is zero: a sticking contact, a row between its bounds."""
    SLIPS = 2
    """A slipping contact."""
    AT_LOWER = 3
    """Its impulse is the lower bound."""
    AT_UPPER = 4
    """Its impulse is the upper bound."""


class StepCount(IntEnum):
    """Places in ``LowRank.counts``."""

    NEWTON = 0
    """Newton steps."""
    SHIFT_HELD = 1
    """Proximal Newton steps with the shift held."""
    SHIFT_FOLLOWING = 2
    """Proximal Newton steps with the shift following."""


class LowRank(NamedTuple):
    """Scratch of Newton's method, most of it for systems in the columns of ``W = Z Z'``.

    Attributes:
        counts: shape (3,), steps since allocation, by ``StepCount``.
        segment: shape (2 blocks, 4), for each block's first and second body: start of its rows in
            Z, first column, number of columns (0: none), distance from row to row.
        place: shape (trees,), first column of a tree, -1: none.
        tree, degree: shape (nodes,), the trees in the system, and the number of columns each is
            linked with; a node is such a tree.
        link: shape (nodes, nodes), by order of columns: start of a later node's entries in the
            rows of an earlier one, 0: no entries.
        node: shape (columns,), number of the node that begins at a column.
        nodes: shape (2,), number of nodes, and 1 if ``sum`` belongs to them.
        first, wide: shape (nodes,), first column and number of columns.
        length: shape (nodes,), entries of a row: its own, and those of the later nodes it reaches.
        front: shape (nodes + 1,), start of a node's entries in ``H``: its rows, then its columns
            below them, one after another.
        start: shape (nodes + 1,), start of a node's list of later nodes it reaches in ``reach``.
        reach: flat, later nodes that nodes reach, ascending.
        state: shape (blocks,), by ``BlockState``.
        active: shape (rows,), the rows of a Newton step's system.
        pivot: shape (rows,), rows swapped in its factorisation.
        weight: shape (blocks,), largest diagonal entry of each block of W, [1/kg].
        soft: shape (blocks,), what contacts give way by is ``soft`` times a small number times the
            impulse, [1/kg]: the same for all contacts.
        Z: flat, see ``segment``.
        M: shape (blocks, 9), for each block the derivative of r by -u, [kg].
        added: shape (blocks, 9), what ``M`` was when ``sum`` was written.
        H: flat, the system, see ``front``.
        sum: as ``H``, before it is factored.
        T: shape (3 columns,).
        y, d, step, reached: shape (columns,).
        u, du, anchor, trial, given, best, kept, before: shape (rows,).
        shift: shape (blocks,), [m/s].
    """

    counts: Ints1
    segment: Ints2
    place: Ints1
    tree: Ints1
    degree: Ints1
    link: Ints2
    node: Ints1
    nodes: Ints1
    first: Ints1
    wide: Ints1
    length: Ints1
    front: Ints1
    start: Ints1
    reach: Ints1
    state: Ints1
    active: Ints1
    pivot: Ints1
    weight: Floats1
    soft: Floats1
    Z: Floats1
    M: Floats2
    added: Floats2
    H: Floats1
    sum: Floats1
    T: Floats1
    y: Floats1
    d: Floats1
    step: Floats1
    reached: Floats1
    u: Floats1
    du: Floats1
    anchor: Floats1
    trial: Floats1
    given: Floats1
    best: Floats1
    kept: Floats1
    before: Floats1
    shift: Floats1


class Groups(NamedTuple):
    """Collision groups, and scratch of the current group.

    Attributes:
        label: shape (blocks,), first block of each block's group.
        error: shape (blocks,), natural-map residual of a group, at its first block, [m/s].
        place: shape (blocks,), place in the group of each block of the whole.
        block: shape (blocks of a group,), place in the whole of each block of the group.
        kept: shape (rows of a group,), the best impulse of the group so far.
    """

    label: Ints1
    error: Floats1
    place: Ints1
    block: Ints1
    kept: Floats1


class GroupSpace(NamedTuple):
    """Storage for solving collision groups separately; see ``kernels.groups``.

    Attributes:
        groups: labels and scratch.
        part: storage of a group as a separate problem.
        factor: factor of its Delassus matrix; it shares the entries of the whole.
    """

    groups: Groups
    part: ContactProblem
    factor: Factor


def allocate_groups(problem: ContactProblem) -> GroupSpace:
    """Allocate room for the collision groups of a problem, up to the largest with Newton steps."""
    whole, factor = problem.arrays, problem.factor or no_factor()
    blocks, rows = min(whole.kind.size, GROUP_BLOCKS), min(whole.impulse.size, GROUP_ROWS)
    pairs = min(whole.pair_block.size, GROUP_PAIRS)
    label, place = (np.zeros(whole.kind.size, np.int64) for _ in range(2))
    error, block = np.zeros(whole.kind.size), np.zeros(blocks, np.int64)
    groups = Groups(label, error, place, block, np.zeros(rows))
    sides = min(blocks, len(factor.link)), 2
    own = factor._replace(link=np.zeros(sides, np.int64), start=np.zeros(sides, np.int64))
    arrays = allocate_problem(blocks, rows, pairs, min(whole.W.size, 9 * pairs))
    return GroupSpace(groups, ContactProblem(arrays, own), own)


def allocate_low_rank(problem: ContactProblem, rows: int, columns: int) -> LowRank:
    """Allocate scratch for the problems in a storage, up to a number of rows and columns.

    With 0 columns only ``u`` has a length: the number of rows.
    """
    factor, blocks = problem.factor or no_factor(), problem.arrays.kind.size if columns else 0
    most = min(rows, problem.arrays.impulse.size)
    n, widths = most if columns else 0, np.diff(factor.tree_v)
    trees, widest = len(widths), int(widths.max(initial=0))
    k = min(columns, max(n, int(widths.sum())))
    nodes = min(max(1, trees), k)
    own = (trees, nodes, nodes, (nodes, nodes), k, 2, *[nodes] * 3)
    ints = (
        3,
        (2 * blocks, 4),
        *own,
        nodes + 1,
        nodes + 1,
        nodes * min(nodes, LINKED),
        blocks,
        n,
        n,
    )
    room = max(2 * n * widest, min(n, NEWTON_ROWS) * k)
    system = k * min(k, WIDEST)
    systems = *[(blocks, 9)] * 2, *[system] * 2
    floats = (blocks, blocks, room, *systems, 3 * k, *[k] * 4, most, *[n] * 7, blocks)
    numbers: list[Any] = [np.zeros(shape, np.int64) for shape in ints]
    return LowRank(*numbers, *(np.zeros(shape) for shape in floats))


def allocate(
    problem: ContactProblem, newton_rows: int, settings: Sequence[float], compliance: Floats1
) -> Workspace:
    """Allocate the work space for the problems in a storage.

    Args:
        problem: the problem with this storage; it may have fewer rows than there is room for.
        newton_rows: rows up to which there is room for Newton's method.
        settings: tolerance, relaxation, position gain and slop, damping time.
        compliance: shape (candidates,), [m/N].
    """
    rows, blocks = problem.arrays.impulse.size, problem.arrays.kind.size
    n = min(rows, newton_rows)
    velocities = 0 if problem.factor is None else int(problem.factor.tree_v[-1])
    shapes = (rows, rows, rows, velocities, rows, blocks, 9)
    *first, damping_time = settings
    numbers: list[Any] = [np.array([*first, compliance.max(initial=0.0), damping_time]), compliance]
    numbers += [np.zeros(3, np.int64), *(np.zeros(shape) for shape in shapes)]
    numbers += [np.zeros(size, np.int64) for size in (*[2] * 5, len(Acceleration))]
    numbers += [np.zeros(shape) for shape in (3, (n, n), (n, n), n, n)]
    return Workspace(*numbers)


workspace = opener(Workspace, 0)
low_rank = opener(LowRank, len(Workspace._fields))
factor = opener(Factor, len(Workspace._fields) + len(LowRank._fields))
_BEFORE_GROUPS = len(Workspace._fields) + len(LowRank._fields) + len(Factor._fields)
group_labels = opener(Groups, _BEFORE_GROUPS)
group_factor = opener(Factor, _BEFORE_GROUPS + len(Groups._fields))
"""Openers of the parts of one table, which holds all five in this order."""


def no_factor() -> Factor:
    """Return an empty factor, which stands for no factor: laws then factor W itself."""
    pair, none = np.zeros((0, 2), np.int64), np.zeros(0, np.int64)
    tables = none, none.copy(), none.copy(), none.copy()
    return Factor(pair, pair.copy(), np.zeros(0), *tables, np.zeros(0))
