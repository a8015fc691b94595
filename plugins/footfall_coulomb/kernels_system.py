"""Systems in the columns of a factor ``W = Z Z'``: products with Z, and ``1 + Z' M Z`` solved."""

from __future__ import annotations

from footfall.api.kernels import inner, routine
from footfall_coulomb.problem_places import BLOCKS


@routine
def times_factor(problem, low, y, out):
    """Write ``Z y``, shape (rows,)."""
    Z = low.Z
    for i in range(problem.size[BLOCKS]):
        first, s0, s1, s2 = problem.row[i], 0.0, 0.0, 0.0
        rows = problem.row[i + 1] - first
        for s in range(2 * i, 2 * i + 2):
            at, column, width = low.segment[s, 0], low.segment[s, 1], low.segment[s, 2]
            if rows == 3:
                b, c = at + low.segment[s, 3], at + 2 * low.segment[s, 3]
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


@routine
def times_transposed(problem, low, columns, r, out):
    """Write ``Z' r``, shape (columns,)."""
    Z = low.Z
    for k in range(columns):
        out[k] = 0.0
    for i in range(problem.size[BLOCKS]):
        first = problem.row[i]
        rows = problem.row[i + 1] - first
        for a in range(rows):
            f = r[first + a]
            if f == 0.0:
                continue
            for s in range(2 * i, 2 * i + 2):
                at, column = low.segment[s, 0] + a * low.segment[s, 3], low.segment[s, 1]
                for k in range(low.segment[s, 2]):
                    out[column + k] += f * Z[at + k]


@inner
def respond_to(low, i, rows, column):
    """Write ``M Z_column`` of a segment of block i to ``low.T``."""
    Z, M, T = low.Z, low.M[i], low.T
    wide, at, stride = low.segment[column, 2], low.segment[column, 0], low.segment[column, 3]
    if rows == 3 and wide == 6:
        for a in range(3):
            t, m0, m1, m2 = T[a], M[3 * a], M[3 * a + 1], M[3 * a + 2]
            for k in range(6):
                t[k] = m0 * Z[at + k] + m1 * Z[at + stride + k] + m2 * Z[at + 2 * stride + k]
        return
    for a in range(rows):
        t = T[a]
        for k in range(wide):
            t[k] = M[3 * a] * Z[at + k]
        for b in range(1, rows):
            for k in range(wide):
                t[k] += M[3 * a + b] * Z[at + b * stride + k]


@inner
def add_six(h, first, T, z0, z1, z2):
    """Add ``z0 T_0 + z1 T_1 + z2 T_2`` to six entries of a row of the system.

    For bodies without joints. No sum waits for another to be stored: several are taken at a time.
    """
    t0, t1, t2 = T[0], T[1], T[2]
    s0 = h[first] + (z0 * t0[0] + z1 * t1[0] + z2 * t2[0])
    s1 = h[first + 1] + (z0 * t0[1] + z1 * t1[1] + z2 * t2[1])
    s2 = h[first + 2] + (z0 * t0[2] + z1 * t1[2] + z2 * t2[2])
    s3 = h[first + 3] + (z0 * t0[3] + z1 * t1[3] + z2 * t2[3])
    s4 = h[first + 4] + (z0 * t0[4] + z1 * t1[4] + z2 * t2[4])
    s5 = h[first + 5] + (z0 * t0[5] + z1 * t1[5] + z2 * t2[5])
    h[first], h[first + 1], h[first + 2] = s0, s1, s2
    h[first + 3], h[first + 4], h[first + 5] = s3, s4, s5


@inner
def add_block(low, rows, row, column):
    """Add ``Z_row' T`` of two segments of a block to the system."""
    Z, T, H = low.Z, low.T, low.H
    wide, first = low.segment[column, 2], low.segment[column, 1]
    begin, at, stride = low.segment[row, 1], low.segment[row, 0], low.segment[row, 3]
    t0, t1, t2 = T[0], T[1], T[2]
    for j in range(low.segment[row, 2]):
        h, z0 = H[begin + j], Z[at + j]
        if rows == 3:
            z1, z2 = Z[at + stride + j], Z[at + 2 * stride + j]
            if wide == 6:
                add_six(h, first, T, z0, z1, z2)
            elif z0 != 0.0 or z1 != 0.0 or z2 != 0.0:
                for k in range(wide):
                    h[first + k] += z0 * t0[k] + z1 * t1[k] + z2 * t2[k]
        elif z0 != 0.0:
            for k in range(wide):
                h[first + k] += z0 * t0[k]


@routine
def write_system(problem, low, columns):
    """Write ``1 + Z' M Z`` to ``low.H``, M block-diagonal with ``low.M``."""
    H, M = low.H, low.M
    for j in range(columns):
        h = H[j]
        for k in range(low.last[j] + 1):
            h[k] = 0.0
        h[j] = 1.0
    for i in range(problem.size[BLOCKS]):
        total = 0.0
        for k in range(9):
            total += abs(M[i, k])
        if total == 0.0:
            continue
        rows = problem.row[i + 1] - problem.row[i]
        for t in range(2 * i, 2 * i + 2):
            if low.segment[t, 2] == 0:
                continue
            respond_to(low, i, rows, t)
            for s in range(2 * i, 2 * i + 2):
                if low.segment[s, 2] > 0:
                    add_block(low, rows, s, t)


@routine
def solve_system(low, columns, x):
    """Overwrite x with ``H^-1 x``, within the band; H is destroyed. False: singular.

    Without pivoting: H is the unit matrix and a product that friction alone makes unsymmetric.
    """
    H, last = low.H, low.last
    for i in range(columns):
        h, end = H[i], last[i] + 1
        if abs(h[i]) < 1e-300:
            return False
        inverse, v = 1.0 / h[i], x[i]
        for a in range(i + 1, end):
            row = H[a]
            f = row[i] * inverse
            if f != 0.0:
                for b in range(i + 1, end):
                    row[b] -= f * h[b]
                x[a] -= f * v
    for i in range(columns - 1, -1, -1):
        h, s = H[i], x[i]
        for b in range(i + 1, last[i] + 1):
            s -= h[b] * x[b]
        x[i] = s / h[i]
    return True
