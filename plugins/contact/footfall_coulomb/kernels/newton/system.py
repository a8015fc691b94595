"""Systems in the columns of a factor ``W = Z Z'``: products with Z, and solving ``1 + Z' M Z``."""

from __future__ import annotations

from footfall.api.contact import ProblemSize
from footfall.api.kernels import inner, routine
from footfall_coulomb.kernels.sweep import rows_of_block


@inner
def row_times(Z, at, y, column):
    """Return the product of six entries of a row of Z with six of y, in three sums at once."""
    s = Z[at] * y[column] + Z[at + 3] * y[column + 3]
    t = Z[at + 1] * y[column + 1] + Z[at + 4] * y[column + 4]
    return s + t + (Z[at + 2] * y[column + 2] + Z[at + 5] * y[column + 5])


@inner
def six(x, at):
    """Return six entries of x."""
    return x[at], x[at + 1], x[at + 2], x[at + 3], x[at + 4], x[at + 5]


@routine
def times_factor(problem, low, y, out):
    """Write ``Z y``, shape (rows,)."""
    Z = low.Z
    for i in range(problem.size[ProblemSize.BLOCKS]):
        first, s0, s1, s2 = problem.row[i], 0.0, 0.0, 0.0
        rows = problem.row[i + 1] - first
        for s in range(2 * i, 2 * i + 2):
            at, column, width = low.segment[s, 0], low.segment[s, 1], low.segment[s, 2]
            b, c = at + low.segment[s, 3], at + 2 * low.segment[s, 3]
            if rows == 3 and width == 6:
                s0 += row_times(Z, at, y, column)
                s1 += row_times(Z, b, y, column)
                s2 += row_times(Z, c, y, column)
            elif rows == 3:
                for k in range(width):
                    v = y[column + k]
                    s0 += Z[at + k] * v
                    s1 += Z[b + k] * v
                    s2 += Z[c + k] * v
            else:
                for k in range(width):
                    s0 += Z[at + k] * y[column + k]
        out[first] = s0
        if rows == 3:
            out[first + 1], out[first + 2] = s1, s2


@inner
def add_six(H, to, V, v, stride, z0, z1, z2):
    """Add ``z0 V_0 + z1 V_1 + z2 V_2`` to six entries of a row of the system.

    For bodies without joints. No sum waits for another to be stored, so the processor computes
    several at a time.
    """
    w, x = v + stride, v + 2 * stride
    s0 = H[to] + (z0 * V[v] + z1 * V[w] + z2 * V[x])
    s1 = H[to + 1] + (z0 * V[v + 1] + z1 * V[w + 1] + z2 * V[x + 1])
    s2 = H[to + 2] + (z0 * V[v + 2] + z1 * V[w + 2] + z2 * V[x + 2])
    s3 = H[to + 3] + (z0 * V[v + 3] + z1 * V[w + 3] + z2 * V[x + 3])
    s4 = H[to + 4] + (z0 * V[v + 4] + z1 * V[w + 4] + z2 * V[x + 4])
    s5 = H[to + 5] + (z0 * V[v + 5] + z1 * V[w + 5] + z2 * V[x + 5])
    H[to], H[to + 1], H[to + 2] = s0, s1, s2
    H[to + 3], H[to + 4], H[to + 5] = s3, s4, s5


@routine
def times_transposed(problem, low, columns, r, out):
    """Write ``Z' r``, shape (columns,)."""
    Z = low.Z
    for k in range(columns):
        out[k] = 0.0
    for i in range(problem.size[ProblemSize.BLOCKS]):
        r0, r1, r2 = rows_of_block(problem, i, r)
        if r0 == 0.0 and r1 == 0.0 and r2 == 0.0:
            continue
        rows = problem.row[i + 1] - problem.row[i]
        for s in range(2 * i, 2 * i + 2):
            at, column, width = low.segment[s, 0], low.segment[s, 1], low.segment[s, 2]
            b, c = at + low.segment[s, 3], at + 2 * low.segment[s, 3]
            if rows == 3 and width == 6:
                add_six(out, column, Z, at, low.segment[s, 3], r0, r1, r2)
            elif rows == 3:
                for k in range(width):
                    out[column + k] += r0 * Z[at + k] + r1 * Z[b + k] + r2 * Z[c + k]
            else:
                for k in range(width):
                    out[column + k] += r0 * Z[at + k]


@inner
def respond_to(low, M, rows, column):
    """Write ``M Z_column`` of a segment of a block to ``low.T``, row by row."""
    Z, T = low.Z, low.T
    wide, at, stride = low.segment[column, 2], low.segment[column, 0], low.segment[column, 3]
    if rows == 3 and wide == 6:
        for a in range(3):
            t, m0, m1, m2 = 6 * a, M[3 * a], M[3 * a + 1], M[3 * a + 2]
            for k in range(6):
                T[t + k] = m0 * Z[at + k] + m1 * Z[at + stride + k] + m2 * Z[at + 2 * stride + k]
        return
    for a in range(rows):
        t = a * wide
        for k in range(wide):
            T[t + k] = M[3 * a] * Z[at + k]
        for b in range(1, rows):
            for k in range(wide):
                T[t + k] += M[3 * a + b] * Z[at + b * stride + k]


@inner
def add_product_of_six(H, to, length, U, u, of_u, high, V, v, of_v):
    """Run ``add_product`` for three rows and six columns: bodies without joints."""
    a0, a1, a2, a3, a4, a5 = six(V, v)
    b0, b1, b2, b3, b4, b5 = six(V, v + of_v)
    c0, c1, c2, c3, c4, c5 = six(V, v + 2 * of_v)
    for j in range(high):
        h, x, y, z = to + j * length, U[u + j], U[u + of_u + j], U[u + 2 * of_u + j]
        s0, s1 = H[h] + x * a0 + y * b0 + z * c0, H[h + 1] + x * a1 + y * b1 + z * c1
        s2, s3 = H[h + 2] + x * a2 + y * b2 + z * c2, H[h + 3] + x * a3 + y * b3 + z * c3
        s4, s5 = H[h + 4] + x * a4 + y * b4 + z * c4, H[h + 5] + x * a5 + y * b5 + z * c5
        H[h], H[h + 1], H[h + 2], H[h + 3], H[h + 4], H[h + 5] = s0, s1, s2, s3, s4, s5


@inner
def add_product(H, to, length, rows, U, u, of_u, high, V, v, of_v, wide):
    """Add ``U' V`` to a block of the system, shape (high, wide), with rows ``length`` apart.

    U and V have ``rows`` rows, which are ``of_u`` and ``of_v`` apart.
    """
    if rows == 3 and wide == 6:
        add_product_of_six(H, to, length, U, u, of_u, high, V, v, of_v)
        return
    for j in range(high):
        h, z0 = to + j * length, U[u + j]
        if rows == 3:
            z1, z2 = U[u + of_u + j], U[u + 2 * of_u + j]
            if z0 != 0.0 or z1 != 0.0 or z2 != 0.0:
                for k in range(wide):
                    H[h + k] += z0 * V[v + k] + z1 * V[v + of_v + k] + z2 * V[v + 2 * of_v + k]
        elif z0 != 0.0:
            for k in range(wide):
                H[h + k] += z0 * V[v + k]


@inner
def add_block(low, rows, row, column):
    """Add ``Z_row' T`` of two segments of a block to the system."""
    H, Z, T = low.sum, low.Z, low.T
    a, b = low.node[low.segment[row, 1]], low.node[low.segment[column, 1]]
    z, high, stride = low.segment[row, 0], low.segment[row, 2], low.segment[row, 3]
    wide = low.segment[column, 2]
    if a <= b:
        to = low.front[a] + (low.link[a, b] if a < b else 0)
        add_product(H, to, low.length[a], rows, Z, z, stride, high, T, 0, wide, wide)
    else:
        below = low.length[b] - wide
        to = low.front[b] + wide * low.length[b] + low.link[b, a] - wide
        add_product(H, to, below, rows, T, 0, wide, wide, Z, z, stride, high)


@inner
def begin_sum(low, blocks):
    """Write the unit matrix to ``low.sum``, to which no block is added yet."""
    for k in range(low.front[low.nodes[0]]):
        low.sum[k] = 0.0
    for a in range(low.nodes[0]):
        for j in range(low.wide[a]):
            low.sum[low.front[a] + j * (low.length[a] + 1)] = 1.0
    for i in range(blocks):
        for k in range(9):
            low.added[i, k] = 0.0
    low.nodes[1] = 1


@inner
def differs(low, i):
    """Return whether M of block i is not that in ``low.sum``."""
    different = False
    for k in range(9):
        different = different or low.M[i, k] != low.added[i, k]
    return different


@routine
def write_system(problem, low):
    """Write ``1 + Z' M Z`` to ``low.H``; the blocks of M are ``low.M``.

    What is added to the last system serves again where at most half of the blocks have changed.
    """
    blocks, changed = problem.size[ProblemSize.BLOCKS], 0
    for i in range(blocks):
        changed += 1 if differs(low, i) else 0
    if low.nodes[1] == 0 or 2 * changed > blocks:
        begin_sum(low, blocks)
    for i in range(blocks):
        if not differs(low, i):
            continue
        change, rows = low.added[i], problem.row[i + 1] - problem.row[i]
        for k in range(9):
            change[k] = low.M[i, k] - change[k]
        for t in range(2 * i, 2 * i + 2):
            if low.segment[t, 2] == 0:
                continue
            respond_to(low, change, rows, t)
            for s in range(2 * i, 2 * i + 2):
                if low.segment[s, 2] > 0:
                    add_block(low, rows, s, t)
        for k in range(9):
            change[k] = low.M[i, k]
    for k in range(low.front[low.nodes[0]]):
        low.H[k] = low.sum[k]


@inner
def dot_six(H, v, length, f0, f1, f2, f3, f4, f5):
    """Return ``f' V`` for one entry of each of six rows of the system, ``length`` apart."""
    w, x = v + 2 * length, v + 4 * length
    s = (f0 * H[v] + f1 * H[v + length]) + (f2 * H[w] + f3 * H[w + length])
    return s + (f4 * H[x] + f5 * H[x + length])


@inner
def subtract_product_of_six(H, to, stride, u, of_u, high, v, of_v):
    """Run ``subtract_product`` for six rows and columns."""
    a0, a1, a2, a3, a4, a5 = six(H, v)
    b0, b1, b2, b3, b4, b5 = six(H, v + of_v)
    c0, c1, c2, c3, c4, c5 = six(H, v + 2 * of_v)
    d0, d1, d2, d3, d4, d5 = six(H, v + 3 * of_v)
    e0, e1, e2, e3, e4, e5 = six(H, v + 4 * of_v)
    f0, f1, f2, f3, f4, f5 = six(H, v + 5 * of_v)
    for j in range(high):
        h, g = to + j * stride, u + j
        p, q, r = H[g], H[g + of_u], H[g + 2 * of_u]
        x, y, z = H[g + 3 * of_u], H[g + 4 * of_u], H[g + 5 * of_u]
        s0 = H[h] - (p * a0 + q * b0 + r * c0) - (x * d0 + y * e0 + z * f0)
        s1 = H[h + 1] - (p * a1 + q * b1 + r * c1) - (x * d1 + y * e1 + z * f1)
        s2 = H[h + 2] - (p * a2 + q * b2 + r * c2) - (x * d2 + y * e2 + z * f2)
        s3 = H[h + 3] - (p * a3 + q * b3 + r * c3) - (x * d3 + y * e3 + z * f3)
        s4 = H[h + 4] - (p * a4 + q * b4 + r * c4) - (x * d4 + y * e4 + z * f4)
        s5 = H[h + 5] - (p * a5 + q * b5 + r * c5) - (x * d5 + y * e5 + z * f5)
        H[h], H[h + 1], H[h + 2], H[h + 3], H[h + 4], H[h + 5] = s0, s1, s2, s3, s4, s5


@inner
def subtract_product(H, to, stride, rows, u, of_u, high, v, of_v, wide):
    """Subtract ``U' V`` from a block of the system; U and V are rows of the same system."""
    if rows == 6 and wide == 6:
        subtract_product_of_six(H, to, stride, u, of_u, high, v, of_v)
        return
    for j in range(high):
        h, g = to + j * stride, u + j
        for a in range(rows):
            f = H[g + a * of_u]
            if f != 0.0:
                for k in range(wide):
                    H[h + k] -= f * H[v + a * of_v + k]


@inner
def eliminate_own(low, a):
    """Eliminate a node's columns in its own rows and in the rows below; return False if singular.

    Its rows and the rows below then hold the factors.
    """
    H, wide, length, at = low.H, low.wide[a], low.length[a], low.front[a]
    below, of = length - wide, at + wide * length
    for j in range(wide):
        h = at + j * length
        if abs(H[h + j]) < 1e-300:
            return False
        inverse = 1.0 / H[h + j]
        for b in range(j + 1, wide):
            row = at + b * length
            f = H[row + j] * inverse
            H[row + j] = f
            if f != 0.0:
                for k in range(j + 1, length):
                    H[row + k] -= f * H[h + k]
        for i in range(j):
            f = H[at + i * length + j]
            for k in range(below):
                H[of + j * below + k] -= f * H[of + i * below + k]
        for k in range(below):
            H[of + j * below + k] *= inverse
    return True


@inner
def eliminate_later(low, a):
    """Eliminate a node from the rows and columns of the later nodes that it reaches."""
    H, wide, length, at = low.H, low.wide[a], low.length[a], low.front[a]
    below, of = length - wide, at + wide * length
    for s in range(low.start[a], low.start[a + 1]):
        p = low.reach[s]
        high, begin, row = low.wide[p], low.link[a, p], low.length[p]
        u = of + begin - wide
        subtract_product(
            *(H, low.front[p], row, wide, u, below, high, at + begin, length, high),
        )
        for t in range(s + 1, low.start[a + 1]):
            q = low.reach[t]
            to, other = low.link[p, q], low.link[a, q]
            v, under = of + other - wide, low.front[p] + high * row + to - high
            subtract_product(
                *(H, low.front[p] + to, row, wide, u, below, high),
                *(at + other, length, low.wide[q]),
            )
            subtract_product(
                *(H, under, row - high, wide, at + begin, length, high),
                *(v, below, low.wide[q]),
            )


@routine
def factor_system(low):
    """Overwrite H with its factors, node by node; return False if it is singular.

    No pivoting: H is the unit matrix plus a product that only friction makes unsymmetric.
    """
    for a in range(low.nodes[0]):
        if not eliminate_own(low, a):
            return False
        eliminate_later(low, a)
    return True


@inner
def eliminate_right(low, a, x):
    """Eliminate a node from a right side."""
    H, wide, length, at, first = low.H, low.wide[a], low.length[a], low.front[a], low.first[a]
    below, of = length - wide, at + wide * length
    for j in range(wide):
        for b in range(j + 1, wide):
            x[first + b] -= H[at + b * length + j] * x[first + j]
    for s in range(low.start[a], low.start[a + 1]):
        p = low.reach[s]
        to, u = low.first[p], of + low.link[a, p] - wide
        if wide == 6:
            f0, f1, f2, f3, f4, f5 = six(x, first)
            for k in range(low.wide[p]):
                x[to + k] -= dot_six(H, u + k, below, f0, f1, f2, f3, f4, f5)
        else:
            for j in range(wide):
                for k in range(low.wide[p]):
                    x[to + k] -= H[u + j * below + k] * x[first + j]


@routine
def solve_system(low, x):
    """Overwrite x with ``H^-1 x`` by the factors of ``factor_system``."""
    H = low.H
    for a in range(low.nodes[0]):
        eliminate_right(low, a, x)
    for a in range(low.nodes[0] - 1, -1, -1):
        wide, length, first = low.wide[a], low.length[a], low.first[a]
        for t in range(low.start[a], low.start[a + 1]):
            p = low.reach[t]
            of = low.first[p]
            for j in range(wide):
                g = low.front[a] + j * length + low.link[a, p]
                if low.wide[p] == 6:
                    x[first + j] -= row_times(H, g, x, of)
                else:
                    for k in range(low.wide[p]):
                        x[first + j] -= H[g + k] * x[of + k]
        for j in range(wide - 1, -1, -1):
            h, s = low.front[a] + j * length, x[first + j]
            for k in range(j + 1, wide):
                s -= H[h + k] * x[first + k]
            x[first + j] = s / H[h + j]
