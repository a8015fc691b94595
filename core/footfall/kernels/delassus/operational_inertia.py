"""The Delassus matrix ``J M^-1 J' = Lambda^-1`` from articulated bodies, by three methods.

Each fills the 3 x 3 blocks of pairs of contacts that share a tree, over the block structure of the
contact problem, as ``footfall.kernels.contact.build.delassus`` does from the factor of the inertia.
"""

from __future__ import annotations

from footfall.jit.compiling import inner, kernel
from footfall.kernels import tables as the
from footfall.kernels.delassus.articulated import articulated_of
from footfall.kernels.delassus.contact_paths import (
    hand_down,
    mark_paths,
    pass_on,
    point_rows,
    start_at_base,
    unload,
)
from footfall.kernels.delassus.omega import block_of, omega_by_recursion, omega_by_unit_forces


@inner
def clear_rows(problem):
    """Set all blocks of the matrix to zero."""
    for k in range(9 * problem.size[2]):
        problem.W[k] = 0.0


@inner
def mirrored(topology, sides, problem, i, j):
    """Return the pair that holds the transpose of the pair (i, j), or -1 if it is not there yet."""
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
def add_block(body, W, at, link, j, alike):
    """Add ``half E_j'`` to a 3 x 3 block; subtract it if forces of the two sides are opposite."""
    E, H = body.point, body.half
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
    for i in range(problem.size[0]):
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
                    add_block(body, problem.W, 9 * pair, b, j, s == t)


@inner
def by_unit_body_forces(topology, dynamics, sides, problem, body):
    """Compute Omega by unit forces on touched links, then project it (Chardonnet's new method)."""
    mark_paths(topology, sides, problem.size[0], body)
    for tree in range(len(topology.free)):
        omega_by_unit_forces(topology, dynamics, body, tree)
    point_rows(problem, body)
    clear_rows(problem)
    project(topology, sides, problem, body)


@inner
def by_omega_recursion(topology, dynamics, sides, problem, body):
    """Compute Omega by Chang and Khatib's recursion, then project it."""
    mark_paths(topology, sides, problem.size[0], body)
    for tree in range(len(topology.free)):
        if body.touched_size[tree] > 0:
            omega_by_recursion(topology, dynamics, body, tree)
    point_rows(problem, body)
    clear_rows(problem)
    project(topology, sides, problem, body)


@inner
def read_accelerations(topology, sides, problem, body, i, s):
    """Add what the contacts feel of unit forces at side s of contact i: its rows of the matrix."""
    A, E, tree = body.acceleration, body.point, topology.link_tree[sides.link[i, s]]
    for pair in range(problem.pair_start[i], problem.pair_start[i + 1]):
        j, at = problem.pair_block[pair], 9 * pair
        if mirrored(topology, sides, problem, i, j) >= 0:
            continue
        for t in range(2):
            link = sides.link[j, t]
            if link < 0 or topology.link_tree[link] != tree:
                continue
            for r in range(3):
                for c in range(3):
                    x = A[link, 6 * r] * E[j, 6 * c]
                    for k in range(1, 6):
                        x += A[link, 6 * r + k] * E[j, 6 * c + k]
                    problem.W[at + 3 * r + c] += x if s == t else -x


@inner
def by_unit_contact_forces(topology, dynamics, sides, problem, body):
    """Apply three unit forces at each contact and read all contacts' accelerations.

    The method of Chardonnet et al. (2006), Table 1 of their later paper.
    """
    mark_paths(topology, sides, problem.size[0], body)
    point_rows(problem, body)
    clear_rows(problem)
    for i in range(problem.size[0]):
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
    topology, dynamics = the.topology(table), the.dynamics(table)
    sides, problem = the.sides(table), the.problem(table)
    by_unit_body_forces(topology, dynamics, sides, problem, articulated_of(bodies))


@kernel
def fill_by_omega_recursion(table, bodies):
    """Fill the matrix of the current problem; see ``by_omega_recursion``."""
    topology, dynamics = the.topology(table), the.dynamics(table)
    sides, problem = the.sides(table), the.problem(table)
    by_omega_recursion(topology, dynamics, sides, problem, articulated_of(bodies))


@kernel
def fill_by_unit_contact_forces(table, bodies):
    """Fill the matrix of the current problem; see ``by_unit_contact_forces``."""
    topology, dynamics = the.topology(table), the.dynamics(table)
    sides, problem = the.sides(table), the.problem(table)
    by_unit_contact_forces(topology, dynamics, sides, problem, articulated_of(bodies))
