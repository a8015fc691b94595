"""Worlds of made-up trees: every array an engine would give is random, and known."""

import numpy as np

from footfall.plugin import NoConfig
from footfall.robot.feature import ContactFeature
from footfall.roles.contact import ImpulseLaw
from footfall.roles.engine import Tree, TreeModel
from footfall.simulation.parts import Physics
from footfall.simulation.simulator import Simulator
from footfall.simulation.stepper import StepSettings
from footfall.world.body import Body
from footfall.world.world import World
from footfall_standard.impact import NoImpact
from footfall_standard.integrator import SemiImplicitEuler
from footfall_standard.terrain import Plane, PlaneConfig

TERRAIN_NORMAL = np.array([0.2, -0.3, 0.9]) / np.linalg.norm([0.2, -0.3, 0.9])


class Given(Tree):
    """A tree whose evaluation never changes."""

    def __init__(self, model, M, h, S, pose):
        self.model, self.M, self.h, self.S, self.pose = model, M, h, S, pose

    def evaluate(self, q, v):
        """Nothing changes."""

    def evaluate_bias(self, q, v):
        """Nothing changes."""


class Answer(ImpulseLaw):
    """Gives the impulses it is told to, to whatever could ever touch."""

    name = "answer"

    def __init__(self, impulse):
        self.impulse = impulse

    @property
    def margin(self):
        return 1e3

    def solve(self, problem, state):
        problem.impulse[:] = self.impulse(problem.n_rows)
        problem.offset[:] = 0.0
        problem.correction[:] = 0.0
        problem.arrays.report[:] = 0.0


def chain(model, link):
    """Return the dofs that move a link, from the root."""
    dof, found = int(model.link_dof[link]), []
    while dof >= 0:
        found.append(dof)
        dof = int(model.dof_parent[dof])
    return found[::-1]


def random_model(rng, n_joints, floating):
    """Return a tree in which every joint hangs on a random earlier link."""
    base = 6 if floating else 0
    parent_link = [int(rng.integers(0, k + 1)) for k in range(n_joints)]
    link_dof = np.array([base - 1 if floating else -1, *(base + k for k in range(n_joints))])
    dof_parent = [*range(-1, base - 1), *(int(link_dof[p]) for p in parent_link)]
    n = n_joints + 1
    return TreeModel(
        base="floating" if floating else "fixed",
        joint_names=tuple(f"j{k}" for k in range(n_joints)),
        dof_parent=np.array(dof_parent, np.int64),
        link_dof=link_dof.astype(np.int64),
        link_names=tuple(f"l{k}" for k in range(n)),
        link_mass=rng.uniform(0.5, 2.0, n),
        link_com=rng.normal(size=(n, 3)),
        link_inertia=np.array([np.eye(3)] * n),
        position_lower=np.full(n_joints, -np.inf),
        position_upper=np.full(n_joints, np.inf),
        velocity_limit=np.full(n_joints, np.inf),
        effort_limit=np.full(n_joints, np.inf),
        damping=np.zeros(n_joints),
        friction=np.zeros(n_joints),
        armature=np.zeros(n_joints),
        frames={},
    )


def random_rotation(rng):
    """Return a rotation matrix."""
    q, r = np.linalg.qr(rng.normal(size=(3, 3)))
    q *= np.sign(np.diag(r))
    return q if np.linalg.det(q) > 0.0 else -q


def random_tree(rng, n_joints, floating):
    """Return a tree with ``M = sum over links of (chain S)' I (chain S)``, so with its sparsity."""
    model = random_model(rng, n_joints, floating)
    S = rng.normal(size=(model.nv, 6))
    M = np.zeros((model.nv, model.nv))
    for link in range(model.n_links):
        A = rng.normal(size=(6, 6))
        at = chain(model, link)
        M[np.ix_(at, at)] += S[at] @ (A @ A.T + 0.1 * np.eye(6)) @ S[at].T
    pose = np.array(
        [[*random_rotation(rng).T.ravel(), *rng.normal(size=3)] for _ in range(model.n_links)]
    )
    return Given(model, M, rng.normal(size=model.nv), S, pose)


def random_features(rng, model, n):
    """Return points, spheres and rims on random links."""
    features = []
    for k in range(n):
        kind = ("point", "sphere", "rim")[k % 3]
        axis = rng.normal(size=3)
        features.append(
            ContactFeature(
                name=f"f{k}",
                link=int(rng.integers(0, model.n_links)),
                kind=kind,
                position=rng.normal(size=3),
                axis=axis / np.linalg.norm(axis) if kind == "rim" else np.zeros(3),
                radius=0.0 if kind == "point" else float(rng.uniform(0.1, 0.5)),
                friction=0.5,
                restitution=np.nan,
            )
        )
    return features


def random_body(rng, name, n_joints, floating, n_features, *, free=False):
    """Return a body in a random state; ``free``: without an engine's tree."""
    tree = random_tree(rng, n_joints, floating)
    model = tree.model
    q, v = rng.normal(size=model.nq), rng.normal(size=model.nv)
    if floating:
        q[3:7] /= np.linalg.norm(q[3:7])
    features = random_features(rng, model, n_features)
    damping, armature = rng.uniform(0, 1, n_joints), rng.uniform(0, 1, n_joints)
    return Body(name, model, None if free else tree, q, v, features, armature, damping)


def random_simulator(seed, *, impulse=np.zeros, dt=1e-3, sizes=((9, True), (5, False))):
    """Return a world of trees and one free rigid body, with everything random in its joints."""
    rng = np.random.default_rng(seed)
    bodies = [random_body(rng, f"tree{k}", n, floating, 4) for k, (n, floating) in enumerate(sizes)]
    bodies.append(random_body(rng, "free", 0, True, 3, free=True))
    world = World(bodies, rng.normal(size=3))
    plane = Plane(PlaneConfig(normal=tuple(TERRAIN_NORMAL), offset=0.3, friction=0.5))
    physics = Physics(Answer(impulse), NoImpact(NoConfig()), SemiImplicitEuler(NoConfig()), plane)
    sim = Simulator(world, physics, StepSettings(dt))
    joints = world.joints
    for k in range(len(bodies)):
        at = world.joint_slice(k)
        n = at.stop - at.start
        joints.tau[at], joints.target[at] = rng.normal(size=n), rng.normal(size=n)
        joints.stiffness[at], joints.rate_gain[at] = rng.uniform(0, 1e3, n), rng.uniform(0, 50, n)
        joints.target_rate[at] = rng.normal(size=n)
    joints.external[:] = rng.normal(size=world.nv)
    return sim
