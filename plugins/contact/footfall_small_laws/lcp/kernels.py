"""Lemke's method for a linear complementarity problem, on a dense dictionary."""

from __future__ import annotations

from footfall.api.kernels import inner, kernel

PIVOT = 1e-11
"""Smallest entry used as a pivot, relative to the largest of its column: less is rounding."""
TIE = 1e-12
"""Relative difference up to which two ratios are a tie."""


@inner
def exchange(T, row, column):
    """Make the variable of a column basic and that of a row nonbasic."""
    n, width = T.shape
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
def comes_first(T, basic, place, a, b, column):
    """Return whether row a blocks the entering column before row b, in lexicographic order."""
    n = len(basic)
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
def leaving_row(T, basic, place, column):
    """Return the row that blocks the entering variable, z0's row in a tie; -1 if none blocks."""
    n, row, largest = len(basic), -1, 1.0
    for i in range(n):
        largest = max(largest, abs(T[i, column]))
    for i in range(n):
        if T[i, column] < -PIVOT * largest and (
            row < 0 or comes_first(T, basic, place, i, row, column)
        ):
            row = i
    for i in range(n):
        if basic[i] == 2 * n and row >= 0 and T[i, column] < -PIVOT * largest:
            least = -T[row, n + 1] / T[row, column]
            if -T[i, n + 1] / T[i, column] <= least + TIE * (1.0 + abs(least)):
                return i
    return row


@inner
def first_row(T):
    """Return the row of the smallest ``q / d``; in a tie the last, with the least perturbation."""
    n, row = len(T), 0
    for i in range(n):
        if T[i, n + 1] / T[i, n] <= T[row, n + 1] / T[row, n]:
            row = i
    return row


@inner
def swap(basic, place, nonbasic, row, column):
    """Record an exchange of variables; return the next entering one, and the one that left."""
    n = len(basic)
    entered, left = nonbasic[column], basic[row]
    basic[row], nonbasic[column] = entered, left
    if entered < n:
        place[entered] = -1
    if left < n:
        place[left] = column
        return left + n, left
    return left - n, left


@kernel
def lemke(M, q, d, z, T, basic, place, nonbasic, most):
    """Try to solve ``w = M z + q``, ``0 <= w  perp  z >= 0``; return the number of pivots.

    The covering variable z0 enters with the coefficients d. The complement of the variable that
    left enters next, until z0 leaves: then z is the solution. The method may end without a
    solution, on a ray or after ``most`` pivots; z is then the last point. Ties are broken
    lexicographically, so that degenerate problems (equal points, flat feet) do not cycle. Lemke
    1965; Cottle, Pang and Stone, The Linear Complementarity Problem, 1992, chapter 4.

    Args:
        M: shape (n, n).
        q: shape (n,).
        d: shape (n,), positive.
        z: shape (n,), out.
        T: shape (n, n + 2), scratch: basic variables as functions of nonbasic ones, z0 and 1.
        basic: shape (n,), scratch: the variable of each row; w_i is i, z_i is n + i, z0 is 2 n.
        place: shape (n,), scratch: the column of w_i, -1 while it is basic.
        nonbasic: shape (n + 1,), scratch: the variable of each column.
        most: most pivots.
    """
    n = len(q)
    for i in range(n):
        basic[i], nonbasic[i], place[i], z[i] = i, n + i, -1, 0.0
        T[i, n], T[i, n + 1] = d[i], q[i]
        for j in range(n):
            T[i, j] = M[i, j]
    nonbasic[n] = 2 * n
    column, row, pivots = n, first_row(T), 0
    if T[row, n + 1] >= 0.0:
        return 0
    while pivots < most and row >= 0:
        exchange(T, row, column)
        pivots += 1
        entering, left = swap(basic, place, nonbasic, row, column)
        if left == 2 * n:
            break
        for j in range(n + 1):
            if nonbasic[j] == entering:
                column = j
        row = leaving_row(T, basic, place, column)
    for i in range(n):
        if n <= basic[i] < 2 * n:
            z[basic[i] - n] = max(T[i, n + 1], 0.0)
    return pivots
