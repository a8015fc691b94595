"""The checks of controllers."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from footfall.roles.controller import Command, Observation
from footfall.roles.engine import TreeModel
from footfall.scene.models import Pace
from footfall.testing.chain import JOINTS, chain_model, chain_signals
from footfall.testing.check import Finding, checks_of, worst
from footfall.testing.declarations import plugin_mistakes
from footfall.testing.subject import Subject

Floats = npt.NDArray[np.float64]
FIELDS = ("tau", "stiffness", "damping", "target", "target_rate")


def declarations(subject: Subject) -> Finding:
    """What the class declares is well formed."""
    mistakes = plugin_mistakes(subject.cls)
    taken = [key for key in Pace.model_fields if key in subject.cls.Config.model_fields]
    mistakes += [f"Config.{key}: that key is every controller's, its pace" for key in taken]
    return Finding(not mistakes, "; ".join(mistakes) or "class attributes")


MODELS = (chain_model("floating"), chain_model("fixed"))
POSTURE = np.array([0.3, -0.2, 0.5])


def ready(subject: Subject, model: TreeModel, posture: Floats = POSTURE) -> Any:
    """Return a fresh controller, set up for a body."""
    controller = subject.make()
    controller.setup(model, posture)
    return controller


def observation(controller: Any, model: TreeModel, seed: int) -> Observation:
    """Return a state of order one; what the controller keeps is as at the start."""
    rng = np.random.default_rng(seed)
    q, v = rng.normal(size=model.nq), rng.normal(size=model.nv)
    if model.base == "floating":
        q[3:7] /= np.linalg.norm(q[3:7])
    rows = {"global": 1, "dof": model.nv, "joint": JOINTS}
    kept = {part.name: np.zeros((rows[part.per], part.width)) for part in controller.state_parts}
    return Observation(0.01 * seed, q, v, signals=chain_signals(model, q, v), state=kept)


def commanded(controller: Any, model: TreeModel, seed: int, into: Command | None = None) -> bytes:
    """Return what a controller commands, bit for bit; by default into a command that asks nothing.

    It sees the state of a seed, and nothing that it has kept.
    """
    command = Command.allocate(JOINTS) if into is None else into
    controller.command(observation(controller, model, seed), command)
    return b"".join(getattr(command, name).tobytes() for name in FIELDS)


def finite(subject: Subject) -> Finding:
    """Torques, gains and targets are finite, and gains not negative."""
    return worst(_finite(subject, model, seed) for model in MODELS for seed in range(4))


def _finite(subject: Subject, model: TreeModel, seed: int) -> Finding:
    controller, command = ready(subject, model), Command.allocate(JOINTS)
    commanded(controller, model, seed, command)
    for name in FIELDS:
        if not np.isfinite(getattr(command, name)).all():
            return Finding(False, f"{model.base} base: {name} is not finite")
    if (command.stiffness < 0.0).any() or (command.damping < 0.0).any():
        return Finding(False, f"{model.base} base: a gain is negative")
    return Finding(True, f"{JOINTS} joints, {model.base} base")


def inputs(subject: Subject) -> Finding:
    """Observation and posture are not changed, nor kept."""
    return worst(_inputs(subject, model) for model in MODELS)


def _inputs(subject: Subject, model: TreeModel) -> Finding:
    posture, command = POSTURE.copy(), Command.allocate(JOINTS)
    controller = ready(subject, model, posture)
    seen = observation(controller, model, 1)
    before = posture.tobytes() + seen.q.tobytes() + seen.v.tobytes()
    controller.command(seen, command)
    if posture.tobytes() + seen.q.tobytes() + seen.v.tobytes() != before:
        return Finding(False, f"{model.base} base: posture, q or v changed")
    posture[:] = 7.0
    same = commanded(controller, model, 1) == commanded(ready(subject, model), model, 1)
    return Finding(same, f"{model.base} base: the command after the posture was overwritten")


def deterministic(subject: Subject) -> Finding:
    """The same observation gives fresh controllers the same command, bit for bit."""
    return worst(_deterministic(subject, model) for model in MODELS)


def _deterministic(subject: Subject, model: TreeModel) -> Finding:
    found = {commanded(ready(subject, model), model, 2) for _ in range(3)}
    return Finding(len(found) == 1, f"{model.base} base: {len(found)} different commands of 3")


def no_hidden_state(subject: Subject) -> Finding:
    """The command depends on the observation alone, not on what was seen or commanded before."""
    return worst(_no_hidden_state(subject, model) for model in MODELS)


def _no_hidden_state(subject: Subject, model: TreeModel) -> Finding:
    used, kept = ready(subject, model), Command.allocate(JOINTS)
    for seed in (3, 4, 5, 3):
        if commanded(used, model, seed, kept) != commanded(ready(subject, model), model, seed):
            return Finding(False, f"{model.base} base: another command after other observations")
    same = commanded(used, model, 6) == commanded(ready(subject, model), model, 6)
    return Finding(same, f"{model.base} base: into a command kept from before, and into a new one")


def set_up_again(subject: Subject) -> Finding:
    """A second setup leaves nothing of the first."""
    used = ready(subject, MODELS[0], -POSTURE)
    used.setup(MODELS[1], POSTURE)
    same = commanded(used, MODELS[1], 7) == commanded(ready(subject, MODELS[1]), MODELS[1], 7)
    return Finding(same, "for a floating base first, then for a fixed one")


CHECKS = checks_of(
    "controller",
    declarations,
    finite,
    inputs,
    deterministic,
    no_hidden_state,
    set_up_again,
)
