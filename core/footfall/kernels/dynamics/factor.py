"""Factorisation of the joint-space inertia along the kinematic tree (branch-induced sparsity).

``M = L' D L`` with L unit lower triangular; row i of L is zero but at the ancestors of dof i.
Featherstone, Rigid Body Dynamics Algorithms (2008), section 6.5, tables 6.3 to 6.5. The parent list
``i - 1`` gives the dense case.

Rows of a Jacobian become ``D^-1/2 L^-T J'`` along a link's span, its chain or all dofs. Where
drives couple joints of two branches the factor has entries beyond the kinematic tree: the parents
of its dofs are then ``i - 1``, and what begins on a chain ends on all dofs before it.
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


@inner
def spread(topology, link, Z, at):
    """Give the rows of a chain, three numbers a dof, a place for each dof of the tree."""
    tree = topology.link_tree[link]
    n = topology.tree_v[tree + 1] - topology.tree_v[tree]
    start, end = topology.chain_start[link], topology.chain_start[link + 1]
    filled = n
    for p in range(end - start - 1, -1, -1):
        dof = topology.chain[start + p]
        for k in range(3):
            Z[at + 3 * dof + k] = Z[at + 3 * p + k]
        for i in range(3 * (dof + 1), 3 * filled):
            Z[at + i] = 0.0
        filled = dof
    for i in range(3 * filled):
        Z[at + i] = 0.0


@inner
def along_span(topology, dynamics, link, Z, at):
    """Overwrite rows on a link's span with ``D^-1/2 L^-T`` times them; return their end."""
    tree = topology.link_tree[link]
    first, L0 = topology.tree_v[tree], topology.tree_M[tree]
    n, L = topology.tree_v[tree + 1] - first, dynamics.L
    start, end = topology.span_start[link], topology.span_start[link + 1]
    for p in range(end - start - 1, -1, -1):
        i = topology.span[start + p]
        z0, z1, z2 = Z[at + 3 * p], Z[at + 3 * p + 1], Z[at + 3 * p + 2]
        for r in range(p):
            a = L[L0 + i * n + topology.span[start + r]]
            Z[at + 3 * r] -= a * z0
            Z[at + 3 * r + 1] -= a * z1
            Z[at + 3 * r + 2] -= a * z2
        s = dynamics.scale[first + i]
        Z[at + 3 * p], Z[at + 3 * p + 1], Z[at + 3 * p + 2] = s * z0, s * z1, s * z2
    return at + 3 * (end - start)


@inner
def row_along_span(topology, dynamics, link, Z, at):
    """Do the same with a single row, the first of the three numbers of each dof."""
    tree = topology.link_tree[link]
    first, L0 = topology.tree_v[tree], topology.tree_M[tree]
    n, L = topology.tree_v[tree + 1] - first, dynamics.L
    start, end = topology.span_start[link], topology.span_start[link + 1]
    for p in range(end - start - 1, -1, -1):
        i, z = topology.span[start + p], Z[at + 3 * p]
        for r in range(p):
            Z[at + 3 * r] -= L[L0 + i * n + topology.span[start + r]] * z
        Z[at + 3 * p] = dynamics.scale[first + i] * z
    return at + 3 * (end - start)
