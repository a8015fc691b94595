"""The test linkages and states of the engine checks, and their loading."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

import numpy as np

from footfall.api.engine import Tree
from footfall.api.plugin import Capability, Floats
from footfall.testing.check import NotApplicable, Subject
from footfall.testing.linkage import GRAVITY, Linkage, branched, planar, source_of
from footfall.testing.reference import Reference, reference

Model = tuple[str, Linkage, Literal["floating", "fixed"]]
MODELS: tuple[tuple[Capability, Model], ...] = (
    (Capability.FLOATING_BASE, ("floating base", branched(), "floating")),
    (Capability.FIXED_BASE, ("fixed base", branched(), "fixed")),
    (Capability.PLANAR_BASE, ("planar base", planar(), "fixed")),
)


def models(subject: Subject) -> list[Model]:
    """Return the linkages that the engine declares it can load."""
    subject.require(Capability.URDF)
    found = [model for capability, model in MODELS if subject.can(capability)]
    if not found:
        raise NotApplicable("declares no kind of base")
    return found


def load(subject: Subject, model: Model) -> Tree:
    """Load a linkage with a fresh engine."""
    tree: Tree = subject.make().load(source_of(model[1], model[2]))
    return tree


def random_state(model: Model, seed: int) -> tuple[Floats, Floats]:
    """Return a configuration and a velocity of order one."""
    rng = np.random.default_rng(seed)
    n, floating = sum(member.moves for member in model[1]), model[2] == "floating"
    q, v = rng.uniform(-1.0, 1.0, n + 7 * floating), rng.normal(size=n + 6 * floating)
    if floating:
        q[3:7] /= np.linalg.norm(q[3:7])
    return q, v


def evaluated(subject: Subject) -> Iterator[tuple[str, Tree, Reference, Floats]]:
    """Yield title, evaluated tree, reference and velocity for every model and some states."""
    for model in models(subject):
        tree = load(subject, model)
        for seed in range(4):
            q, v = random_state(model, seed)
            tree.evaluate(q, v)
            expected = reference(model[1], model[2], q, v, GRAVITY)
            yield f"{model[0]}, state {seed}", tree, expected, v
