"""The packed arrays of a world's closed loops; empty and unused if there are none."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import NamedTuple

import numpy as np

from footfall.jit.tables import allocated
from footfall.model.loops import AXES, JointCoupling, Loop, LoopEnd
from footfall.typing import Floats, Floats1, Floats3, Ints, Ints1, Ints2
from footfall.world.arrays import Topology
from footfall_stepper.world.body import Body

KINDS = {"point": 0, "weld": 1, "coupling": 2}


class Loops(NamedTuple):
    """Loops and their rows ``C v``, tree by tree; m rows and nv dofs of a tree.

    Attributes:
        kind: shape (loops,), a ``LoopKind``.
        link: shape (loops, 2), global links of both ends, -1 for the world; for a coupling the
            global dofs of the following joint and of the joint it follows.
        frame: shape (loops, 2, 12), both ends in their links (or in the world): rotation
            column-major, translation [m].
        place: shape (loops, 2, 12), the same in the world, of this step.
        ratio: shape (loops,), of a coupling.
        offset: shape (loops,), of a coupling, [rad or m].
        row: shape (loops + 1,), first row of each loop.
        links: shape (l,), the distinct links that have an end.
        tree_loop: shape (trees + 1,), first loop of each tree.
        tree_row: shape (trees + 1,), first row of each tree.
        tree_Y: shape (trees,), start of the tree's part of ``Y`` and ``Q``.
        tree_R: shape (trees,), start of the tree's part of ``R`` and ``G``.
        rank: shape (trees,), effective rank: number of independent rows.
        gap: shape (rows,), gap of the loop, [m, rad].
        start_gap: shape (rows,), at the start of the step; opened: shape (rows,), before the step
            closed it, 0 if it did not.
        bias: shape (rows,), classical ``Cdot v``, [m/s^2, rad/s^2].
        Y: flat, m x nv per tree, row i is ``D^-1/2 L^-T C_i'``.
        Q: flat, likewise, the first ``rank`` rows are an orthonormal basis of Y's rows.
        R: flat, rank x m per tree, ``Q Y'``.
        G: flat, rank x rank per tree, Cholesky factor of ``R R'``.
        size: shape (rows,), scratch: squared norm below which a row counts as zero.
        before: shape (rows,), coordinates along Q of the velocity at the start of the step.
        free: shape (rows,), the same of the free velocity.
        aim: shape (rows,), the same of the velocity at the end of the step.
        push: shape (rows,), coordinates of the loops' impulse.
        T: flat, width x 4 for each side of a block: coordinates of its rows along Q, zero for rows
            held by the loops alone; load: likewise, including these rows.
        width: shape (1,), largest number of rows of a tree.
        impulse: shape (rows,), sum over the step, on the second end, [N s, N m s].
        order: shape (rows,), scratch: the row of C for each row of Q.
        work: shape (nv,), scratch.
    """

    kind: Ints1
    link: Ints2
    frame: Floats3
    place: Floats3
    ratio: Floats1
    offset: Floats1
    row: Ints1
    links: Ints1
    tree_loop: Ints1
    tree_row: Ints1
    tree_Y: Ints1
    tree_R: Ints1
    rank: Ints1
    gap: Floats1
    start_gap: Floats1
    opened: Floats1
    bias: Floats1
    Y: Floats1
    Q: Floats1
    R: Floats1
    G: Floats1
    size: Floats1
    order: Ints1
    before: Floats1
    free: Floats1
    aim: Floats1
    push: Floats1
    T: Floats1
    load: Floats1
    width: Ints1
    impulse: Floats1
    work: Floats1


def row_names(bodies: Sequence[Body]) -> tuple[str, ...]:
    """Return the names of all rows, ``body/loop/axis``."""
    return tuple(
        f"{body.name}/{loop.name}/{axis}"
        for body in bodies
        for loop in body.loops
        for axis in AXES[loop.kind]
    )


def closed_trees(bodies: Sequence[Body]) -> Ints:
    """Return 0 for a tree without loops, 1 with loops within it, 2 if one holds it to the world."""
    found = []
    for body in bodies:
        ends = [end for loop in body.loops if isinstance(loop, Loop) for end in loop.ends]
        to_world = any(end.link < 0 for end in ends)
        found.append(2 if to_world else 1 if body.loops else 0)
    return np.array(found, np.int64)


def loop_arrays(bodies: Sequence[Body], topology: Topology, blocks: int) -> Loops:
    """Allocate for the loops of all bodies and a contact problem of ``blocks`` blocks."""
    loops = [loop for body in bodies for loop in body.loops]
    n = len(loops)
    counts = [sum(len(AXES[loop.kind]) for loop in body.loops) for body in bodies]
    rows, width, nv = sum(counts), max(counts, default=0), np.diff(topology.tree_v)
    trees = [(body, index) for index, body in enumerate(bodies) for _ in body.loops]
    link = np.full((n, 2), -1, np.int64)
    frame = np.zeros((n, 2, 12))
    for k, (loop, (body, tree)) in enumerate(zip(loops, trees, strict=True)):
        if isinstance(loop, JointCoupling):
            first = int(topology.tree_v[tree]) + body.joint_offset
            link[k] = first + loop.joint, first + loop.of
            continue
        for side, end in enumerate(loop.ends):
            frame[k, side] = _flat(end)
            if end.link >= 0:
                link[k, side] = int(topology.tree_link[tree]) + end.link
    of_links = np.array([isinstance(loop, Loop) for loop in loops], bool)
    used = link[of_links]
    Y = [m * int(v) for m, v in zip(counts, nv, strict=True)]
    return allocated(
        Loops,
        rows,
        kind=np.array([KINDS[loop.kind] for loop in loops], np.int64),
        link=link,
        frame=frame,
        place=frame.copy(),
        ratio=np.array([getattr(loop, "ratio", 0.0) for loop in loops], float),
        offset=np.array([getattr(loop, "offset", 0.0) for loop in loops], float),
        row=starts([len(AXES[loop.kind]) for loop in loops]),
        links=np.unique(used[used >= 0]).astype(np.int64),
        tree_loop=starts([len(body.loops) for body in bodies]),
        tree_row=starts(counts),
        tree_Y=starts(Y)[:-1],
        tree_R=starts([m * m for m in counts])[:-1],
        rank=len(bodies),
        Y=sum(Y),
        Q=sum(Y),
        R=sum(m * m for m in counts),
        G=sum(m * m for m in counts),
        T=2 * 4 * blocks * width,
        load=2 * 4 * blocks * width,
        width=np.array([width], np.int64),
        work=int(topology.tree_v[-1]),
    )


def _flat(end: LoopEnd) -> Floats:
    return np.append(end.rotation.T.ravel(), end.translation)


def starts(sizes: Sequence[int]) -> Ints:
    """Return where parts of these sizes begin in one array, and its end."""
    return np.array([0, *accumulate(sizes)], np.int64)
