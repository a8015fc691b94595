"""Jacobians and inertias of a simulator's last problem as whole matrices."""

import numpy as np


def jacobian(sim):
    """Return J of the last problem's contacts and rows of joints, shape (rows, nv)."""
    world, problem = sim.world, sim.stepper.problem
    S, J = world.dynamics.S, np.zeros((problem.n_rows, world.nv))
    cones = int((problem.candidate >= 0).sum())
    for b in range(cones):
        link = world.candidates.link[problem.candidate[b]]
        first, end = world.topology.chain_start[link : link + 2]
        point = problem.arrays.position[b]
        for k in world.topology.chain[first:end]:
            J[3 * b : 3 * b + 3, k] = problem.frame[b] @ (S[k, :3] + np.cross(S[k, 3:], point))
    for b in range(cones, len(problem.kind)):
        row = world.joint_rows
        j = world.sides.joint[b]
        J[problem.row[b], row.dof[j]] = row.sign[j]
        more = slice(*row.more_start[j : j + 2])
        J[problem.row[b], row.more_dof[more]] = row.more_value[more]
    return J


def implicit_inertia(sim):
    """Return ``M + dt D + dt^2 K`` of a world of one tree without coupled drives, (nv, nv)."""
    joints, dt, nv = sim.world.joints, sim.time_step, sim.world.nv
    rates = joints.damping + joints.rate_gain + dt * joints.stiffness
    return sim.world.dynamics.M.reshape(nv, nv) + dt * np.diag(rates)
