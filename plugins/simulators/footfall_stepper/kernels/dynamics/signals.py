"""The signals of a body from an engine's evaluation: mixed inertia and bias, momentum, frames.

The mixed velocity is ``nu = (R v, R w, s_dot)`` with R the rotation of a floating base, v and w its
body-frame velocity. With ``T = diag(R, R, 1)``: ``M_mixed = T M T'`` and
``h_mixed = T (h - M [w x v; 0; 0])``.
"""

from __future__ import annotations

from footfall.interfaces.signal_arrays import FrameArrays, SignalArrays
from footfall.jit.compiling import inner, kernel
from footfall.jit.tables import opener
from footfall.spatial.rotation import cross, placed, turned
from footfall_stepper.kernels import tables
from footfall_stepper.kernels.dynamics.frames import write_pose
from footfall_stepper.kernels.dynamics.rigid_bodies import evaluate_free_body

signals = opener(SignalArrays, 0)
frame_signals = opener(FrameArrays, 0)


@kernel
def current(signal_table):
    """Return whether the signals belong to the present state."""
    body = signals(signal_table)
    same = True
    for i in range(len(body.q)):
        same = same and body.q[i] == body.seen_q[i]
    for i in range(len(body.v)):
        same = same and body.v[i] == body.seen_v[i]
    return same


@kernel
def evaluate_lone_body(table, q, v, tree):
    """Evaluate a rigid body without joints, as an engine does; q and v are those of the world."""
    evaluate_free_body(tables.open_topology(table), tables.open_dynamics(table), tree, q, v)


@inner
def take_over(engine, body):
    """Copy poses and twists, which the engine overwrites before frames are asked for."""
    for i in range(len(body.S)):
        for j in range(6):
            body.S[i, j] = engine.S[i, j]
    for i in range(len(body.pose)):
        for j in range(12):
            body.pose[i, j] = engine.pose[i, j]


@inner
def mixed_velocity(body, base):
    """Write nu and the state that it belongs to."""
    for i in range(len(body.q)):
        body.seen_q[i] = body.q[i]
    for i in range(len(body.v)):
        body.seen_v[i] = body.nu[i] = body.v[i]
    for i in range(0, base, 3):
        x, y, z = turned(body.pose, 0, body.v[i], body.v[i + 1], body.v[i + 2])
        body.nu[i], body.nu[i + 1], body.nu[i + 2] = x, y, z


@inner
def mixed_inertia(engine, body, base):
    """Write ``T M T'`` and ``T (h - M [w x v; 0; 0])``."""
    n, M, h, v, out = len(body.v), engine.M, body.bias_force, body.v, body.mass_matrix
    for i in range(n):
        h[i] = engine.h[i]
        for j in range(n):
            out[i, j] = M[i, j]
    if base == 0:
        return
    a, b, c = cross(v[3], v[4], v[5], v[0], v[1], v[2])
    for i in range(n):
        h[i] -= M[i, 0] * a + M[i, 1] * b + M[i, 2] * c
    for i in range(0, base, 3):
        h[i], h[i + 1], h[i + 2] = turned(body.pose, 0, h[i], h[i + 1], h[i + 2])
        for j in range(n):
            x, y, z = turned(body.pose, 0, out[i, j], out[i + 1, j], out[i + 2, j])
            out[i, j], out[i + 1, j], out[i + 2, j] = x, y, z
    for j in range(0, base, 3):
        for i in range(n):
            x, y, z = turned(body.pose, 0, out[i, j], out[i, j + 1], out[i, j + 2])
            out[i, j], out[i, j + 1], out[i, j + 2] = x, y, z


@inner
def carrier(topology, first, base, dof):
    """Return the link (within its tree) that carries the link of a joint's dof."""
    parent = topology.dof_parent[first + dof]
    return 0 if parent < base else parent - base + 1


@inner
def base_motion(body, base):
    """Write twist and bias acceleration of the base: ``(v_p x w, 0)`` for constant (v_p, w)."""
    V, A, p = body.twist, body.bias, body.pose
    for k in range(6):
        V[0, k] = A[0, k] = 0.0
    if base == 0:
        return
    nu = body.nu
    x, y, z = cross(p[0, 9], p[0, 10], p[0, 11], nu[3], nu[4], nu[5])
    V[0, 0], V[0, 1], V[0, 2] = nu[0] + x, nu[1] + y, nu[2] + z
    V[0, 3], V[0, 4], V[0, 5] = nu[3], nu[4], nu[5]
    A[0, 0], A[0, 1], A[0, 2] = cross(nu[0], nu[1], nu[2], nu[3], nu[4], nu[5])


@inner
def link_motions(topology, body, first, base):
    """Write twists and bias accelerations from the base to the leaves.

    ``V = V_carrier + S v``, ``A = A_carrier + V_carrier x (S v)`` (Featherstone 2008, eq. 3.42).
    """
    V, A, S = body.twist, body.bias, body.S
    base_motion(body, base)
    for link in range(1, len(body.pose)):
        k = base + link - 1
        at, x = carrier(topology, first, base, k), body.v[k]
        s0, s1, s2 = S[k, 0] * x, S[k, 1] * x, S[k, 2] * x
        t0, t1, t2 = S[k, 3] * x, S[k, 4] * x, S[k, 5] * x
        a0, a1, a2 = cross(V[at, 3], V[at, 4], V[at, 5], s0, s1, s2)
        b0, b1, b2 = cross(V[at, 0], V[at, 1], V[at, 2], t0, t1, t2)
        c0, c1, c2 = cross(V[at, 3], V[at, 4], V[at, 5], t0, t1, t2)
        A[link, 0], A[link, 1] = A[at, 0] + a0 + b0, A[at, 1] + a1 + b1
        A[link, 2], A[link, 3] = A[at, 2] + a2 + b2, A[at, 3] + c0
        A[link, 4], A[link, 5] = A[at, 4] + c1, A[at, 5] + c2
        V[link, 0], V[link, 1], V[link, 2] = V[at, 0] + s0, V[at, 1] + s1, V[at, 2] + s2
        V[link, 3], V[link, 4], V[link, 5] = V[at, 3] + t0, V[at, 4] + t1, V[at, 5] + t2


@inner
def mass_centre(topology, body, first_link):
    """Write the body's mass centre, and the links' mass centres to ``composite[:, 1:4]``."""
    pose, out, total = body.pose, body.composite, 0.0
    for k in range(3):
        body.com[k] = 0.0
    for link in range(len(pose)):
        g = first_link + link
        m = out[link, 0] = topology.mass[g]
        x, y, z = placed(pose, link, topology.com[g, 0], topology.com[g, 1], topology.com[g, 2])
        out[link, 1], out[link, 2], out[link, 3] = x, y, z
        total += m
        for k in range(3):
            body.com[k] += m * out[link, 1 + k]
    for k in range(3):
        body.com[k] /= max(total, 1e-300)


@inner
def rotational_inertia(topology, pose, out, link, g):
    """Write ``R I R'`` of one link: xx xy xz yy yz zz."""
    R, I, at = pose, topology.inertia, 4  # noqa: E741 - the letter of the field
    for i in range(3):
        for j in range(i, 3):
            s = 0.0
            for k in range(3):
                for m in range(3):
                    s += R[link, 3 * k + i] * I[g, k, m] * R[link, 3 * m + j]
            out[link, at] = s
            at += 1


@inner
def composite_inertias(topology, body, first, first_link, base):
    """Write mass, first moment and inertia about the mass centre of each link and its subtree."""
    out, links = body.composite, len(body.pose)
    mass_centre(topology, body, first_link)
    for link in range(links):
        rotational_inertia(topology, body.pose, out, link, first_link + link)
        m = out[link, 0]
        x, y, z = out[link, 1] - body.com[0], out[link, 2] - body.com[1], out[link, 3] - body.com[2]
        out[link, 1], out[link, 2], out[link, 3] = m * x, m * y, m * z
        out[link, 4] += m * (y * y + z * z)
        out[link, 5] -= m * x * y
        out[link, 6] -= m * x * z
        out[link, 7] += m * (x * x + z * z)
        out[link, 8] -= m * y * z
        out[link, 9] += m * (x * x + y * y)
    for link in range(links - 1, 0, -1):
        at = carrier(topology, first, base, base + link - 1)
        for k in range(10):
            out[at, k] += out[link, k]


@inner
def momentum_column(body, link, column, v0, v1, v2, w0, w1, w2):
    """Write the momentum of a link's subtree, with velocity v at the mass centre and w.

    ``(m v + w x c, c x v + I w)`` with the first moment c about the mass centre.
    """
    I, A = body.composite, body.momentum_map  # noqa: E741 - the letter of the field
    m, c0, c1, c2 = I[link, 0], I[link, 1], I[link, 2], I[link, 3]
    x, y, z = cross(w0, w1, w2, c0, c1, c2)
    A[0, column], A[1, column], A[2, column] = m * v0 + x, m * v1 + y, m * v2 + z
    x, y, z = cross(c0, c1, c2, v0, v1, v2)
    A[3, column] = x + I[link, 4] * w0 + I[link, 5] * w1 + I[link, 6] * w2
    A[4, column] = y + I[link, 5] * w0 + I[link, 7] * w1 + I[link, 8] * w2
    A[5, column] = z + I[link, 6] * w0 + I[link, 8] * w1 + I[link, 9] * w2


@inner
def momentum(body, base):
    """Write the centroidal map, momentum and the mass centre's velocity."""
    S, G, p, A = body.S, body.com, body.pose, body.momentum_map
    for i in range(base // 2):
        e0, e1, e2 = 1.0 if i == 0 else 0.0, 1.0 if i == 1 else 0.0, 1.0 if i == 2 else 0.0
        momentum_column(body, 0, i, e0, e1, e2, 0.0, 0.0, 0.0)
        x, y, z = cross(e0, e1, e2, G[0] - p[0, 9], G[1] - p[0, 10], G[2] - p[0, 11])
        momentum_column(body, 0, 3 + i, x, y, z, e0, e1, e2)
    for k in range(base, len(body.v)):
        x, y, z = cross(S[k, 3], S[k, 4], S[k, 5], G[0], G[1], G[2])
        v0, v1, v2 = S[k, 0] + x, S[k, 1] + y, S[k, 2] + z
        momentum_column(body, k - base + 1, k, v0, v1, v2, S[k, 3], S[k, 4], S[k, 5])
    for i in range(6):
        s = 0.0
        for k in range(len(body.v)):
            s += A[i, k] * body.nu[k]
        body.momentum[i] = s
    for i in range(3):
        body.com_velocity[i] = body.momentum[i] / max(body.composite[0, 0], 1e-300)


@kernel
def describe(table, evaluation, signal_table, tree):
    """Write the signals of a body whose tree has been evaluated at the present state."""
    topology, engine = tables.open_topology(table), tables.evaluation(evaluation)
    body = signals(signal_table)
    first, first_link = topology.tree_v[tree], topology.tree_link[tree]
    base = 6 if topology.floating[tree] == 1 else 0
    root = topology.root_link[tree] - first_link
    take_over(engine, body)
    write_pose(body.pose, root, topology.root_frame[tree], body.base_pose)
    mixed_velocity(body, base)
    mixed_inertia(engine, body, base)
    link_motions(topology, body, first, base)
    composite_inertias(topology, body, first, first_link, base)
    momentum(body, base)
    body.evaluations[0] += 1.0


@kernel
def describe_motors(table, signal_table, tree):
    """Write the present reflected inertia of the joints."""
    topology, joints = tables.open_topology(table), tables.open_joints(table)
    M = signals(signal_table).motor_inertia
    first, n = topology.tree_v[tree], len(M)
    for k in range(n):
        M[k, k] = joints.armature[first + k]
    for e in range(joints.coupling_start[tree], joints.coupling_start[tree + 1]):
        i, j = joints.coupling[e, 0], joints.coupling[e, 1]
        M[i, j] = M[j, i] = joints.coupling_inertia[e]


@inner
def frame_jacobian(topology, body, out, chain, base):
    """Write the columns of the dofs that move a frame, for the mixed velocity; the others are 0.

    ``chain``: start and end in ``topology`` of the dofs from the root to the frame's link.
    """
    S, J, p = body.S, out.jacobian, body.pose
    x, y, z = out.pose[0, 3], out.pose[1, 3], out.pose[2, 3]
    for i in range(base // 2):
        J[i, i] = J[3 + i, 3 + i] = 1.0
        e0, e1, e2 = 1.0 if i == 0 else 0.0, 1.0 if i == 1 else 0.0, 1.0 if i == 2 else 0.0
        a, b, c = cross(e0, e1, e2, x - p[0, 9], y - p[0, 10], z - p[0, 11])
        J[0, 3 + i], J[1, 3 + i], J[2, 3 + i] = a, b, c
    for at in range(chain[0] + base, chain[1]):
        k = topology.chain[at]
        a, b, c = cross(S[k, 3], S[k, 4], S[k, 5], x, y, z)
        J[0, k], J[1, k], J[2, k] = S[k, 0] + a, S[k, 1] + b, S[k, 2] + c
        J[3, k], J[4, k], J[5, k] = S[k, 3], S[k, 4], S[k, 5]


@inner
def frame_motion(body, out, link):
    """Write a frame's velocity and its rate at zero mixed accelerations.

    ``a = A + alpha x p + w x v``: the classical acceleration of the frame's origin p.
    """
    V, A = body.twist, body.bias
    x, y, z = out.pose[0, 3], out.pose[1, 3], out.pose[2, 3]
    w0, w1, w2 = V[link, 3], V[link, 4], V[link, 5]
    a, b, c = cross(w0, w1, w2, x, y, z)
    v0, v1, v2 = V[link, 0] + a, V[link, 1] + b, V[link, 2] + c
    out.velocity[0], out.velocity[1], out.velocity[2] = v0, v1, v2
    out.velocity[3], out.velocity[4], out.velocity[5] = w0, w1, w2
    d, e, f = cross(A[link, 3], A[link, 4], A[link, 5], x, y, z)
    a, b, c = cross(w0, w1, w2, v0, v1, v2)
    out.jdot_nu[0], out.jdot_nu[1] = A[link, 0] + d + a, A[link, 1] + e + b
    out.jdot_nu[2] = A[link, 2] + f + c
    for k in range(3, 6):
        out.jdot_nu[k] = A[link, k]


@kernel
def describe_frame(table, signal_table, frame_table, tree, link):
    """Write the signals of a frame of a described body; ``link`` is within its tree."""
    topology, body = tables.open_topology(table), signals(signal_table)
    out, g = frame_signals(frame_table), topology.tree_link[tree] + link
    base = 6 if topology.floating[tree] == 1 else 0
    write_pose(body.pose, link, out.place, out.pose)
    chain = (topology.chain_start[g], topology.chain_start[g + 1])
    frame_jacobian(topology, body, out, chain, base)
    frame_motion(body, out, link)
