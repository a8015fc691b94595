"""The law of one point, and its use for arrays of points and for contact problems."""

from __future__ import annotations

import math

from footfall.api.contact import ProblemSize, problem_from_arrays
from footfall.api.kernels import inner, kernel

APART = 2.0
"""Friction demand of a point without contact, and upper bound of the demand, [-]."""


@inner
def normal_force(K, D, z, zd):
    """Return ``sqrt(d) (-K z - D zd)`` with the depth ``d = max(0, -z)``; contact if it is > 0."""
    return math.sqrt(max(0.0, -z)) * (-K * z - D * zd)


@inner
def point_law(K, D, mu, z, v0, v1, zd, u0, u1):
    """Return force (tangent, tangent, normal), rate of the deformation (2), friction demand.

    The demand is the tangential force needed for sticking, divided by ``mu`` times the normal
    force.
    """
    fn = normal_force(K, D, z, zd)
    if not fn > 0.0:
        return 0.0, 0.0, 0.0, -(K / D) * u0, -(K / D) * u1, APART
    root = math.sqrt(-z)
    f0, f1 = -K * root * u0 - D * root * v0, -K * root * u1 - D * root * v1
    size, most = math.hypot(f0, f1), mu * fn
    if size <= most:
        return f0, f1, fn, v0, v1, size / most if most > 0.0 else 0.0
    f0, f1 = f0 * (most / size), f1 * (most / size)
    r0, r1 = -(f0 + K * root * u0) / (D * root), -(f1 + K * root * u1) / (D * root)
    return f0, f1, fn, r0, r1, min(APART, size / most) if most > 0.0 else APART


@kernel
def spatial_points(K, D, mu, p, pd, u, f, ud, fcone):
    """Apply the law to points in space, one per column."""
    for i in range(p.shape[1]):
        f[0, i], f[1, i], f[2, i], ud[0, i], ud[1, i], fcone[i] = point_law(
            K, D, mu, p[2, i], pd[0, i], pd[1, i], pd[2, i], u[0, i], u[1, i]
        )


@kernel
def planar_points(K, D, mu, p, pd, u, f, ud, fcone):
    """Apply the law to points in a plane, one per column."""
    for i in range(p.shape[1]):
        f[0, i], _, f[1, i], ud[0, i], _, fcone[i] = point_law(
            K, D, mu, p[1, i], pd[0, i], 0.0, pd[1, i], u[0, i], 0.0
        )


@kernel
def normal_points(K, D, p, pd, f, fcone):
    """Apply only the normal part of the law."""
    for i in range(p.shape[1]):
        fn = normal_force(K, D, p[0, i], pd[0, i])
        f[0, i], fcone[i] = (fn, 0.0) if fn > 0.0 else (0.0, APART)


@kernel
def forces(table, K, D, u, rate, out):
    """Write the forces of a problem's contacts and the rate of every candidate's deformation.

    Return True if there is no answer: the problem or the deformation holds NaN or infinity.
    """
    problem = problem_from_arrays(table)
    total = 0.0
    for c in range(u.shape[0]):
        # Candidates that are not in the problem are out of contact: their ground recovers.
        rate[c, 0], rate[c, 1] = -(K / D) * u[c, 0], -(K / D) * u[c, 1]
        total += 0.0 * (u[c, 0] + u[c, 1])
    for b in range(problem.size[ProblemSize.BLOCKS]):
        at, c, z, mu = 3 * b, problem.candidate[b], problem.gap[b], problem.mu[b]
        v0, v1, vn = problem.velocity[at], problem.velocity[at + 1], problem.velocity[at + 2]
        total += 0.0 * (z + mu + v0 + v1 + vn)
        out[at], out[at + 1], out[at + 2], rate[c, 0], rate[c, 1], _ = point_law(
            K, D, mu, z, v0, v1, vn, u[c, 0], u[c, 1]
        )
    for k in range(4):
        problem.report[k] = 0.0
    return total != 0.0


@kernel
def switches(table, K, D, u, out):
    """Write the switching functions: one changes sign at touching and leaving, one at slipping."""
    problem = problem_from_arrays(table)
    for b in range(problem.size[ProblemSize.BLOCKS]):
        at, c, z = 3 * b, problem.candidate[b], problem.gap[b]
        v0, v1, vn = problem.velocity[at], problem.velocity[at + 1], problem.velocity[at + 2]
        out[c, 0] = min(-K * z, -K * z - D * vn)
        _, _, _, _, _, demand = point_law(K, D, problem.mu[b], z, v0, v1, vn, u[c, 0], u[c, 1])
        out[c, 1] = demand - 1.0


@kernel
def elastic_energy(table, K, u):
    """Return ``sum of 2/5 K d^2.5 + 1/2 K sqrt(d) |u|^2`` over the contacts, [J]."""
    problem, energy = problem_from_arrays(table), 0.0
    for b in range(problem.size[ProblemSize.BLOCKS]):
        c, d = problem.candidate[b], max(0.0, -problem.gap[b])
        squares = u[c, 0] * u[c, 0] + u[c, 1] * u[c, 1]
        energy += K * math.sqrt(d) * (0.4 * d * d + 0.5 * squares)
    return energy


@kernel
def write_energy(table, K, u, out):
    """Write the value of ``elastic_energy`` to ``out[0]``, [J]."""
    out[0] = elastic_energy(table, K, u)
