"""Rigid bodies without joints: evaluated together without an engine, stepped by their momentum.

In a step only the moments of forces and impulses change the angular momentum about the mass
centre, ``L+ = L + dt tau + sum r x f``, in world axes. The orientation turns by some W,
``R+ = R exp(dt W)``, and the velocity at the end follows from the momentum in the new orientation,
``w+ = I(R+)^-1 L+``. Momentum is conserved to rounding for any W; the choice of W determines the
energy.

* In flight W is the mean of both ends, ``W = (w + w+) / 2`` in the axes of the body, the solution
  of an equation in three unknowns. A body without moments then keeps its energy to rounding, too:
  ``(L+ - L) . W = 0`` as exp(dt W) leaves W unchanged (Simo and Wong, Unconditionally stable
  algorithms for rigid body dynamics that exactly preserve energy and momentum, International
  Journal for Numerical Methods in Engineering 31, 1991). Second order.
* In contact W is the velocity that the law solved for and used to advance the gaps. Its gyroscopic
  part is half of the step's, as for a mean: with all of it or none of it the energy of a rolling
  body would fall or rise by ``dt/2 w' . I w'`` per second.
"""

from __future__ import annotations

from footfall.jit.compiling import inner
from footfall.spatial.rotation import (
    cross,
    exponential,
    quaternion_to_pose,
    rotate_back,
    times,
    turn_quaternion,
    turned_back,
)
from footfall_stepper.kernels.dynamics.equations_of_motion import settle_tree
from footfall_stepper.kernels.dynamics.external_forces import apply_pushes
from footfall_stepper.world.step_arrays import PRESCRIBED

ITERATIONS = 12
"""Most iterations for the mean velocity; usual are 3 to 5 at 5 rad/s and 1 to 5 ms."""
ENOUGH = 1e-30
"""Square of the relative residual at which the iteration stops."""


@inner
def carries_momentum(topology, tree):
    """Return whether a tree is a rigid body without joints that no loop holds."""
    return topology.free[tree] == 1 and topology.closed[tree] == 0


@inner
def solve_shifted(A, i, s0, s1, s2, x, y, z):
    """Return ``(A_i - [s])^-1 (x, y, z)`` with [s] the matrix of ``s x``; Cramer's rule."""
    a, b, c = A[i, 0, 0], A[i, 0, 1] + s2, A[i, 0, 2] - s1
    d, e, f = A[i, 1, 0] - s2, A[i, 1, 1], A[i, 1, 2] + s0
    g, h, k = A[i, 2, 0] + s1, A[i, 2, 1] - s0, A[i, 2, 2]
    m, n, o = e * k - f * h, f * g - d * k, d * h - e * g
    det = a * m + b * n + c * o
    return (
        (m * x + (c * h - b * k) * y + (b * f - c * e) * z) / det,
        (n * x + (a * k - c * g) * y + (c * d - a * f) * z) / det,
        (o * x + (b * g - a * h) * y + (a * e - b * d) * z) / det,
    )


@inner
def spin_of(inertia, i, L0, L1, L2):
    """Return ``I^-1 L``, refined once.

    Without refinement, the rounding of the inverse's entries, the same in each step, adds up to a
    drift of the momentum of 1e-16 per step.
    """
    x, y, z = solve_shifted(inertia, i, 0.0, 0.0, 0.0, L0, L1, L2)
    r0, r1, r2 = times(inertia, i, x, y, z)
    r0, r1, r2 = solve_shifted(inertia, i, 0.0, 0.0, 0.0, L0 - r0, L1 - r1, L2 - r2)
    return x + r0, y + r1, z + r2


@inner
def share_turning(topology, dynamics, tree, v, full):
    """Leave half of the gyroscopic moment in h, and store the remaining turning terms.

    ``h - gravity`` of a body that turns with w is ``m w x (w x c)`` at its mass centre and the
    moment ``w x I w``. The first arises because the base's velocity is stepped, not the centre's.
    With ``full`` both stay: for laws that are stated with accelerations. ``dynamics.turning`` holds
    the remaining acceleration and moment about the centre, base axes.
    """
    link, first = topology.tree_link[tree], topology.tree_v[tree]
    c, inertia, m = topology.com, topology.inertia, topology.mass[link]
    w0, w1, w2 = v[first + 3], v[first + 4], v[first + 5]
    a0, a1, a2 = times(inertia, link, w0, w1, w2)
    a0, a1, a2 = cross(w0, w1, w2, a0, a1, a2)
    b0, b1, b2 = cross(w0, w1, w2, c[link, 0], c[link, 1], c[link, 2])
    b0, b1, b2 = cross(w0, w1, w2, b0, b1, b2)
    t, h = dynamics.turning, dynamics.h
    if full:
        t[first], t[first + 1], t[first + 2] = b0, b1, b2
        t[first + 3], t[first + 4], t[first + 5] = a0, a1, a2
        return
    a0, a1, a2 = 0.5 * a0, 0.5 * a1, 0.5 * a2
    t[first], t[first + 1], t[first + 2] = 0.0, 0.0, 0.0
    t[first + 3], t[first + 4], t[first + 5] = a0, a1, a2
    b0, b1, b2 = m * b0, m * b1, m * b2
    d0, d1, d2 = cross(c[link, 0], c[link, 1], c[link, 2], b0, b1, b2)
    h[first], h[first + 1], h[first + 2] = h[first] - b0, h[first + 1] - b1, h[first + 2] - b2
    h[first + 3] -= a0 + d0
    h[first + 4] -= a1 + d1
    h[first + 5] -= a2 + d2


@inner
def mean_spin(inertia, link, w0, w1, w2, L0, L1, L2, dt):
    """Return W = (w + I^-1 exp(dt W)' L) / 2, by Newton's method.

    ``I W - (I w + A)/2 = 0`` with ``A = exp(dt W)' L``, the momentum at the end in its own axes;
    ``dA = dt A x dW`` to first order in the angle of a step.
    """
    k0, k1, k2 = times(inertia, link, w0, w1, w2)
    x, y, z = solve_shifted(inertia, link, 0.0, 0.0, 0.0, L0, L1, L2)
    x, y, z = 0.5 * (x + w0), 0.5 * (y + w1), 0.5 * (z + w2)
    enough = ENOUGH * (L0 * L0 + L1 * L1 + L2 * L2)
    for _ in range(ITERATIONS):
        e0, e1, e2, e3 = exponential(dt * x, dt * y, dt * z)
        a0, a1, a2 = rotate_back(e0, e1, e2, e3, L0, L1, L2)
        f0, f1, f2 = times(inertia, link, x, y, z)
        f0, f1, f2 = f0 - 0.5 * (k0 + a0), f1 - 0.5 * (k1 + a1), f2 - 0.5 * (k2 + a2)
        if f0 * f0 + f1 * f1 + f2 * f2 <= enough:
            break
        s = 0.5 * dt
        f0, f1, f2 = solve_shifted(inertia, link, s * a0, s * a1, s * a2, f0, f1, f2)
        x, y, z = x - f0, y - f1, z - f2
    return x, y, z


@inner
def momentum_after(topology, dynamics, tree, dt):
    """Return the mass centre's velocity and the angular momentum about it at the end of a step.

    In the base axes at its start: ``v + w x c`` and ``I w`` of the velocity that the law solved
    for, plus the terms held back from h.
    """
    link, i, inertia = topology.tree_link[tree], topology.tree_v[tree], topology.inertia
    w, t = dynamics.v_new, dynamics.turning
    c0, c1, c2 = topology.com[link, 0], topology.com[link, 1], topology.com[link, 2]
    u0, u1, u2 = cross(w[i + 3], w[i + 4], w[i + 5], c0, c1, c2)
    L0, L1, L2 = times(inertia, link, w[i + 3], w[i + 4], w[i + 5])
    return (
        w[i] + u0 + dt * t[i],
        w[i + 1] + u1 + dt * t[i + 1],
        w[i + 2] + u2 + dt * t[i + 2],
        L0 + dt * t[i + 3],
        L1 + dt * t[i + 4],
        L2 + dt * t[i + 5],
    )


@inner
def fly_free_body(topology, dynamics, tree, v, theta, dt):
    """Write the velocity that moves a rigid body in flight: means of both ends of the step.

    ``W``, and of the base ``V - W x c`` with V that of the mass centre.
    """
    link, i = topology.tree_link[tree], topology.tree_v[tree]
    c0, c1, c2 = topology.com[link, 0], topology.com[link, 1], topology.com[link, 2]
    u0, u1, u2, x, y, z = momentum_after(topology, dynamics, tree, dt)
    w0, w1, w2 = v[i + 3], v[i + 4], v[i + 5]
    x, y, z = mean_spin(topology.inertia, link, w0, w1, w2, x, y, z, dt)
    b0, b1, b2 = cross(0.5 * w0 - x, 0.5 * w1 - y, 0.5 * w2 - z, c0, c1, c2)
    move, t, s = dynamics.v_position, dynamics.turning, theta * dt
    move[i] = 0.5 * (v[i] + u0) + b0 - s * t[i]
    move[i + 1] = 0.5 * (v[i + 1] + u1) + b1 - s * t[i + 1]
    move[i + 2] = 0.5 * (v[i + 2] + u2) + b2 - s * t[i + 2]
    move[i + 3], move[i + 4], move[i + 5] = x, y, z


@inner
def move_free_body(topology, dynamics, tree, q, v, theta, dt):
    """Move a rigid body, and set its new velocity, in the new base frame, from its momentum.

    The mass centre moves by ``dt (v + W x c)`` of the velocity that moves positions, plus the terms
    held back from h.
    """
    link, i, p = topology.tree_link[tree], topology.tree_v[tree], topology.tree_q[tree]
    c0, c1, c2 = topology.com[link, 0], topology.com[link, 1], topology.com[link, 2]
    move, t, s = dynamics.v_position, dynamics.turning, theta * dt
    w0, w1, w2 = move[i + 3], move[i + 4], move[i + 5]
    ex, ey, ez, ew = exponential(dt * w0, dt * w1, dt * w2)
    d0, d1, d2 = cross(w0, w1, w2, c0, c1, c2)
    d0, d1, d2 = d0 + move[i] + s * t[i], d1 + move[i + 1] + s * t[i + 1], d2 + s * t[i + 2]
    d2 += move[i + 2]
    u0, u1, u2, x, y, z = momentum_after(topology, dynamics, tree, dt)
    x, y, z = rotate_back(ex, ey, ez, ew, x, y, z)
    w0, w1, w2 = spin_of(topology.inertia, link, x, y, z)
    u0, u1, u2 = rotate_back(ex, ey, ez, ew, u0, u1, u2)
    x, y, z = cross(w0, w1, w2, c0, c1, c2)
    v[i], v[i + 1], v[i + 2] = u0 - x, u1 - y, u2 - z
    v[i + 3], v[i + 4], v[i + 5] = w0, w1, w2
    # p+ = p + R (dt d + c - exp(dt W) c)
    x, y, z = rotate_back(-ex, -ey, -ez, ew, c0, c1, c2)
    x, y, z = dt * d0 + (c0 - x), dt * d1 + (c1 - y), dt * d2 + (c2 - z)
    x, y, z = rotate_back(-q[p + 3], -q[p + 4], -q[p + 5], q[p + 6], x, y, z)
    q[p] += x
    q[p + 1] += y
    q[p + 2] += z
    turn_quaternion(q, p + 3, ex, ey, ez, ew)


@inner
def body_inertia(topology, dynamics, tree):
    """Write the 6 x 6 inertia in the base frame at its origin.

    ``[[m 1, -m [c]], [m [c], I_c + m [c]'[c]]]`` (Featherstone 2008, eq. 2.63, linear part first).
    """
    link, at = topology.tree_link[tree], topology.tree_M[tree]
    m = topology.mass[link]
    x, y, z = topology.com[link, 0], topology.com[link, 1], topology.com[link, 2]
    M = dynamics.M
    for i in range(36):
        M[at + i] = 0.0
    for i in range(3):
        M[at + 7 * i] = m
        for j in range(3):
            M[at + 6 * (3 + i) + 3 + j] = topology.inertia[link, i, j]
    c = (x, y, z)
    square = x * x + y * y + z * z
    for i in range(3):
        for j in range(3):
            M[at + 6 * (3 + i) + 3 + j] += m * ((square if i == j else 0.0) - c[i] * c[j])
    skew = ((0.0, -z, y), (z, 0.0, -x), (-y, x, 0.0))
    for i in range(3):
        for j in range(3):
            M[at + 6 * (3 + i) + j] = m * skew[i][j]
            M[at + 6 * j + 3 + i] = m * skew[i][j]


@inner
def body_bias(topology, dynamics, tree, v):
    """Write the bias force of a free body: ``h = v x* (I v) - gravity``, base frame.

    With momentum (p, k) at the base origin: linear ``w x p``, angular ``w x k + v x p``.
    """
    link, first, at = topology.tree_link[tree], topology.tree_v[tree], topology.tree_M[tree]
    M, h = dynamics.M, dynamics.h
    for i in range(6):
        s = 0.0
        for j in range(6):
            s += M[at + 6 * i + j] * v[first + j]
        dynamics.work[first + i] = s
    p0, p1, p2 = dynamics.work[first], dynamics.work[first + 1], dynamics.work[first + 2]
    k0, k1, k2 = dynamics.work[first + 3], dynamics.work[first + 4], dynamics.work[first + 5]
    v0, v1, v2 = v[first], v[first + 1], v[first + 2]
    w0, w1, w2 = v[first + 3], v[first + 4], v[first + 5]
    h[first], h[first + 1], h[first + 2] = cross(w0, w1, w2, p0, p1, p2)
    a0, a1, a2 = cross(w0, w1, w2, k0, k1, k2)
    b0, b1, b2 = cross(v0, v1, v2, p0, p1, p2)
    g, m = topology.gravity, topology.mass[link]
    f0, f1, f2 = turned_back(dynamics.pose, link, g[0], g[1], g[2])
    f0, f1, f2 = m * f0, m * f1, m * f2
    c = topology.com[link]
    t0, t1, t2 = cross(c[0], c[1], c[2], f0, f1, f2)
    h[first] -= f0
    h[first + 1] -= f1
    h[first + 2] -= f2
    h[first + 3], h[first + 4], h[first + 5] = a0 + b0 - t0, a1 + b1 - t1, a2 + b2 - t2


@inner
def body_twists(topology, dynamics, tree):
    """Write S: base axes for linear dofs, ``(p x R e, R e)`` for angular ones."""
    link, first = topology.tree_link[tree], topology.tree_v[tree]
    S, pose = dynamics.S, dynamics.pose
    p0, p1, p2 = pose[link, 9], pose[link, 10], pose[link, 11]
    for i in range(3):
        e0, e1, e2 = pose[link, 3 * i], pose[link, 3 * i + 1], pose[link, 3 * i + 2]
        S[first + i, 0], S[first + i, 1], S[first + i, 2] = e0, e1, e2
        S[first + i, 3] = S[first + i, 4] = S[first + i, 5] = 0.0
        l0, l1, l2 = cross(p0, p1, p2, e0, e1, e2)
        S[first + 3 + i, 0], S[first + 3 + i, 1], S[first + 3 + i, 2] = l0, l1, l2
        S[first + 3 + i, 3], S[first + 3 + i, 4], S[first + 3 + i, 5] = e0, e1, e2


@inner
def evaluate_free_body(topology, dynamics, tree, q, v):
    """Write pose, M, h and S of a rigid body without joints, as an engine does."""
    quaternion_to_pose(q, topology.tree_q[tree], dynamics.pose, topology.tree_link[tree])
    body_inertia(topology, dynamics, tree)
    body_bias(topology, dynamics, tree, v)
    body_twists(topology, dynamics, tree)


@inner
def evaluate_prescribed(topology, dynamics, tree, q, v):
    """Write pose, twists and free velocity of a body with a prescribed motion."""
    quaternion_to_pose(q, topology.tree_q[tree], dynamics.pose, topology.tree_link[tree])
    body_twists(topology, dynamics, tree)
    for k in range(topology.tree_v[tree], topology.tree_v[tree + 1]):
        dynamics.v_free[k] = v[k]


@inner
def evaluate_free_bodies(topology, joints, rows, dynamics, pushes, q, v, full, dt):
    """Evaluate every tree that is a rigid body without joints; ``full``: see ``share_turning``."""
    for tree in range(len(topology.free)):
        if topology.free[tree] == 1:
            evaluate_free_body(topology, dynamics, tree, q, v)
            if carries_momentum(topology, tree):
                share_turning(topology, dynamics, tree, v, full)
            apply_pushes(topology, joints, dynamics, pushes, tree)
            settle_tree(topology, joints, rows, dynamics, tree, q, v, dt)
        elif topology.free[tree] == PRESCRIBED:
            evaluate_prescribed(topology, dynamics, tree, q, v)
