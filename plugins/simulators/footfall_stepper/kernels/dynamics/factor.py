"""Factorisation of the joint-space inertia along the kinematic tree (branch-induced sparsity).

``M = L' D L`` with L unit lower triangular; row i of L is zero but at the ancestors of dof i.
Featherstone, Rigid Body Dynamics Algorithms (2008), section 6.5, tables 6.3 to 6.5. The parent list
``i - 1`` gives the dense case.

Rows of a Jacobian become ``D^-1/2 L^-T J'`` along a link's span: its chain or all dofs. If drives
couple joints of two branches, the factor has entries outside the kinematic tree. The parents of
these dofs are then ``i - 1``, and rows that begin on a chain end on all dofs before it.
"""

from __future__ import annotations

from footfall.jit.compiling import inner
from footfall.jit.four import add_times, get_four, no_four, set_four, subtract_times


@inner
def tree_layout(topology, tree):
    """Return a tree's first dof, its number of dofs, and the start of its matrices.

    Also the number of dofs that carry every joint: the six of a floating base, which come first.
    """
    first = topology.tree_v[tree]
    base = 6 if topology.floating[tree] == 1 else 0
    return first, topology.tree_v[tree + 1] - first, topology.tree_M[tree], base


@inner
def factor(topology, tree, L, x):
    """Factor a tree's matrix, row-major in L, in place; return the smallest pivot.

    Only the lower triangle is read. On exit it holds L off the diagonal and D on it; a base's block
    is written in full. Dof k leaves ``L_ki = A_ki / D_k`` and ``A_ij -= L_ki A_kj`` for the dofs
    that carry it. The tree's entries of x are overwritten with ``L^-T x``: ``x_i -= L_ki x_k``.
    """
    first, n, at, base = tree_layout(topology, tree)
    parent, smallest = topology.dof_parent, 1e300
    for k in range(n - 1, -1, -1):
        row, x_k, i = at + k * n, x[first + k], parent[first + k]
        smallest = min(smallest, L[row + k])
        share, end = 1.0 / L[row + k], base if k >= base else 0
        while i >= end:
            a, j, to = share * L[row + i], i, at + i * n
            if end > 0:
                subtract_six(L, to, a, L, row)
            while j >= end:
                L[to + j] -= a * L[row + j]
                j = parent[first + j]
            L[row + i] = a
            x[first + i] -= a * x_k
            i = parent[first + i]
        if end > 0:
            for j in range(6):
                subtract_six(L, at + j * n, share * L[row + j], L, row)
            for j in range(6):
                L[row + j] *= share
            subtract_six(x, first, x_k, L, row)
    return smallest


@inner
def subtract_six(x, to, a, y, of):
    """Subtract ``a y`` from x, six entries each."""
    y0, y1, y2, y3, y4, y5 = y[of], y[of + 1], y[of + 2], y[of + 3], y[of + 4], y[of + 5]
    x0, x1, x2 = x[to] - a * y0, x[to + 1] - a * y1, x[to + 2] - a * y2
    x3, x4, x5 = x[to + 3] - a * y3, x[to + 4] - a * y4, x[to + 5] - a * y5
    x[to], x[to + 1], x[to + 2], x[to + 3], x[to + 4], x[to + 5] = x0, x1, x2, x3, x4, x5


@inner
def product_of_six(x, a, y, b):
    """Return the scalar product of six entries of x from a and of y from b."""
    s = x[a] * y[b] + x[a + 1] * y[b + 1] + x[a + 2] * y[b + 2]
    return s + (x[a + 3] * y[b + 3] + x[a + 4] * y[b + 4] + x[a + 5] * y[b + 5])


@inner
def solve_lower(topology, tree, L, x):
    """Overwrite a tree's entries of x with L^-1 x.

    The term of a dof's parent comes last: it is known later than the rest.
    """
    first, n, at, base = tree_layout(topology, tree)
    parent = topology.dof_parent
    for i in range(n):
        row, carrier, end = at + i * n, parent[first + i], base if i >= base else 0
        s = product_of_six(L, row, x, first) if end > 0 else 0.0
        if carrier >= end:
            j = parent[first + carrier]
            while j >= end:
                s += L[row + j] * x[first + j]
                j = parent[first + j]
            x[first + i] = (x[first + i] - s) - L[row + carrier] * x[first + carrier]
        else:
            x[first + i] -= s


@inner
def solve_factored(topology, tree, L, x):
    """Overwrite a tree's entries of x, which hold ``L^-T x``, with ``M^-1 x``."""
    first, n, at, _ = tree_layout(topology, tree)
    for i in range(n):
        x[first + i] /= L[at + i * n + i]
    solve_lower(topology, tree, L, x)


@inner
def solve(topology, tree, L, x):
    """Overwrite a tree's entries of x with M^-1 x = L^-1 D^-1 L^-T x."""
    first, n, at, _ = tree_layout(topology, tree)
    for i in range(n - 1, -1, -1):
        x_i, j = x[first + i], topology.dof_parent[first + i]
        while j >= 0:
            x[first + j] -= L[at + i * n + j] * x_i
            j = topology.dof_parent[first + j]
    solve_factored(topology, tree, L, x)


@inner
def spread(topology, link, Z, at):
    """Expand the rows of a chain, four numbers per dof, to a place for each dof of the tree."""
    tree = topology.link_tree[link]
    n = topology.tree_v[tree + 1] - topology.tree_v[tree]
    start, end = topology.chain_start[link], topology.chain_start[link + 1]
    filled = n
    for p in range(end - start - 1, -1, -1):
        dof = topology.chain[start + p]
        set_four(Z, at + 4 * dof, get_four(Z, at + 4 * p))
        for i in range(dof + 1, filled):
            set_four(Z, at + 4 * i, no_four())
        filled = dof
    for i in range(filled):
        set_four(Z, at + 4 * i, no_four())


@inner
def along_span(topology, dynamics, link, Z, at):
    """Multiply rows on a link's span by ``D^-1/2 L^-T`` in place; return their end."""
    tree = topology.link_tree[link]
    first, L0 = topology.tree_v[tree], topology.tree_M[tree]
    n, L = topology.tree_v[tree + 1] - first, dynamics.L
    start, end = topology.span_start[link], topology.span_start[link + 1]
    for p in range(end - start - 1, -1, -1):
        i, z = topology.span[start + p], get_four(Z, at + 4 * p)
        row = L0 + i * n
        for r in range(p):
            a, to = L[row + topology.span[start + r]], at + 4 * r
            set_four(Z, to, subtract_times(get_four(Z, to), a, z))
        set_four(Z, at + 4 * p, add_times(no_four(), dynamics.scale[first + i], z))
    return at + 4 * (end - start)


@inner
def row_along_span(topology, dynamics, link, Z, at):
    """Do the same as ``along_span`` for one row, the first of the four numbers of each dof."""
    tree = topology.link_tree[link]
    first, L0 = topology.tree_v[tree], topology.tree_M[tree]
    n, L = topology.tree_v[tree + 1] - first, dynamics.L
    start, end = topology.span_start[link], topology.span_start[link + 1]
    for p in range(end - start - 1, -1, -1):
        i, z = topology.span[start + p], Z[at + 4 * p]
        for r in range(p):
            Z[at + 4 * r] -= L[L0 + i * n + topology.span[start + r]] * z
        Z[at + 4 * p] = dynamics.scale[first + i] * z
    return at + 4 * (end - start)
