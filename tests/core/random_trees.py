"""Made-up trees: every array that an engine would give is random, and known."""

import numpy as np

from footfall.interfaces.engine import Tree, TreeModel


class Given(Tree):
    """A tree whose evaluation never changes."""

    def __init__(self, model, M, h, S, pose):
        self.model, self.M, self.h, self.S, self.pose = model, M, h, S, pose

    def evaluate(self, q, v):
        """Nothing changes."""

    def evaluate_bias(self, q, v):
        """Nothing changes."""


def chain(model, link):
    """Return the dofs that move a link, from the root."""
    dof, found = int(model.link_dof[link]), []
    while dof >= 0:
        found.append(dof)
        dof = int(model.dof_parent[dof])
    return found[::-1]


def skew(x):
    """Return the matrix of the cross product with x."""
    return np.array([[0, -x[2], x[1]], [x[2], 0, -x[0]], [-x[1], x[0], 0]])


def random_rotation(rng):
    """Return a rotation matrix."""
    q, r = np.linalg.qr(rng.normal(size=(3, 3)))
    q *= np.sign(np.diag(r))
    return q if np.linalg.det(q) > 0.0 else -q


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
