"""Elimination of closed loops: the remaining inverse inertia moves along the loops.

With ``M = L' D L``, ``w = D^1/2 L v`` measures velocities by their kinetic energy, and the loops'
rows C become ``Y = D^-1/2 L^-T C'``. Q is an orthonormal basis of Y's rows; any number of dependent
rows is left out. ``L^-1 D^-1/2 (1 - Q Q') D^-1/2 L^-T`` is the inverse inertia of the closed tree.
Free velocities and impulses lose their part along Q, the Delassus matrix is ``Z' Z - T' T`` with
``T = Q Z``, and a law does not see the loops. In a tree that does not float, loops may leave so
little of a row that this difference is rounding. There rows have a place for every dof, and Z
itself loses its part along Q.

A step ends with ``C v+ = -(3/2 - theta) dt Cdot v``, so that positions move along a chord of the
loop. The gap of a step is then of third order, and so is the work of the loops. ``C v+ = 0``
would take ``(dt w)^2`` of the kinetic energy in a step of a linkage that turns with w.
"""

from __future__ import annotations

import math

from footfall.jit.compiling import inner, kernel, routine
from footfall.jit.four import (
    add_products,
    add_times,
    get_four,
    no_four,
    set_four,
    subtract_times,
    sum_of_four,
)
from footfall.jit.stages import call
from footfall.problem.arrays import ProblemSize
from footfall.recording.variables import Column
from footfall.world.arrays import Energy
from footfall_stepper.kernels import tables
from footfall_stepper.kernels.dynamics.equations_of_motion import move
from footfall_stepper.kernels.dynamics.factor import solve_lower
from footfall_stepper.kernels.loops.rows import (
    LoopKind,
    place_ends,
    through_factor,
    write_bias,
    write_gaps,
    write_jacobian,
)
from footfall_stepper.world.step_arrays import Ledger

CLOSED = 1e-9
"""Gap up to which positions are not corrected, [m, rad]: left by one step of a slow linkage."""
DEPENDENT = 1e-6
"""Fraction of a loop's rows that must be independent of the others for the row to count. Model
files give axes to six digits; a row of pure rounding error would lock the linkage."""

LITTLE = 0.01
"""Fraction of a row's square below which orthogonality has lost a digit."""
HELD, NOTHING = 1e-12, 1e-20
"""Fraction of a row's square left by the loops below which they hold it by themselves: for a
difference of squares, and for rows that have lost their part along Q."""


@inner
def product(x, a, y, b, n):
    """Return the scalar product of n entries of x from a and of y from b, in four sums."""
    sums, even = no_four(), n - n % 4
    for k in range(0, even, 4):
        sums = add_products(sums, get_four(x, a + k), get_four(y, b + k))
    s = sum_of_four(sums)
    for k in range(even, n):
        s += x[a + k] * y[b + k]
    return s


@inner
def subtract_row(x, a, s, y, b, n):
    """Subtract ``s y`` from x, n entries of each."""
    even = n - n % 4
    for k in range(0, even, 4):
        set_four(x, a + k, subtract_times(get_four(x, a + k), s, get_four(y, b + k)))
    for k in range(even, n):
        x[a + k] -= s * y[b + k]


@inner
def measure_rows(loops, tree, n):
    """Copy Y to Q, and write the reference of each loop's rows: their largest entry."""
    Y, first = loops.Y, loops.tree_row[tree]
    for k in range((loops.tree_row[tree + 1] - first) * n):
        loops.Q[loops.tree_Y[tree] + k] = Y[loops.tree_Y[tree] + k]
    for i in range(loops.tree_loop[tree], loops.tree_loop[tree + 1]):
        start = loops.row[i]
        while start < loops.row[i + 1]:
            # Positions and angles of a weld are measured in different units.
            end = start + 3 if loops.kind[i] == LoopKind.WELD else loops.row[i + 1]
            largest = 0.0
            for row in range(start, end):
                at = loops.tree_Y[tree] + (row - first) * n
                largest = max(largest, product(Y, at, Y, at, n))
            for row in range(start, end):
                loops.size[row], loops.order[row] = largest, row - first
            start = end


@inner
def choose_row(loops, tree, n, k, m):
    """Swap the row with the largest remainder to place k; return its norm, 0 if none is left."""
    Q, base, first = loops.Q, loops.tree_Y[tree], loops.tree_row[tree]
    best, chosen, norm = DEPENDENT * DEPENDENT, -1, 0.0
    for i in range(k, m):
        square = product(Q, base + i * n, Q, base + i * n, n)
        if loops.size[first + i] > 0.0 and square > best * loops.size[first + i]:
            best, chosen, norm = square / loops.size[first + i], i, square
    if chosen < 0:
        return 0.0
    if chosen != k:
        for x in range(base + k * n, base + k * n + n):
            y = x + (chosen - k) * n
            Q[x], Q[y] = Q[y], Q[x]
        size, order, x, y = loops.size, loops.order, first + k, first + chosen
        size[x], size[y], order[x], order[y] = size[y], size[x], order[y], order[x]
    return math.sqrt(norm)


@inner
def orthonormal_basis(loops, tree, n):
    """Write Q, ``R = Q Y'`` and the effective rank: Gram-Schmidt with pivoting.

    A row with a small remainder is orthogonalised once more.
    """
    Q, R, base, order = loops.Q, loops.R, loops.tree_Y[tree], loops.order
    first, to = loops.tree_row[tree], loops.tree_R[tree]
    m, rank = loops.tree_row[tree + 1] - first, 0
    measure_rows(loops, tree, n)
    for k in range(m * m):
        R[to + k] = 0.0
    while rank < min(m, n):
        norm, at = choose_row(loops, tree, n, rank, m), base + rank * n
        if norm == 0.0:
            break
        if norm * norm < LITTLE * loops.size[first + rank]:
            for j in range(rank):
                s = product(Q, base + j * n, Q, at, n)
                R[to + j * m + order[first + rank]] += s
                subtract_row(Q, at, s, Q, base + j * n, n)
            norm = math.sqrt(product(Q, at, Q, at, n))
        R[to + rank * m + order[first + rank]] = norm
        for k in range(n):
            Q[at + k] /= norm
        for i in range(rank + 1, m):
            s = product(Q, at, Q, base + i * n, n)
            R[to + rank * m + order[first + i]] = s
            subtract_row(Q, base + i * n, s, Q, at, n)
        rank += 1
    loops.rank[tree] = rank


@inner
def gram(loops, tree):
    """Write the Cholesky factor of ``R R'``."""
    m, r, at = loops.tree_row[tree + 1] - loops.tree_row[tree], loops.rank[tree], loops.tree_R[tree]
    R, G = loops.R, loops.G
    for k in range(r):
        for j in range(k + 1):
            s = product(R, at + k * m, R, at + j * m, m)
            s -= product(G, at + k * m, G, at + j * m, j)
            G[at + k * m + j] = math.sqrt(s) if j == k else s / G[at + j * m + j]


@inner
def solve_gram(loops, tree, x, first):
    """Overwrite ``x[first:first + rank]`` with ``(R R')^-1 x``."""
    m, r, at = loops.tree_row[tree + 1] - loops.tree_row[tree], loops.rank[tree], loops.tree_R[tree]
    G = loops.G
    for k in range(r):
        x[first + k] = (x[first + k] - product(G, at + k * m, x, first, k)) / G[at + k * m + k]
    for k in range(r - 1, -1, -1):
        s = x[first + k]
        for i in range(k + 1, r):
            s -= G[at + i * m + k] * x[first + i]
        x[first + k] = s / G[at + k * m + k]


@inner
def meet_rows(loops, tree, values, factor, out):
    """Write the coordinates of the least velocity whose rows are ``factor values``.

    Contradictory rows are met as closely as possible.
    """
    first, at = loops.tree_row[tree], loops.tree_R[tree]
    m = loops.tree_row[tree + 1] - first
    for k in range(loops.rank[tree]):
        out[first + k] = factor * product(loops.R, at + k * m, values, first, m)
    solve_gram(loops, tree, out, first)


@routine
def coordinates(loops, topology, dynamics, tree, x, out):
    """Write the coordinates along Q of a velocity x: ``Q D^1/2 L x``."""
    first, at = topology.tree_v[tree], topology.tree_M[tree]
    n, w = topology.tree_v[tree + 1] - first, loops.work
    for i in range(n):
        s = x[first + i]
        j = topology.dof_parent[first + i]
        while j >= 0:
            s += dynamics.L[at + i * n + j] * x[first + j]
            j = topology.dof_parent[first + j]
        w[first + i] = s / dynamics.scale[first + i]
    for k in range(loops.rank[tree]):
        out[loops.tree_row[tree] + k] = product(loops.Q, loops.tree_Y[tree] + k * n, w, first, n)


@routine
def add_coordinates(loops, topology, dynamics, tree, c, x):
    """Add ``L^-1 D^-1/2 Q' c`` to the velocity x."""
    first, w = topology.tree_v[tree], loops.work
    n, row = topology.tree_v[tree + 1] - first, loops.tree_row[tree]
    for i in range(first, first + n):
        w[i] = 0.0
    for k in range(loops.rank[tree]):
        subtract_row(w, first, -c[row + k], loops.Q, loops.tree_Y[tree] + k * n, n)
    for i in range(first, first + n):
        w[i] *= dynamics.scale[i]
    solve_lower(topology, tree, dynamics.L, w)
    for i in range(first, first + n):
        x[i] += w[i]


@inner
def write_loops(loops, topology, dynamics, state):
    """Write gaps, rows and bases of all loops for the dynamics just evaluated."""
    place_ends(loops, dynamics)
    write_gaps(loops, topology, state.q)
    write_bias(loops, topology, dynamics, state)
    for tree in range(len(topology.closed)):
        if topology.closed[tree] > 0:
            n = topology.tree_v[tree + 1] - topology.tree_v[tree]
            write_jacobian(loops, topology, dynamics, tree)
            through_factor(loops, topology, dynamics, tree)
            orthonormal_basis(loops, tree, n)
            gram(loops, tree)


@inner
def correct_velocity(loops, topology, dynamics, tree, x, have):
    """Change a velocity x, with coordinates ``have``, to the loops' target."""
    first = loops.tree_row[tree]
    for k in range(first, first + loops.rank[tree]):
        loops.push[k] = loops.aim[k] - have[k]
    add_coordinates(loops, topology, dynamics, tree, loops.push, x)


@routine
def push_along(loops, topology, dynamics, x):
    """Remove the part along Q from velocities or accelerations x; store the cause in ``push``."""
    for tree in range(len(topology.closed)):
        if topology.closed[tree] == 0:
            continue
        coordinates(loops, topology, dynamics, tree, x, loops.before)
        for k in range(loops.tree_row[tree], loops.tree_row[tree + 1]):
            loops.push[k] = -loops.before[k]
        add_coordinates(loops, topology, dynamics, tree, loops.push, x)


@kernel
def close_loops(table, theta, dt):
    """Eliminate the loops from the evaluated dynamics for a step of length dt.

    If no time passes, velocities are left as they are.
    """
    topology, dynamics = tables.open_topology(table), tables.open_dynamics(table)
    loops = tables.loops(table)
    state = tables.state(table)
    write_loops(loops, topology, dynamics, state)
    for tree in range(len(topology.closed)):
        if topology.closed[tree] == 0:
            continue
        coordinates(loops, topology, dynamics, tree, state.v, loops.before)
        coordinates(loops, topology, dynamics, tree, dynamics.v_free, loops.free)
        if dt > 0.0:
            meet_rows(loops, tree, loops.bias, (theta - 1.5) * dt, loops.aim)
            correct_velocity(loops, topology, dynamics, tree, dynamics.v_free, loops.free)
        else:
            for k in range(loops.tree_row[tree], loops.tree_row[tree + 1]):
                loops.aim[k] = loops.before[k]


@inner
def project_positions(table):
    """Close the gaps by one Newton step in q; return whether a correction was needed.

    ``dq = -L^-1 D^-1/2 Q' (R R')^-1 R gap``: the least motion as measured by the inertia. Nothing
    moves if no gap is above ``CLOSED``. The remaining gap is of second order in the gap.
    """
    topology, dynamics = tables.open_topology(table), tables.open_dynamics(table)
    loops = tables.loops(table)
    state, largest = tables.state(table), 0.0
    position, v_new = dynamics.v_position, dynamics.v_new
    for k in range(len(position)):
        position[k], v_new[k] = 0.0, state.v[k]
    for tree in range(len(topology.closed)):
        if topology.closed[tree] == 0:
            continue
        m, first = loops.tree_row[tree + 1] - loops.tree_row[tree], loops.tree_row[tree]
        meet_rows(loops, tree, loops.gap, -1.0, loops.push)
        for i in range(m):
            closable = 0.0
            for k in range(loops.rank[tree]):
                closable += loops.R[loops.tree_R[tree] + k * m + i] * loops.push[first + k]
            largest = max(largest, abs(closable))
        add_coordinates(loops, topology, dynamics, tree, loops.push, position)
    if largest > CLOSED:
        move(topology, dynamics, state.q, state.v, 1.0)
    return largest > CLOSED


@kernel
def close_gaps(table, evaluate, most):
    """Close the loops as far as possible; return the number of Newton steps, -1 if one fails.

    ``evaluate``: shape (2,), the stage that evaluates everything again; ``most``: largest number of
    Newton steps.
    """
    steps = 0
    while steps < most and project_positions(table):
        steps += 1
        if call(evaluate[0], evaluate[1]) != 0:
            return -1
    return steps


@kernel
def begin_step(table, evaluate, most):
    """Close the gaps opened by the last step, as ``close_gaps``, and clear the sums of the step.

    The resulting change of mechanical energy is kept in the ledger.
    """
    loops, energy = tables.loops(table), tables.open_dynamics(table).energy
    for i in range(len(loops.impulse)):
        loops.impulse[i], loops.opened[i] = 0.0, loops.gap[i]
    before = energy[Energy.KINETIC] + energy[Energy.POTENTIAL]
    moved = close_gaps(table, evaluate, most)
    if moved > 0:
        after = energy[Energy.KINETIC] + energy[Energy.POTENTIAL]
        tables.state(table).ledger[Ledger.LOOP_CLOSING] += after - before
    for i in range(len(loops.gap)):
        loops.start_gap[i] = loops.gap[i]
        if moved == 0:
            loops.opened[i] = 0.0
    return moved


@inner
def squares(x, at, count):
    """Return the squares of three rows with four numbers per dof, ``count`` dofs."""
    s0, s1, s2 = 0.0, 0.0, 0.0
    for i in range(at, at + 4 * count, 4):
        s0, s1, s2 = s0 + x[i] ** 2, s1 + x[i + 1] ** 2, s2 + x[i + 2] ** 2
    return s0, s1, s2


@routine
def hold_side(topology, loops, Z, at, link, side, rows):
    """Write T of a block's side, the coordinates of its rows along Q: ``T = Q Z``.

    Wide rows lose their part along Q here, ``Z - Q' T``: in trees that do not float, loops may
    leave so little of a row that ``Z' Z - T' T`` would be rounding. A row held by the loops alone
    becomes exact zeros.
    """
    tree, T, load, t = topology.link_tree[link], loops.T, loops.load, 4 * side * loops.width[0]
    first, n = topology.span_start[link], topology.tree_v[tree + 1] - topology.tree_v[tree]
    count, wide = topology.span_start[link + 1] - first, topology.wide[tree] == 1
    for k in range(loops.rank[tree]):
        s, q = no_four(), loops.tree_Y[tree] + k * n
        for p in range(count):
            c = loops.Q[q + topology.span[first + p]]
            s = add_times(s, c, get_four(Z, at + 4 * p))
        set_four(load, t + 4 * k, s)
        set_four(T, t + 4 * k, s)
        for p in range(count if wide else 0):
            z = at + 4 * p
            set_four(Z, z, subtract_times(get_four(Z, z), loops.Q[q + p], s))
    sizes, parts = squares(Z, at, count), squares(T, t, loops.rank[tree])
    for a in range(rows):
        size, held = sizes[a], parts[a]
        if (size <= NOTHING * held) if wide else (size - held <= HELD * size):
            for z in range(at + a, at + 4 * count, 4):
                Z[z] = 0.0
            for k in range(t + a, t + 4 * loops.rank[tree], 4):
                T[k] = 0.0


@routine
def free_of_loops(topology, loops, tree, w):
    """Remove the part along Q from ``w = D^1/2 L v``."""
    first = topology.tree_v[tree]
    n = topology.tree_v[tree + 1] - first
    for k in range(loops.rank[tree]):
        q = loops.tree_Y[tree] + k * n
        subtract_row(w, first, product(loops.Q, q, w, first, n), loops.Q, q, n)


@inner
def take_loads(topology, loops, sides, problem):
    """Write the coordinates of the loops' impulse to ``push``: it keeps the loops' target velocity.

    ``z = target - free - sum T r``, with T also of rows that the loops hold by themselves.
    """
    for k in range(len(loops.push)):
        loops.push[k] = loops.aim[k] - loops.free[k]
    for b in range(problem.size[ProblemSize.BLOCKS]):
        rows, at = problem.row[b + 1] - problem.row[b], problem.row[b]
        for s in range(2):
            link = sides.link[b, s]
            if link < 0 or topology.closed[topology.link_tree[link]] == 0:
                continue
            tree, sign = topology.link_tree[link], 1.0 if s == 1 else -1.0
            for a in range(rows):
                T, r = 4 * (2 * b + s) * loops.width[0] + a, sign * problem.impulse[at + a]
                for k in range(loops.rank[tree]):
                    loops.push[loops.tree_row[tree] + k] -= loops.load[T + 4 * k] * r


@inner
def share_push(loops, tree):
    """Add ``R' (R R')^-1 push`` to the impulses of a tree's loops."""
    first, at = loops.tree_row[tree], loops.tree_R[tree]
    m = loops.tree_row[tree + 1] - first
    solve_gram(loops, tree, loops.push, first)
    for i in range(m):
        for k in range(loops.rank[tree]):
            loops.impulse[first + i] += loops.R[at + k * m + i] * loops.push[first + k]


@inner
def add_loop_impulses(topology, loops):
    """Add the loops' impulses, ``R' (R R')^-1 z``, to the sums of the step; return their work, [J].

    If rows depend on each other, the impulse is shared such that it is the smallest. The work is
    exact for one step, ``z . (w- + w+) / 2`` along Q.
    """
    work = 0.0
    for tree in range(len(topology.closed)):
        if topology.closed[tree] == 0:
            continue
        first = loops.tree_row[tree]
        for k in range(first, first + loops.rank[tree]):
            work += 0.5 * loops.push[k] * (loops.before[k] + loops.aim[k])
        share_push(loops, tree)
    return work


@kernel
def load_loops(table):
    """Add the impulses of the loops that belong to the impulses of a law or an impact."""
    topology, loops = tables.open_topology(table), tables.loops(table)
    take_loads(topology, loops, tables.open_sides(table), tables.open_problem(table))
    tables.state(table).ledger[Ledger.TAKEN] -= add_loop_impulses(topology, loops)


@kernel
def record_loops(table, row, at, dt):
    """Write gaps at the start of the step, mean forces over it, effective rank and energy.

    ``at``: the first entry of each ``Column`` in the row.
    """
    loops, rank = tables.loops(table), 0
    for i in range(len(loops.gap)):
        row[at[Column.LOOP_GAP] + i] = loops.start_gap[i]
        row[at[Column.LOOP_FORCE] + i] = loops.impulse[i] / dt
    for tree in range(len(loops.rank)):
        rank += loops.rank[tree]
    row[at[Column.LOOP_RANK]] = rank
    row[at[Column.LOOP_ENERGY_ERROR]] = tables.state(table).ledger[Ledger.LOOP_CLOSING]
