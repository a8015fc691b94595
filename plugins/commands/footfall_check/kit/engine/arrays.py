"""Checks of an evaluation's arrays: it writes the right ones and no others."""

from __future__ import annotations

import numpy as np

from footfall.api.engine import Tree
from footfall.api.plugin import FootfallError
from footfall.testing.check import Finding, Subject, worst
from footfall.testing.linkage import source_of
from footfall_check.kit.engine.models import Model, load, models, random_state


def shapes(subject: Subject) -> Finding:
    """Check that M, h, S, pose are C-ordered float64 of their shapes and stay at their address."""
    return worst(_shapes(subject, model) for model in models(subject))


def _shapes(subject: Subject, model: Model) -> Finding:
    tree = load(subject, model)
    nv, links = tree.model.nv, tree.model.n_links
    q, v = random_state(model, 1)
    addresses = []
    for _ in range(2):
        tree.evaluate(q, v)
        tree.evaluate_bias(q, v)
        arrays = {"M": tree.M, "h": tree.h, "S": tree.S, "pose": tree.pose}
        addresses.append([array.__array_interface__["data"] for array in arrays.values()])
    expected = {"M": (nv, nv), "h": (nv,), "S": (nv, 6), "pose": (links, 12)}
    for name, array in arrays.items():
        if array.shape != expected[name] or array.dtype != np.float64:
            return Finding(False, f"{model[0]}: {name} is {array.dtype} {array.shape}")
        if not array.flags.c_contiguous:
            return Finding(False, f"{model[0]}: {name} is not in C order")
    return Finding(addresses[0] == addresses[1], f"{model[0]}: addresses before and after")


def inputs(subject: Subject) -> Finding:
    """Check that it neither changes nor keeps positions and velocities."""
    return worst(_inputs(subject, model) for model in models(subject))


def _inputs(subject: Subject, model: Model) -> Finding:
    tree = load(subject, model)
    q, v = random_state(model, 1)
    before = q.tobytes() + v.tobytes()
    tree.evaluate(q, v)
    tree.evaluate_bias(q, v)
    if q.tobytes() + v.tobytes() != before:
        return Finding(False, f"{model[0]}: q or v changed")
    given = _bits(tree)
    q[:] = v[:] = np.nan
    return Finding(_bits(tree) == given, f"{model[0]}: arrays after q and v were overwritten")


def deterministic(subject: Subject) -> Finding:
    """Check that the same call of freshly loaded trees gives the same bits."""
    return worst(_deterministic(subject, model) for model in models(subject))


def _deterministic(subject: Subject, model: Model) -> Finding:
    q, v = random_state(model, 2)
    found = set()
    for _ in range(3):
        tree = load(subject, model)
        tree.evaluate(q, v)
        found.add(_bits(tree))
    return Finding(len(found) == 1, f"{model[0]}: {len(found)} different evaluations of 3")


def no_hidden_state(subject: Subject) -> Finding:
    """Check that a tree evaluated at other states gives the same bits as a freshly loaded one."""
    return worst(_no_hidden_state(subject, model) for model in models(subject))


def _no_hidden_state(subject: Subject, model: Model) -> Finding:
    fresh, used = load(subject, model), load(subject, model)
    for seed in range(3):
        used.evaluate(*random_state(model, seed))
        used.evaluate_bias(*random_state(model, seed + 1))
    q, v = random_state(model, 9)
    for tree in (fresh, used):
        tree.evaluate(q, v)
    return Finding(_bits(fresh) == _bits(used), f"{model[0]}: after three other states")


def trees_apart(subject: Subject) -> Finding:
    """Check that two trees of one engine share no arrays."""
    return worst(_trees_apart(subject, model) for model in models(subject))


def _trees_apart(subject: Subject, model: Model) -> Finding:
    engine = subject.make()
    one, other = (engine.load(source_of(model[1], model[2])) for _ in range(2))
    one.evaluate(*random_state(model, 3))
    before = _bits(one)
    other.evaluate(*random_state(model, 4))
    return Finding(_bits(one) == before, f"{model[0]}: after the other one was evaluated")


def not_finite(subject: Subject) -> Finding:
    """Check that a NaN in q or v raises a clear error or shows in the result."""
    return worst(_not_finite(subject, model) for model in models(subject))


def _not_finite(subject: Subject, model: Model) -> Finding:
    tree = load(subject, model)
    for place in (0, 1):
        state = random_state(model, 5)
        state[place][-1] = np.nan
        try:
            tree.evaluate(*state)
        except FootfallError:
            continue
        if all(np.isfinite(array).all() for array in (tree.M, tree.h, tree.S, tree.pose)):
            return Finding(False, f"{model[0]}: a NaN in {'qv'[place]} gives finite arrays")
    return Finding(True, f"{model[0]}: NaN in q and in v")


def _bits(tree: Tree) -> bytes:
    return b"".join(array.tobytes() for array in (tree.M, tree.h, tree.S, tree.pose))
