"""Lemke's method on a dense dictionary, retried with other rays; then contact by contact."""

from __future__ import annotations

import math

from footfall.api.kernels import inner, kernel, opener, routine
from footfall_small_laws.kernels import DenseGroups, first_group, next_group, open_groups
from footfall_small_laws.lcp.pyramid import Pyramids, residual, write_impulses, write_problem

PIVOT = 1e-11
"""Smallest entry used as a pivot, relative to the largest of its column: less is rounding."""
TIE = 1e-12
"""Relative difference up to which two ratios are a tie."""
DIVERGED = 1e3
"""Growth of the residual that ends the sweeps."""
open_pyramids = opener(Pyramids, len(DenseGroups._fields))


@inner
def exchange(T, n, row, column):
    """Make the variable of a column basic and that of a row nonbasic."""
    width = n + 2
    inverse = 1.0 / T[row, column]
    for j in range(width):
        T[row, j] *= -inverse
    T[row, column] = inverse
    for i in range(n):
        factor = T[i, column]
        if i == row or factor == 0.0:
            continue
        T[i, column] = 0.0
        for j in range(width):
            T[i, j] += factor * T[row, j]


@inner
def perturbation(T, basic, place, row, k):
    """Return the row's coefficient of eps^k when q is replaced by ``q + (eps, eps^2, ...)``."""
    column = place[k]
    if column >= 0:
        return -T[row, column]
    return 1.0 if basic[row] == k else 0.0


@inner
def comes_first(T, basic, place, n, a, b, column):
    """Return whether row a blocks the entering column before row b, in lexicographic order."""
    p, q = -1.0 / T[a, column], -1.0 / T[b, column]
    for k in range(-1, n):
        if k < 0:
            x, y = T[a, n + 1] * p, T[b, n + 1] * q
        else:
            x = perturbation(T, basic, place, a, k) * p
            y = perturbation(T, basic, place, b, k) * q
        if abs(x - y) > TIE * (abs(x) + abs(y)) and abs(x - y) > TIE:
            return x < y
    return False


@inner
def leaving_row(T, basic, place, n, column):
    """Return the row that blocks the entering variable, z0's row in a tie; -1 if none blocks."""
    row, largest = -1, 1.0
    for i in range(n):
        largest = max(largest, abs(T[i, column]))
    for i in range(n):
        if T[i, column] < -PIVOT * largest and (
            row < 0 or comes_first(T, basic, place, n, i, row, column)
        ):
            row = i
    for i in range(n):
        if basic[i] == 2 * n and row >= 0 and T[i, column] < -PIVOT * largest:
            least = -T[row, n + 1] / T[row, column]
            if -T[i, n + 1] / T[i, column] <= least + TIE * (1.0 + abs(least)):
                return i
    return row


@inner
def first_row(T, n):
    """Return the row of the smallest ``q / d``; in a tie the last, with the least perturbation."""
    row = 0
    for i in range(n):
        if T[i, n + 1] / T[i, n] <= T[row, n + 1] / T[row, n]:
            row = i
    return row


@inner
def swap(basic, place, nonbasic, n, row, column):
    """Record an exchange of variables; return the next entering one, and the one that left."""
    entered, left = nonbasic[column], basic[row]
    basic[row], nonbasic[column] = entered, left
    if entered < n:
        place[entered] = -1
    if left < n:
        place[left] = column
        return left + n, left
    return left - n, left


@routine
def lemke(c, q, d, first, n, most):
    """Try to solve ``w = M z + q``, ``0 <= w  perp  z >= 0``; return the number of pivots.

    The covering variable z0 enters with the coefficients d. The complement of the variable that
    left enters next, until z0 leaves: then z is the solution. The method may end without a
    solution, on a ray or after ``most`` pivots; z is then the last point. Ties are broken
    lexicographically, so that degenerate problems (equal points, flat feet) do not cycle. Lemke
    1965; Cottle, Pang and Stone, The Linear Complementarity Problem, 1992, chapter 4.

    Args:
        c: the problem: n rows of ``M`` and ``z`` from the first on; the rest is scratch.
        q: shape (n,).
        d: shape (n,), positive.
        first: first row.
        n: number of rows.
        most: most pivots.
    """
    T, basic, place, nonbasic = c.T, c.basic, c.place, c.nonbasic
    for i in range(n):
        basic[i], nonbasic[i], place[i], c.z[first + i] = i, n + i, -1, 0.0
        T[i, n], T[i, n + 1] = d[i], q[i]
        for j in range(n):
            T[i, j] = c.M[first + i, first + j]
    nonbasic[n] = 2 * n
    column, row, pivots = n, first_row(T, n), 0
    if T[row, n + 1] >= 0.0:
        return 0
    while pivots < most and row >= 0:
        exchange(T, n, row, column)
        pivots += 1
        entering, left = swap(basic, place, nonbasic, n, row, column)
        if left == 2 * n:
            break
        for j in range(n + 1):
            if nonbasic[j] == entering:
                column = j
        row = leaving_row(T, basic, place, n, column)
    for i in range(n):
        if n <= basic[i] < 2 * n:
            c.z[first + basic[i] - n] = max(T[i, n + 1], 0.0)
    return pivots


@inner
def keep(c, n, least):
    """Keep z as the best answer if its residual is the least; return the least, [m/s]."""
    now = residual(c, c.z, n)
    if now < least:
        for i in range(n):
            c.best[i] = c.z[i]
    return min(now, least)


@routine
def sweep(c, n, tolerance):
    """Solve contact by contact with the others fixed (Gauss-Seidel); return the pivots."""
    size, spent = len(c.directions) + 2, 0
    for i in range(n):
        c.z[i] = 0.0
    start = residual(c, c.z, n)
    for _ in range(c.most_sweeps[0]):
        for first in range(0, n, size):
            for i in range(size):
                c.own_q[i] = c.q[first + i]
                for j in range(n):
                    if j < first or j >= first + size:
                        c.own_q[i] += c.M[first + i, j] * c.z[j]
            spent += lemke(c, c.own_q, c.rays[0], first, size, c.most_pivots[0])
        now = residual(c, c.z, n)
        if now <= tolerance or now > DIVERGED * start:
            break
    return spent


@routine
def solve_lcp(c, n, tolerance):
    """Write the best z found to ``c.best``; return the number of pivots and its residual, [m/s].

    Lemke's method, retried with other covering vectors: some fail in degenerate problems of
    ill-scaled contacts. Then sweeps.
    """
    spent, least, most = 0, math.inf, c.most_pivots[0]
    for i in range(n):
        c.z[i] = 0.0
    least = keep(c, n, least)
    for k in range(len(c.rays)):
        spent += lemke(c, c.q, c.rays[k], 0, n, most - spent)
        least = keep(c, n, least)
        if least <= tolerance or spent >= most:
            break
    if least > tolerance:
        spent += sweep(c, n, tolerance)
        least = keep(c, n, least)
    return spent, least


@kernel
def solve(table, space):
    """Solve the groups of a problem one after another; return whether that fails."""
    groups, c = open_groups(space), open_pyramids(space)
    contacts = first_group(table, groups)
    while contacts > 0:
        write_problem(groups, c, contacts)
        n = contacts * (len(c.directions) + 2)
        pivots, left = solve_lcp(c, n, groups.tolerance[0])
        write_impulses(c, contacts, groups.r)
        contacts = next_group(table, groups, pivots, left)
    return contacts < 0
