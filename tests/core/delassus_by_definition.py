"""The Delassus matrix by its definition, beside the one of a step; a humanoid to try it on."""

import numpy as np
from tests.core.random_trees import skew
from tests.core.random_worlds import body, points, simulator

from footfall.problem.arrays import ProblemSize
from footfall_delassus.delassus import METHODS
from footfall_stepper.stepping.settings import StepSettings

DT = 1e-2
LEG, ARM = (0, 1, 2, 3, 4, 5), (14, 17, 18, 19, 20, 21, 22)
HUMANOID = (*LEG, *(0, 7, 8, 9, 10, 11), *(0, 13), *(14, 15), *ARM, *(14, 24, 25, 26, 27, 28, 29))
"""Parent links of 30 joints: two legs of six, a trunk of two, a head of two, two arms of seven."""
FEET = (6, 12)
"""Links of the humanoid's feet."""


def settled(rng, bodies, method):
    """Return a simulator of bodies whose steps find the matrix by a method, by name."""
    whole = StepSettings(DT, max_impact_splits=0, delassus=METHODS.get(method, method))
    return simulator(rng, bodies, whole)


def humanoid(rng, method, links=(*FEET,) * 4):
    """Return a floating humanoid of 30 joints with contacts on these links."""
    return settled(rng, [body(rng, "humanoid", HUMANOID, True, points(rng, links))], method)


def matrix_by_definition(sim):
    """Return J M^-1 J', with what acts implicitly in M, contacts one after another."""
    world, problem, topology = sim.world, sim.stepper.problem.arrays, sim.world.topology
    n, joints = int(problem.size[ProblemSize.BLOCKS]), world.joints
    W = np.zeros((3 * n, 3 * n))
    rate = joints.damping + joints.rate_gain + DT * joints.stiffness
    for tree in range(len(topology.free)):
        first, end = topology.tree_v[tree], topology.tree_v[tree + 1]
        nv, at = end - first, topology.tree_M[tree]
        M = world.dynamics.M[at : at + nv * nv].reshape(nv, nv)
        J = np.zeros((3 * n, nv))
        for b in range(n):
            E = problem.frame[b] @ np.hstack([np.eye(3), -skew(problem.position[b])])
            for side, sign in ((0, -1.0), (1, 1.0)):
                link = world.sides.link[b, side]
                if link < 0 or topology.link_tree[link] != tree:
                    continue
                start, stop = topology.chain_start[link], topology.chain_start[link + 1]
                dofs = topology.chain[start:stop]
                J[3 * b : 3 * b + 3, dofs] += sign * E @ world.dynamics.S[first + dofs].T
        W += J @ np.linalg.solve(M + DT * np.diag(rate[first:end]), J.T)
    return W


def matrix_of(problem):
    """Return a problem's block-sparse matrix as a dense one."""
    n = int(problem.size[ProblemSize.BLOCKS])
    W = np.zeros((3 * n, 3 * n))
    for i in range(n):
        for pair in range(problem.pair_start[i], problem.pair_start[i + 1]):
            j, at = problem.pair_block[pair], problem.pair_data[pair]
            W[3 * i : 3 * i + 3, 3 * j : 3 * j + 3] = problem.W[at : at + 9].reshape(3, 3)
    return W
