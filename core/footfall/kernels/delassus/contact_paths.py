"""Which links touch something, the ways to them, and how forces and motions go along them."""

from __future__ import annotations

from footfall.jit.compiling import inner


@inner
def mark_paths(topology, sides, blocks, body):
    """List, tree by tree, the links that have contacts and all links between them and the root."""
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
    """Take n wrenches from a link to its root; note what each does in the joints on the way.

    The second recursion of Featherstone's algorithm with nothing but these wrenches:
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
    """Write the accelerations of a tree's root under what has come down: ``a = I_A^-1 f``."""
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
    """Take n accelerations from the root to the touched links.

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
    """Forget what a force did on its way from a link to the root."""
    while link >= 0:
        body.loaded[link] = 0
        link = body.parent[link]


@inner
def point_rows(problem, body):
    """Write the rows ``E = frame [1, -x x]`` of every contact: its velocity for a link's twist."""
    frame, E = problem.frame, body.point
    for b in range(problem.size[0]):
        x, y, z = problem.position[b, 0], problem.position[b, 1], problem.position[b, 2]
        for k in range(3):
            e0, e1, e2 = frame[b, k, 0], frame[b, k, 1], frame[b, k, 2]
            E[b, 6 * k], E[b, 6 * k + 1], E[b, 6 * k + 2] = e0, e1, e2
            E[b, 6 * k + 3] = y * e2 - z * e1
            E[b, 6 * k + 4] = z * e0 - x * e2
            E[b, 6 * k + 5] = x * e1 - y * e0
