"""The QPs of the two phases."""

from __future__ import annotations

import numpy as np

from footfall.api.plugin import Floats
from footfall.api.solver import QPProblem
from footfall_impacts.groups import DenseGroup

SLACK = 1e-12
"""Slack of the bounds of phase II, relative to the largest velocity before the impact, [-]."""


def normal_phase(group: DenseGroup) -> QPProblem:
    """Return the QP of phase I: ``min 1/2 f'Hf + g'f, f >= 0`` over the normal impulses only."""
    H, g = group.W[2::3, 2::3].copy(), group.u[2::3].copy()
    n = len(g)
    return QPProblem(H, g, np.eye(n), np.zeros(n), np.full(n, np.inf))


def friction_phase(group: DenseGroup, directions: Floats, first: Floats) -> QPProblem:
    """Return the QP of phase II for the change ``d = r - first`` from the answer of phase I.

    ``min 1/2 r'Wr + u'r`` over the pyramids, with ``W_n r + u_n >= 0`` (no point moves into the
    ground) and ``sum r_n <= kappa``, the sum of phase I's answer. In terms of d the point 0 is
    admissible; in terms of r iterative solvers sometimes stop before the answer. The last two
    bounds are loosened by ``SLACK``: without it they would allow a single point only one normal
    impulse.

    Args:
        group: the contacts.
        directions: shape (sides, 2), unit normals of the pyramid's faces along the ground.
        first: shape (3 n,), the answer of phase I, [N s].
    """
    n, sides = len(group.mu), len(directions)
    pyramids = np.zeros((n, sides + 1, n, 3))
    for i in range(n):
        pyramids[i, :sides, i, :2] = directions
        pyramids[i, :sides, i, 2] = -group.mu[i]
        pyramids[i, sides, i, 2] = -1.0
    cone = pyramids.reshape(n * (sides + 1), 3 * n)
    total = np.tile([0.0, 0.0, 1.0], n)
    slack = SLACK * float(np.abs(group.u).max())
    velocity = group.u + group.W @ first
    return QPProblem(
        group.W.copy(),
        velocity,
        np.vstack([cone, group.W[2::3], total]),
        np.concatenate([np.full(len(cone), -np.inf), -np.maximum(velocity[2::3], 0.0), [-np.inf]])
        - slack,
        np.concatenate([-cone @ first, np.full(n, np.inf), [slack / np.diag(group.W).max()]]),
    )


def into_pyramids(impulse: Floats, mu: Floats, directions: Floats) -> Floats:
    """Return impulses, shape (3 n,), projected into the pyramids to remove rounding."""
    r = impulse.reshape(-1, 3).copy()
    r[:, 2] = np.maximum(r[:, 2], 0.0)
    reach, bound = (r[:, :2] @ directions.T).max(axis=1), mu * r[:, 2]
    beyond = reach > bound
    r[beyond, :2] *= (bound[beyond] / reach[beyond])[:, None]
    return r.ravel()
