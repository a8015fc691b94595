"""Factorisation of the joint-space inertia along the kinematic tree (branch-induced sparsity).

``M = L' D L`` with L unit lower triangular; row i of L is zero but at the ancestors of dof i.
Featherstone, Rigid Body Dynamics Algorithms (2008), section 6.5, tables 6.3 to 6.5. The parent list
``i - 1`` gives the dense case.
"""

from __future__ import annotations

from footfall.jit.compiling import inner


@inner
def factor(L, at, n, parent, first):
    """Factor the n x n matrix stored row-major at ``L[at:]`` in place; return the smallest pivot.

    Only the lower triangle is read and written: L off the diagonal, D on it.
    ``parent[first + i]`` is the parent dof (local, -1 at the root) of dof i.
    """
    smallest = 1e300
    for k in range(n - 1, -1, -1):
        row_k = at + k * n
        d = L[row_k + k]
        smallest = min(smallest, d)
        i = parent[first + k]
        while i >= 0:
            a = L[row_k + i] / d
            row_i = at + i * n
            j = i
            while j >= 0:
                L[row_i + j] -= a * L[row_k + j]
                j = parent[first + j]
            L[row_k + i] = a
            i = parent[first + i]
    return smallest


@inner
def solve_transposed(L, at, n, parent, first, x):
    """Overwrite ``x[first:first+n]`` with L^-T x."""
    for i in range(n - 1, -1, -1):
        xi = x[first + i]
        j = parent[first + i]
        while j >= 0:
            x[first + j] -= L[at + i * n + j] * xi
            j = parent[first + j]


@inner
def solve_lower(L, at, n, parent, first, x):
    """Overwrite ``x[first:first+n]`` with L^-1 x."""
    for i in range(n):
        s = x[first + i]
        j = parent[first + i]
        while j >= 0:
            s -= L[at + i * n + j] * x[first + j]
            j = parent[first + j]
        x[first + i] = s


@inner
def solve(L, at, n, parent, first, x):
    """Overwrite ``x[first:first+n]`` with M^-1 x = L^-1 D^-1 L^-T x."""
    solve_transposed(L, at, n, parent, first, x)
    for i in range(n):
        x[first + i] /= L[at + i * n + i]
    solve_lower(L, at, n, parent, first, x)
