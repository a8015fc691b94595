"""The Delassus matrix ``J M^-1 J' = Lambda^-1`` from articulated bodies, by three methods.

Each fills the 3 x 3 blocks of pairs of contacts that share a tree, in the block structure of the
contact problem; the core's step does the same from the factor of the inertia. Two methods use
Omega, the accelerations of touched links for forces on touched links: ``a_j = Omega_ij f_i`` for
links i and j of one tree at rest, 6 x 6, symmetric as a whole.
"""

from __future__ import annotations

from footfall.api import kernels as tables
from footfall.api.contact import ProblemSize
from footfall.api.kernels import inner, kernel
from footfall_delassus.kernels.articulated import articulated_of


@inner
def mark_paths(topology, sides, blocks, body):
    """List, tree by tree, the links with contacts and all links between them and the root."""
    for link in range(len(topology.mass)):
        body.on_path[link] = 0
        body.place[link] = -1
    for tree in range(len(topology.free)):
        body.path_size[tree] = body.touched_size[tree] = 0
    for b in range(blocks):
        for s in range(2):
            link = sides.link[b, s]
            if link >= 0 and body.place[link] < 0:
                tree = topology.link_tree[link]
                n = body.touched_size[tree]
                body.place[link] = n
                body.touched[topology.tree_link[tree] + n] = link
                body.touched_size[tree] = n + 1
                while link >= 0 and body.on_path[link] == 0:
                    body.on_path[link] = 1
                    link = body.parent[link]
    for link in range(len(topology.mass)):
        if body.on_path[link] == 1:
            tree = topology.link_tree[link]
            body.path[topology.tree_link[tree] + body.path_size[tree]] = link
            body.path_size[tree] += 1


@inner
def hand_down(dynamics, body, link, n):
    """Pass n wrenches from a link to its root; write their joint forces on the way to ``load``.

    The second recursion of Featherstone's algorithm with only these wrenches:
    ``u = S' f``, ``f_parent = f - U u / D``.
    """
    S, U, force = dynamics.S, body.force_of_joint, body.force
    while body.dof[link] >= 0:
        k, inverse = body.dof[link], body.inverse_pivot[link]
        body.loaded[link] = 1
        for c in range(n):
            u = S[k, 0] * force[c, 0]
            for i in range(1, 6):
                u += S[k, i] * force[c, i]
            body.load[link, c] = u
            u *= inverse
            for i in range(6):
                force[c, i] -= U[link, i] * u
        link = body.parent[link]


@inner
def start_at_base(topology, body, tree, n):
    """Write the accelerations of a tree's root under the wrenches at it: ``a = I_A^-1 f``."""
    root, a = topology.tree_link[tree], body.acceleration
    for c in range(n):
        for i in range(6):
            s = 0.0
            if topology.floating[tree] == 1:
                s = body.base[tree, 6 * i] * body.force[c, 0]
                for j in range(1, 6):
                    s += body.base[tree, 6 * i + j] * body.force[c, j]
            a[root, 6 * c + i] = s


@inner
def pass_on(topology, dynamics, body, tree, n):
    """Pass n accelerations from the root to the touched links.

    The third recursion: ``qdd = (u - U' a_parent) / D``, ``a = a_parent + S qdd``.
    """
    S, U, a = dynamics.S, body.force_of_joint, body.acceleration
    first = topology.tree_link[tree]
    for p in range(1, body.path_size[tree]):
        link = body.path[first + p]
        k, up, inverse = body.dof[link], body.parent[link], body.inverse_pivot[link]
        loaded = body.loaded[link] == 1
        for c in range(n):
            qdd = U[link, 0] * a[up, 6 * c]
            for i in range(1, 6):
                qdd += U[link, i] * a[up, 6 * c + i]
            qdd = inverse * ((body.load[link, c] - qdd) if loaded else -qdd)
            for i in range(6):
                a[link, 6 * c + i] = a[up, 6 * c + i] + S[k, i] * qdd


@inner
def unload(body, link):
    """Clear the marks of a force on its way from a link to the root."""
    while link >= 0:
        body.loaded[link] = 0
        link = body.parent[link]


@inner
def point_rows(problem, body):
    """Write ``E = frame [1, -x x]`` of every contact: the matrix from twist to velocity."""
    frame, E = problem.frame, body.point
    for b in range(problem.size[ProblemSize.BLOCKS]):
        x, y, z = problem.position[b, 0], problem.position[b, 1], problem.position[b, 2]
        for k in range(3):
            e0, e1, e2 = frame[b, k, 0], frame[b, k, 1], frame[b, k, 2]
            E[b, 6 * k], E[b, 6 * k + 1], E[b, 6 * k + 2] = e0, e1, e2
            E[b, 6 * k + 3] = y * e2 - z * e1
            E[b, 6 * k + 4] = z * e0 - x * e2
            E[b, 6 * k + 5] = x * e1 - y * e0


@inner
def block_of(body, tree, i, j):
    """Return the start in ``omega`` of the block of a tree's i-th and j-th touched link."""
    return body.omega_start[tree] + 36 * (i * body.touched_size[tree] + j)


@inner
def omega_by_unit_forces(topology, dynamics, body, tree):
    """Apply six unit forces to each touched link and read the accelerations of all touched links.

    Chardonnet, Keith, Yoshida, Escande, Kheddar, Yokoi: the new method, eq. 5. It needs no common
    ancestors, and only the results of the free acceleration.
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
        # S S' (1 + U' Omega U / D) / D - S w' - w S' = S x' + x S'; x has half of the first term.
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
    """Write the links from an ancestor to a link to ``down``, last first; return their number."""
    n = 0
    while link != ancestor:
        body.down[n] = link
        link = body.parent[link]
        n += 1
    return n


@inner
def common_ancestor(body, a, b):
    """Return the nearest common ancestor of two links of one tree; a link is its own ancestor."""
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
    """Compute Omega from the root to each touched link, then for pairs from their common ancestor.

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


@inner
def clear_rows(problem):
    """Set all blocks of the matrix to zero."""
    for k in range(9 * problem.pair_start[problem.size[ProblemSize.BLOCKS]]):
        problem.W[k] = 0.0


@inner
def mirrored(topology, sides, problem, i, j):
    """Return the pair with the transpose of pair (i, j), or -1 if it is not written yet."""
    if j >= i or sides.link[i, 0] >= 0 or sides.link[j, 0] >= 0:
        return -1
    tree = topology.link_tree[sides.link[i, 1]]
    return problem.pair_start[j] + sides.place[i, 1] - sides.tree_start[tree]


@inner
def transpose_block(W, at, mirror):
    """Write a 3 x 3 block as the transpose of another."""
    for r in range(3):
        for c in range(3):
            W[at + 3 * r + c] = W[mirror + 3 * c + r]


@inner
def project_half(body, problem, i, link, tree, other):
    """Write ``E_i Omega`` of contact i on a link and of another link, 3 x 6, to ``half``."""
    at, E = block_of(body, tree, body.place[link], body.place[other]), body.point
    for r in range(3):
        for c in range(6):
            s = E[i, 6 * r] * body.omega[at + c]
            for k in range(1, 6):
                s += E[i, 6 * r + k] * body.omega[at + 6 * k + c]
            body.half[other, 6 * r + c] = s


@inner
def add_block(body, H, W, at, link, j, alike):
    """Add ``H E_j'`` to a 3 x 3 block; subtract it if the forces on the sides are opposite."""
    E = body.point
    for r in range(3):
        for c in range(3):
            s = H[link, 6 * r] * E[j, 6 * c]
            for k in range(1, 6):
                s += H[link, 6 * r + k] * E[j, 6 * c + k]
            W[at + 3 * r + c] += s if alike else -s


@inner
def project(topology, sides, problem, body):
    """Project Omega into the contacts: ``E_i Omega_ij E_j'`` for all pairs that share a tree."""
    for link in range(len(topology.mass)):
        body.held[link] = -1
    for i in range(problem.size[ProblemSize.BLOCKS]):
        for pair in range(problem.pair_start[i], problem.pair_start[i + 1]):
            j = problem.pair_block[pair]
            mirror = mirrored(topology, sides, problem, i, j)
            if mirror >= 0:
                transpose_block(problem.W, 9 * pair, 9 * mirror)
                continue
            for s in range(2):
                for t in range(2):
                    a, b = sides.link[i, s], sides.link[j, t]
                    if a < 0 or b < 0 or topology.link_tree[a] != topology.link_tree[b]:
                        continue
                    if body.held[b] != 2 * i + s:
                        project_half(body, problem, i, a, topology.link_tree[a], b)
                        body.held[b] = 2 * i + s
                    add_block(body, body.half, problem.W, 9 * pair, b, j, s == t)


@inner
def by_unit_body_forces(topology, dynamics, sides, problem, body):
    """Compute Omega by unit forces on touched links, then project it (Chardonnet's new method)."""
    mark_paths(topology, sides, problem.size[ProblemSize.BLOCKS], body)
    for tree in range(len(topology.free)):
        omega_by_unit_forces(topology, dynamics, body, tree)
    point_rows(problem, body)
    clear_rows(problem)
    project(topology, sides, problem, body)


@inner
def by_omega_recursion(topology, dynamics, sides, problem, body):
    """Compute Omega by Chang and Khatib's recursion, then project it."""
    mark_paths(topology, sides, problem.size[ProblemSize.BLOCKS], body)
    for tree in range(len(topology.free)):
        if body.touched_size[tree] > 0:
            omega_by_recursion(topology, dynamics, body, tree)
    point_rows(problem, body)
    clear_rows(problem)
    project(topology, sides, problem, body)


@inner
def read_accelerations(topology, sides, problem, body, i, s):
    """Add the contacts' accelerations for unit forces at side s of contact i to its matrix rows."""
    tree = topology.link_tree[sides.link[i, s]]
    for pair in range(problem.pair_start[i], problem.pair_start[i + 1]):
        j = problem.pair_block[pair]
        if mirrored(topology, sides, problem, i, j) >= 0:
            continue
        for t in range(2):
            link = sides.link[j, t]
            if link < 0 or topology.link_tree[link] != tree:
                continue
            add_block(body, body.acceleration, problem.W, 9 * pair, link, j, s == t)


@inner
def by_unit_contact_forces(topology, dynamics, sides, problem, body):
    """Apply three unit forces at each contact and read all contacts' accelerations.

    The method of Chardonnet et al. (2006), Table 1 of their later paper.
    """
    mark_paths(topology, sides, problem.size[ProblemSize.BLOCKS], body)
    point_rows(problem, body)
    clear_rows(problem)
    for i in range(problem.size[ProblemSize.BLOCKS]):
        for s in range(2):
            link = sides.link[i, s]
            if link < 0:
                continue
            for r in range(3):
                for k in range(6):
                    body.force[r, k] = body.point[i, 6 * r + k]
            tree = topology.link_tree[link]
            hand_down(dynamics, body, link, 3)
            start_at_base(topology, body, tree, 3)
            pass_on(topology, dynamics, body, tree, 3)
            unload(body, link)
            read_accelerations(topology, sides, problem, body, i, s)
        for pair in range(problem.pair_start[i], problem.pair_start[i + 1]):
            mirror = mirrored(topology, sides, problem, i, problem.pair_block[pair])
            if mirror >= 0:
                transpose_block(problem.W, 9 * pair, 9 * mirror)


@kernel
def fill_by_unit_body_forces(table, bodies):
    """Fill the matrix of the current problem; see ``by_unit_body_forces``."""
    topology, dynamics = tables.open_topology(table), tables.open_dynamics(table)
    sides, problem = tables.open_sides(table), tables.open_problem(table)
    by_unit_body_forces(topology, dynamics, sides, problem, articulated_of(bodies))


@kernel
def fill_by_omega_recursion(table, bodies):
    """Fill the matrix of the current problem; see ``by_omega_recursion``."""
    topology, dynamics = tables.open_topology(table), tables.open_dynamics(table)
    sides, problem = tables.open_sides(table), tables.open_problem(table)
    by_omega_recursion(topology, dynamics, sides, problem, articulated_of(bodies))


@kernel
def fill_by_unit_contact_forces(table, bodies):
    """Fill the matrix of the current problem; see ``by_unit_contact_forces``."""
    topology, dynamics = tables.open_topology(table), tables.open_dynamics(table)
    sides, problem = tables.open_sides(table), tables.open_problem(table)
    by_unit_contact_forces(topology, dynamics, sides, problem, articulated_of(bodies))
