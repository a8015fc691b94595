"""Omega, the accelerations of touched links for forces on touched links, in two ways.

``a_j = Omega_ij f_i`` for links i and j of one tree at rest, 6 x 6, symmetric as a whole.
"""

from __future__ import annotations

from footfall.jit.compiling import inner
from footfall.kernels.delassus.contact_paths import hand_down, pass_on, start_at_base, unload


@inner
def block_of(body, tree, i, j):
    """Return where the block of the i-th and j-th touched link of a tree starts in ``omega``."""
    return body.omega_start[tree] + 36 * (i * body.touched_size[tree] + j)


@inner
def omega_by_unit_forces(topology, dynamics, body, tree):
    """Apply six unit forces to each touched link and read the accelerations of all touched links.

    Chardonnet, Keith, Yoshida, Escande, Kheddar, Yokoi: the new method, eq. 5. No common ancestor
    is searched, and nothing is needed but what the free acceleration has left.
    """
    first = topology.tree_link[tree]
    for i in range(body.touched_size[tree]):
        link = body.touched[first + i]
        for c in range(6):
            for k in range(6):
                body.force[c, k] = 1.0 if c == k else 0.0
        hand_down(dynamics, body, link, 6)
        start_at_base(topology, body, tree, 6)
        pass_on(topology, dynamics, body, tree, 6)
        unload(body, link)
        for j in range(body.touched_size[tree]):
            other, at = body.touched[first + j], block_of(body, tree, i, j)
            for k in range(36):
                body.omega[at + k] = body.acceleration[other, k]


@inner
def diagonal(topology, dynamics, body, tree):
    """Write Omega of every link on a path with itself, from the root on, to ``acceleration``.

    ``Omega_ii = S S' / D + L' Omega_hh L`` with ``L = 1 - U S' / D`` and h the parent of i: a
    correction of rank two.
    """
    S, U, A, first = dynamics.S, body.force_of_joint, body.acceleration, topology.tree_link[tree]
    for k in range(36):
        A[first, k] = body.base[tree, k] if topology.floating[tree] == 1 else 0.0
    w = body.force
    for p in range(1, body.path_size[tree]):
        link = body.path[first + p]
        k, up, inverse = body.dof[link], body.parent[link], body.inverse_pivot[link]
        total = 0.0
        for i in range(6):
            s = A[up, 6 * i] * U[link, 0]
            for j in range(1, 6):
                s += A[up, 6 * i + j] * U[link, j]
            w[0, i] = s * inverse
            total += U[link, i] * w[0, i]
        # S S' (1 + U' Omega U / D) / D - S w' - w S', as S x' + x S' with half of the first in x.
        half = 0.5 * inverse * (1.0 + total)
        for i in range(6):
            w[1, i] = half * S[k, i] - w[0, i]
        for i in range(6):
            for j in range(i, 6):
                value = A[up, 6 * i + j] + S[k, i] * w[1, j] + w[1, i] * S[k, j]
                A[link, 6 * i + j] = value
                A[link, 6 * j + i] = value


@inner
def walk(body, ancestor, link):
    """List the links below an ancestor down to a link in ``down``, last first; return the count."""
    n = 0
    while link != ancestor:
        body.down[n] = link
        link = body.parent[link]
        n += 1
    return n


@inner
def common_ancestor(body, a, b):
    """Return the nearest link that two links of one tree both hang on, themselves included."""
    while a != b:
        if a > b:
            a = body.parent[a]
        else:
            b = body.parent[b]
    return a


@inner
def off_diagonal(dynamics, body, a, b, at):
    """Write ``Omega_ab`` (acceleration of b for a force on a) to ``omega[at:]``.

    From the nearest common ancestor: down to b by ``L_b' Omega``, then down to a by ``Omega L_a``.
    """
    S, U, X = dynamics.S, body.force_of_joint, body.omega
    k = common_ancestor(body, a, b)
    for c in range(36):
        X[at + c] = body.acceleration[k, c]
    # Rows of the block belong to the force's components: columns of the matrix.
    for p in range(walk(body, k, b) - 1, -1, -1):
        link = body.down[p]
        dof, inverse = body.dof[link], body.inverse_pivot[link]
        for c in range(6):
            s = U[link, 0] * X[at + 6 * c]
            for i in range(1, 6):
                s += U[link, i] * X[at + 6 * c + i]
            s *= inverse
            for i in range(6):
                X[at + 6 * c + i] -= S[dof, i] * s
    for p in range(walk(body, k, a) - 1, -1, -1):
        link = body.down[p]
        dof, inverse = body.dof[link], body.inverse_pivot[link]
        for i in range(6):
            s = U[link, 0] * X[at + i]
            for c in range(1, 6):
                s += U[link, c] * X[at + 6 * c + i]
            s *= inverse
            for c in range(6):
                X[at + 6 * c + i] -= S[dof, c] * s


@inner
def omega_by_recursion(topology, dynamics, body, tree):
    """Go from the root to the touched links, then to pairs of them from their common ancestor.

    Chang and Khatib, Operational Space Dynamics: Efficient Algorithms for Modeling and Control of
    Branching Mechanisms (ICRA 2000).
    """
    first, n = topology.tree_link[tree], body.touched_size[tree]
    diagonal(topology, dynamics, body, tree)
    for i in range(n):
        a, at = body.touched[first + i], block_of(body, tree, i, i)
        for k in range(36):
            body.omega[at + k] = body.acceleration[a, k]
        for j in range(i + 1, n):
            at = block_of(body, tree, i, j)
            off_diagonal(dynamics, body, a, body.touched[first + j], at)
            mirror = block_of(body, tree, j, i)
            for r in range(6):
                for c in range(6):
                    body.omega[mirror + 6 * r + c] = body.omega[at + 6 * c + r]
