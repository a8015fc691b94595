"""Worlds of made-up trees whose inertia is that of their links' masses, with contacts at will."""

import numpy as np
from tests.core.random_trees import Answer, Given, chain, random_rotation

from footfall.plugin import NoConfig
from footfall.problem.contact_problem import allocate
from footfall.robot.feature import ContactFeature
from footfall.roles.engine import TreeModel
from footfall.simulation.parts import Physics
from footfall.simulation.simulator import Simulator
from footfall.simulation.stepper import StepSettings
from footfall.world.body import Body
from footfall.world.world import World
from footfall_standard.impact import NoImpact
from footfall_standard.integrator import SemiImplicitEuler
from footfall_standard.terrain import Plane, PlaneConfig

DT = 1e-2
LEG, ARM = (0, 1, 2, 3, 4, 5), (14, 17, 18, 19, 20, 21, 22)
HUMANOID = (*LEG, *(0, 7, 8, 9, 10, 11), *(0, 13), *(14, 15), *ARM, *(14, 24, 25, 26, 27, 28, 29))
"""Parent links of 30 joints: two legs of six, a trunk of two, a head of two, two arms of seven."""
FEET = (6, 12)
"""Links of the humanoid's feet."""


def skew(x):
    """Return the matrix of the cross product with x."""
    return np.array([[0, -x[2], x[1]], [x[2], 0, -x[0]], [-x[1], x[0], 0]])


def random_parents(rng, n_joints):
    """Hang every joint on a random earlier link."""
    return tuple(int(rng.integers(0, k + 1)) for k in range(n_joints))


def tree_model(rng, parents, floating):
    """Return a tree's constants: parents are links, 0 the root's."""
    base, n = (6 if floating else 0), len(parents)
    link_dof = np.array([base - 1 if floating else -1, *(base + k for k in range(n))])
    return TreeModel(
        base="floating" if floating else "fixed",
        joint_names=tuple(f"j{k}" for k in range(n)),
        dof_parent=np.array([*range(-1, base - 1), *(int(link_dof[p]) for p in parents)], np.int64),
        link_dof=link_dof.astype(np.int64),
        link_names=tuple(f"l{k}" for k in range(n + 1)),
        link_mass=rng.uniform(0.5, 2.0, n + 1),
        link_com=rng.normal(size=(n + 1, 3)),
        link_inertia=np.array([np.diag(rng.uniform(0.7, 1.0, 3)) for _ in range(n + 1)]),
        position_lower=np.full(n, -np.inf),
        position_upper=np.full(n, np.inf),
        velocity_limit=np.full(n, np.inf),
        effort_limit=np.full(n, np.inf),
        damping=np.zeros(n),
        friction=np.zeros(n),
        armature=np.zeros(n),
        frames={},
    )


def evaluation(rng, model):
    """Return a tree in a random posture, with ``M = sum over links of (chain S)' I (chain S)``."""
    S, M = rng.normal(size=(model.nv, 6)), np.zeros((model.nv, model.nv))
    pose = np.array(
        [[*random_rotation(rng).T.ravel(), *rng.normal(size=3)] for _ in range(model.n_links)]
    )
    for link in range(model.n_links):
        R, p = pose[link, :9].reshape(3, 3).T, pose[link, 9:]
        m, cross = model.link_mass[link], skew(p + R @ model.link_com[link])
        inertia = R @ model.link_inertia[link] @ R.T - m * cross @ cross
        spatial = np.block([[m * np.eye(3), -m * cross], [m * cross, inertia]])
        at = chain(model, link)
        M[np.ix_(at, at)] += S[at] @ spatial @ S[at].T
    return Given(model, M, rng.normal(size=model.nv), S, pose)


def point(rng, name, link):
    """Return a contact point on a link."""
    place = rng.normal(size=3)
    return ContactFeature(name, link, "point", place, np.zeros(3), 0.0, 0.5, np.nan)


def body(rng, name, parents, floating, links, *, free=False):
    """Return a body in a random state with a contact point on each of ``links``."""
    model = tree_model(rng, parents, floating)
    tree = None if free else evaluation(rng, model)
    q, v, n = rng.normal(size=model.nq), rng.normal(size=model.nv), len(parents)
    if floating:
        q[3:7] /= np.linalg.norm(q[3:7])
    points = [point(rng, f"p{k}", link) for k, link in enumerate(links)]
    return Body(name, model, tree, q, v, points, rng.uniform(0, 1, n), rng.uniform(0, 1, n))


def simulator(rng, bodies, method, *, law=Answer):
    """Return a simulator of bodies that touch the ground with all points, wherever they are."""
    world = World(bodies, rng.normal(size=3))
    n = world.n_contacts
    world.problem = allocate(n, 3 * n, n * n, 9 * n * n)  # also for pairs across trees
    plane = Plane(PlaneConfig(normal=(0.2, -0.3, 0.9), offset=0.3, friction=0.5))
    physics = Physics(law(np.zeros), NoImpact(NoConfig()), SemiImplicitEuler(NoConfig()), plane)
    sim = Simulator(world, physics, StepSettings(DT, delassus=method))
    joints = slice(None)
    world.joints.stiffness[joints] = np.where(
        world.topology.dof_q >= 0, rng.uniform(0, 50, world.nv), 0.0
    )
    world.joints.rate_gain[joints] = np.where(
        world.topology.dof_q >= 0, rng.uniform(0, 5, world.nv), 0.0
    )
    return sim


def humanoid(rng, method, links=(*FEET,) * 4):
    """Return a floating humanoid of 30 joints with contacts on these links."""
    return simulator(rng, [body(rng, "humanoid", HUMANOID, True, links)], method)


def matrix_by_definition(sim):
    """Return J M^-1 J', with what acts implicitly in M, contacts one after another."""
    world, problem, topology = sim.world, sim.stepper.problem.arrays, sim.world.topology
    n, joints = int(problem.size[0]), world.joints
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
    n = int(problem.size[0])
    W = np.zeros((3 * n, 3 * n))
    for i in range(n):
        for pair in range(problem.pair_start[i], problem.pair_start[i + 1]):
            j, at = problem.pair_block[pair], problem.pair_data[pair]
            W[3 * i : 3 * i + 3, 3 * j : 3 * j + 3] = problem.W[at : at + 9].reshape(3, 3)
    return W
