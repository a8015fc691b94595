"""Three links in a row with a foot at the end: the body that controllers are tried on."""

from __future__ import annotations

import numpy as np

from footfall.devices.body_signals import Signals
from footfall.interfaces.engine import BaseKind, Tree, TreeModel
from footfall.interfaces.signals import BodySignals
from footfall.model.feature import ContactFeature, Foot
from footfall.spatial.pose import Pose
from footfall.testing.engine.linkage import GRAVITY, Linkage, Member
from footfall.testing.engine.reference import reference
from footfall.typing import Floats
from footfall.world.body import Body
from footfall.world.state import Part, State
from footfall.world.world import World

JOINTS = 3
LENGTH = 0.3
"""From joint to joint, [m]."""
MASS, INERTIA = 1.0, 0.01
"""Of every link, [kg], [kg m^2]."""
CORNERS = np.array(
    [[0.1, 0.05, -0.05], [0.1, -0.05, -0.05], [-0.1, 0.05, -0.05], [-0.1, -0.05, -0.05]]
)


def chain_model(base: BaseKind) -> TreeModel:
    """Return the constants of the chain."""
    first = 6 if base == "floating" else 0
    nv, n = first + JOINTS, JOINTS
    names = tuple(f"joint{i}" for i in range(n))
    wide = np.full(n, 3.0)
    return TreeModel(
        base=base,
        joint_names=names,
        dof_parent=np.arange(-1, nv - 1, dtype=np.int64),
        link_dof=np.arange(first - 1, nv, dtype=np.int64),
        link_names=("trunk", *names),
        link_mass=np.full(n + 1, MASS),
        link_com=np.zeros((n + 1, 3)),
        link_inertia=np.tile(INERTIA * np.eye(3), (n + 1, 1, 1)),
        position_lower=-wide,
        position_upper=wide,
        velocity_limit=wide,
        effort_limit=10.0 * wide,
        damping=np.zeros(n),
        friction=np.zeros(n),
        armature=np.zeros(n),
        frames={},
    )


def _linkage() -> Linkage:
    still, down = np.zeros(3), np.array([0.0, 0.0, -LENGTH])
    inertial = (MASS, still, INERTIA * np.eye(3))
    axes = (np.array([0.0, 1.0, 0.0]), np.array([1.0, 0.0, 0.0]), np.array([0.0, 1.0, 0.0]))
    joints = (
        Member(f"joint{i}", "revolute", i, down, still, axis, *inertial)
        for i, axis in enumerate(axes)
    )
    return (Member("", "root", -1, still, still, still, *inertial), *joints)


class ChainTree(Tree):
    """The chain, evaluated in plain numpy."""

    name = "chain"

    def __init__(self, model: TreeModel) -> None:
        self.model, nv = model, model.nv
        self.M, self.h, self.S = np.zeros((nv, nv)), np.zeros(nv), np.zeros((nv, 6))
        self.pose = np.zeros((model.n_links, 12))

    def evaluate(self, q: Floats, v: Floats) -> None:
        """Overwrite M, h, S and pose."""
        found = reference(_linkage(), self.model.base, np.array(q), np.array(v), GRAVITY)
        self.M[:], self.h[:], self.S[:], self.pose[:] = found.M, found.h, found.S, found.pose

    def evaluate_bias(self, q: Floats, v: Floats) -> None:
        """Overwrite h."""
        self.h[:] = reference(_linkage(), self.model.base, np.array(q), np.array(v), GRAVITY).h


def chain_signals(model: TreeModel, q: Floats, v: Floats) -> BodySignals:
    """Return the signals of a chain that stands on its foot at a state."""
    foot = Foot("foot", JOINTS, Pose.identity())
    features = [
        ContactFeature(f"foot/{i}", JOINTS, "point", at, np.zeros(3), 0.0, 0.5, np.nan, foot)
        for i, at in enumerate(CORNERS)
    ]
    none = np.zeros(JOINTS)
    body = Body("chain", model, ChainTree(model), q, v, features, none, none)
    world = World([body], GRAVITY)
    state = State(
        (
            *(Part("q", (model.nq,)), Part("v", (model.nv,)), Part("nudot", (model.nv,))),
            *(Part("touching", (len(CORNERS),)), Part("foot_wrench", (1, 6))),
        )
    )
    state["q"][:], state["v"][:], state["touching"][:] = q, v, 1.0
    state["foot_wrench"][:, :3] = -model.mass * GRAVITY
    return Signals(world, state, (), {}).of("chain")
