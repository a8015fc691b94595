"""A Newton step in the rows whose impulse is not given: those of contacts that carry.

The function is that of Alart and Curnier (1991) with a normal and a tangential compliance:
``u = W r + b + e (r - a)`` with the anchor a; see ``kernels.newton.canonical``. With ``y = r - u /
w``, w a block's largest diagonal entry, a contact is open if ``y_n <= 0``, slips if ``|y_t| > mu
y_n``, else sticks. All rows are velocities, [m/s]:

- open, or at a bound: ``w (r - bound) = 0``; sticking, or between bounds: ``u = 0``;
- slipping: ``u_n = 0``, ``w (r_t - R h) = 0``, ``R = mu y_n``, ``h = y_t / |y_t|``.
"""

from __future__ import annotations

import math

from footfall.api.advanced import solve_dense
from footfall.api.contact import BlockKind, ProblemSize
from footfall.api.kernels import inner, routine
from footfall_coulomb.kernels.newton.dense import (
    factor_symmetric,
    solve_symmetric,
)
from footfall_coulomb.kernels.sweep import error_at, rows_of_block
from footfall_coulomb.workspace import BlockState


@inner
def row_state(problem, low, r, u, i):
    """Write the state of a block of one row, and how far its impulse is from a bound; return F."""
    at, w, least, high = problem.row[i], low.weight[i], 0.0, 1e300
    if problem.kind[i] == BlockKind.BOX:
        least, high = problem.lower[i], problem.upper[i]
    y = r[at] - u[at] / w
    if least <= y <= high:
        low.state[i] = BlockState.FREE
        return abs(u[at])
    low.state[i] = BlockState.AT_LOWER if y < least else BlockState.AT_UPPER
    low.trial[at] = (least if y < least else high) - r[at]
    return w * abs(low.trial[at])


@inner
def cone_state(problem, low, r, u, i, edge):
    """Write the state of a contact, and minus its impulse if it is open; return its largest F."""
    at, w = problem.row[i], low.weight[i]
    yn = r[at + 2] - u[at + 2] / w
    if not yn > 0.0:
        low.state[i] = BlockState.GIVEN
        for a in range(at, at + 3):
            low.trial[a] = -r[a]
        return w * max(abs(r[at]), abs(r[at + 1]), abs(r[at + 2]))
    y0, y1 = r[at] - u[at] / w, r[at + 1] - u[at + 1] / w
    size, radius = math.sqrt(y0 * y0 + y1 * y1), problem.mu[i] * yn
    if size <= edge * radius:
        low.state[i] = BlockState.FREE
        return max(abs(u[at]), abs(u[at + 1]), abs(u[at + 2]))
    low.state[i] = BlockState.SLIPS
    q = radius / size
    return max(abs(u[at + 2]), w * abs(r[at] - q * y0), w * abs(r[at + 1] - q * y1))


@routine
def find_states(problem, low, r, u, edge):
    """Write the blocks' states; return the largest F, [m/s], and whether a state has changed.

    A contact slips from the part ``edge`` of its cone's radius on.
    """
    worst, changed = 0.0, False
    for i in range(problem.size[ProblemSize.BLOCKS]):
        before, w = low.state[i], low.weight[i]
        if w <= 0.0:
            low.state[i], error = BlockState.GIVEN, 0.0
            for a in range(problem.row[i], problem.row[i + 1]):
                low.trial[a] = -r[a]
        elif problem.kind[i] == BlockKind.CONE:
            error = cone_state(problem, low, r, u, i, edge)
        else:
            error = row_state(problem, low, r, u, i)
        changed = changed or low.state[i] != before
        if error > worst or error != error:
            worst = error
    return worst, changed


@routine
def natural_map_at(problem, low, r, u):
    """Return the largest natural map of a block for the velocity u, [m/s]."""
    worst = 0.0
    for i in range(problem.size[ProblemSize.BLOCKS]):
        error, (u0, u1, u2) = 0.0, rows_of_block(problem, i, u)
        if low.weight[i] > 0.0:
            error = error_at(problem, i, r, u0, u1, u2, low.weight[i])
        if error > worst or error != error:
            worst = error
    return worst


@inner
def is_active(low, i):
    """Return whether the impulse of a block is unknown."""
    return low.state[i] == BlockState.FREE or low.state[i] == BlockState.SLIPS


@inner
def collect(problem, low):
    """Write the active rows; return their number."""
    count = 0
    for i in range(problem.size[ProblemSize.BLOCKS]):
        if is_active(low, i):
            for a in range(problem.row[i], problem.row[i + 1]):
                low.active[count], count = a, count + 1
    return count


@inner
def give(problem, D, low, r, count):
    """Give the other rows their impulses; write what that changes in the active rows' velocities.

    The velocities are ``low.du``, in the order of the active rows.
    """
    for p in range(count):
        low.du[p] = 0.0
    for i in range(problem.size[ProblemSize.BLOCKS]):
        if not is_active(low, i):
            for a in range(problem.row[i], problem.row[i + 1]):
                change = low.trial[a]
                if change != 0.0:
                    r[a] += change
                    for p in range(count):
                        low.du[p] += D[low.active[p], a] * change


@inner
def slip_terms(problem, low, r, u, i):
    """Return ``h``, ``R / |y_t|`` and R of a slipping contact."""
    at, w = problem.row[i], low.weight[i]
    y0, y1 = r[at] - u[at] / w, r[at + 1] - u[at + 1] / w
    size, radius = math.sqrt(y0 * y0 + y1 * y1), problem.mu[i] * (r[at + 2] - u[at + 2] / w)
    return y0 / size, y1 / size, radius / size, radius


@inner
def write_right_side(problem, low, r, u, F):
    """Write F of the active rows, after ``give``."""
    p, du = 0, low.du
    for i in range(problem.size[ProblemSize.BLOCKS]):
        if not is_active(low, i):
            continue
        at, last = problem.row[i], problem.row[i + 1] - 1
        for a in range(at, last + 1):
            F[p + a - at] = u[a] + du[p + a - at]
        if low.state[i] == BlockState.SLIPS:
            h0, h1, q, radius = slip_terms(problem, low, r, u, i)
            w, along = low.weight[i], h0 * du[p] + h1 * du[p + 1]
            push = problem.mu[i] * du[p + 2] - q * along
            F[p] = w * (r[at] - radius * h0) + h0 * push + q * du[p]
            F[p + 1] = w * (r[at + 1] - radius * h1) + h1 * push + q * du[p + 1]
        p += last + 1 - at


@inner
def slip(J, p, h0, h1, q, mu, w, count):
    """Turn the rows of W of a slipping contact at row p of J into those of ``w dF``."""
    g00, g01, g11 = q * (1.0 - h0 * h0), -q * h0 * h1, q * (1.0 - h1 * h1)
    for b in range(count):
        d0, d1, dn = J[p, b], J[p + 1, b], mu * J[p + 2, b]
        J[p, b] = h0 * dn + g00 * d0 + g01 * d1
        J[p + 1, b] = h1 * dn + g01 * d0 + g11 * d1
    J[p, p] += w * (1.0 - g00)
    J[p, p + 1] -= w * g01
    J[p + 1, p] -= w * g01
    J[p + 1, p + 1] += w * (1.0 - g11)
    J[p, p + 2] -= w * mu * h0
    J[p + 1, p + 2] -= w * mu * h1


@inner
def write_matrix(problem, D, low, r, u, softness, J, count, symmetric):
    """Write the derivative of F by the active rows' impulses; if symmetric, its upper triangle."""
    p = 0
    for i in range(problem.size[ProblemSize.BLOCKS]):
        if not is_active(low, i):
            continue
        rows, e = problem.row[i + 1] - problem.row[i], softness * low.soft[i]
        for a in range(rows):
            given, row = D[problem.row[i] + a], J[p + a]
            for b in range(p if symmetric else 0, count):
                row[b] = given[low.active[b]]
            row[p + a] += e
        if low.state[i] == BlockState.SLIPS:
            h0, h1, q, _ = slip_terms(problem, low, r, u, i)
            slip(J, p, h0, h1, q, problem.mu[i], low.weight[i], count)
        p += rows


@inner
def slips(problem, low):
    """Return whether a contact slips: the matrix is then not symmetric."""
    found = False
    for i in range(problem.size[ProblemSize.BLOCKS]):
        found = found or low.state[i] == BlockState.SLIPS
    return found


@routine
def step_in_rows(problem, r, softness, chord, work, low):
    """Do a Newton step for the states of ``find_states``; return False if the system is singular.

    ``chord``: take the last step's matrix, which had the same states.
    """
    J, F, u, count = work.J, work.F, low.u, collect(problem, low)
    symmetric = not slips(problem, low)
    if not chord:
        write_matrix(problem, work.D, low, r, u, softness, J, count, symmetric)
    give(problem, work.D, low, r, count)
    write_right_side(problem, low, r, u, F)
    if symmetric:
        if not chord and not factor_symmetric(J, count):
            return False
        solve_symmetric(J, F, count)
    elif not solve_dense(J, low.pivot, F, count, chord):
        return False
    for p in range(count):
        r[low.active[p]] -= F[p]
    return True
