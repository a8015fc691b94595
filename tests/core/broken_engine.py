"""Engines that are broken, each in one way: a sound one whose trees are spoiled."""

from dataclasses import replace

import numpy as np

from footfall.errors import RobotError
from footfall.interfaces.engine import Engine, Tree
from footfall.interfaces.plugin import Capability
from footfall_pinocchio.engine import Pinocchio

FIELDS = ("M", "h", "S", "pose")


class Sound(Pinocchio):
    """Pinocchio as it is."""

    name = "sound"


class Spoiled(Tree):
    """A tree with arrays of its own, spoiled after each evaluation."""

    def __init__(self, inner, spoil):
        self.inner, self.spoil, self.model = inner, spoil, inner.model
        self.copy()

    def copy(self, names=FIELDS):
        for name in names:
            if hasattr(self, name):
                getattr(self, name)[:] = getattr(self.inner, name)
            else:
                setattr(self, name, np.array(getattr(self.inner, name)))

    def evaluate(self, q, v):
        self.inner.evaluate(q, v)
        self.copy()
        self.spoil(self, q, v)

    def evaluate_bias(self, q, v):
        self.inner.evaluate_bias(q, v)
        self.copy(("h",))


def engine(load, **attributes):
    """Return an engine with another ``load(self, source)``."""
    named = {"name": "broken", "capabilities": Pinocchio.capabilities, "__doc__": "Broken."}
    return type(
        "Broken", (Engine,), {"__init__": made, "load": load, "build": load, **named, **attributes}
    )


def made(self, config):
    self.inner = Pinocchio(config)


def spoiling(spoil, tree=Spoiled):
    return engine(lambda self, source: tree(self.inner.load(source), spoil))


def nothing(tree, q, v):
    """Leave the evaluation as it is."""


@spoiling
def body_frame(tree, q, v):
    """S is given in the frame of the base."""
    R = tree.pose[0, :9].reshape(3, 3).T
    tree.S[:] = np.hstack([tree.S[:, :3] @ R, tree.S[:, 3:] @ R])


@spoiling
def with_armature(tree, q, v):
    tree.M[-1, -1] += 0.01


@spoiling
def no_coriolis(tree, q, v):
    tree.inner.evaluate_bias(q, 0.0 * v)
    tree.h[:] = tree.inner.h


@spoiling
def nan_swallowed(tree, q, v):
    for name in FIELDS:
        array = getattr(tree, name)
        array[:] = np.nan_to_num(array)


@spoiling
def input_mutated(tree, q, v):
    v *= 0.5


@spoiling
def random(tree, q, v):
    tree.h[:] *= 1.0 + 1e-13 * np.random.default_rng().normal(size=len(v))


@spoiling
def hidden_state(tree, q, v):
    tree.h[:] += 1e-9 * getattr(tree, "last", 0.0)
    tree.last = v.copy()


@spoiling
def moving_arrays(tree, q, v):
    tree.M = tree.M.copy()


class WholeBias(Spoiled):
    """A tree whose ``evaluate_bias`` evaluates at the rest position."""

    def evaluate_bias(self, q, v):
        self.inner.evaluate_bias(q, v)
        self.inner.evaluate(q, 0.0 * v)
        self.copy()


bias_of_another_velocity = spoiling(nothing, WholeBias)


class Common(Spoiled):
    """A tree whose h belongs to all trees."""

    shared: dict[int, np.ndarray] = {}  # noqa: RUF012 - that is the point

    def __init__(self, inner, spoil):
        super().__init__(inner, spoil)
        self.h = self.shared.setdefault(len(self.h), self.h)


one_bias_for_all = spoiling(nothing, Common)


def _upside_down(self, source):
    tree = self.inner.load(source)
    tree.model = replace(tree.model, joint_names=tree.model.joint_names[::-1])
    return tree


def _lenient(self, source):
    try:
        return self.inner.load(source)
    except RobotError:
        return None


def _nameless(self, source):
    try:
        return self.inner.load(source)
    except RobotError:
        raise RobotError("it does not load") from None


other_order = engine(_upside_down)
lenient = engine(_lenient)
nameless = engine(_nameless)
absurd = engine(_lenient, capabilities={"URDF", *Pinocchio.capabilities})
without_urdf = engine(_lenient, capabilities=frozenset({Capability.MJCF}))
