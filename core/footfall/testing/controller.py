"""The checks of controllers."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from footfall.roles.controller import Command, Observation
from footfall.roles.engine import BaseKind, TreeModel
from footfall.testing.check import Finding, checks_of, worst
from footfall.testing.declarations import plugin_mistakes
from footfall.testing.subject import Subject

Floats = npt.NDArray[np.float64]
FIELDS = ("tau", "stiffness", "damping", "target", "target_rate")
JOINTS = 3


def declarations(subject: Subject) -> Finding:
    """What the class declares is well formed."""
    mistakes = plugin_mistakes(subject.cls)
    return Finding(not mistakes, "; ".join(mistakes) or "class attributes")


def chain_model(base: BaseKind) -> TreeModel:
    """Return the constants of three links in a row: all that a controller sees of a body."""
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
        link_mass=np.ones(n + 1),
        link_com=np.zeros((n + 1, 3)),
        link_inertia=np.tile(0.01 * np.eye(3), (n + 1, 1, 1)),
        position_lower=-wide,
        position_upper=wide,
        velocity_limit=wide,
        effort_limit=10.0 * wide,
        damping=np.zeros(n),
        friction=np.zeros(n),
        armature=np.zeros(n),
        frames={},
    )


MODELS = (chain_model("floating"), chain_model("fixed"))
POSTURE = np.array([0.3, -0.2, 0.5])


def observation(model: TreeModel, seed: int) -> Observation:
    """Return a state of order one."""
    rng = np.random.default_rng(seed)
    q, v = rng.normal(size=model.nq), rng.normal(size=model.nv)
    if model.base == "floating":
        q[3:7] /= np.linalg.norm(q[3:7])
    return Observation(0.01 * seed, q, v)


def ready(subject: Subject, model: TreeModel, posture: Floats = POSTURE) -> Any:
    """Return a fresh controller, set up for a body."""
    controller = subject.make()
    controller.setup(model, posture)
    return controller


def commanded(controller: Any, seen: Observation, into: Command | None = None) -> Command:
    """Return what a controller commands; by default into a command that asks nothing."""
    command = Command.allocate(JOINTS) if into is None else into
    controller.command(seen, command)
    return command


def finite(subject: Subject) -> Finding:
    """Torques, gains and targets are finite, and gains not negative."""
    return worst(_finite(subject, model, seed) for model in MODELS for seed in range(4))


def _finite(subject: Subject, model: TreeModel, seed: int) -> Finding:
    command = commanded(ready(subject, model), observation(model, seed))
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
    posture, seen = POSTURE.copy(), observation(model, 1)
    controller = ready(subject, model, posture)
    before = posture.tobytes() + seen.q.tobytes() + seen.v.tobytes()
    expected = _bits(commanded(controller, seen))
    if posture.tobytes() + seen.q.tobytes() + seen.v.tobytes() != before:
        return Finding(False, f"{model.base} base: posture, q or v changed")
    posture[:] = 7.0
    same = _bits(commanded(controller, observation(model, 1))) == expected
    return Finding(same, f"{model.base} base: the command after the posture was overwritten")


def deterministic(subject: Subject) -> Finding:
    """The same observation gives fresh controllers the same command, bit for bit."""
    return worst(_deterministic(subject, model) for model in MODELS)


def _deterministic(subject: Subject, model: TreeModel) -> Finding:
    seen = observation(model, 2)
    found = {_bits(commanded(ready(subject, model), seen)) for _ in range(3)}
    return Finding(len(found) == 1, f"{model.base} base: {len(found)} different commands of 3")


def no_hidden_state(subject: Subject) -> Finding:
    """The command depends on the observation alone, not on what was seen or commanded before."""
    return worst(_no_hidden_state(subject, model) for model in MODELS)


def _no_hidden_state(subject: Subject, model: TreeModel) -> Finding:
    used, kept = ready(subject, model), Command.allocate(JOINTS)
    for seed in (3, 4, 5, 3):
        seen = observation(model, seed)
        expected = _bits(commanded(ready(subject, model), seen))
        if _bits(commanded(used, seen, kept)) != expected:
            return Finding(False, f"{model.base} base: another command after other observations")
    again = _bits(commanded(used, observation(model, 6)))
    same = again == _bits(commanded(ready(subject, model), observation(model, 6)))
    return Finding(same, f"{model.base} base: into a command kept from before, and into a new one")


def set_up_again(subject: Subject) -> Finding:
    """A second setup leaves nothing of the first."""
    used = ready(subject, MODELS[0], -POSTURE)
    used.setup(MODELS[1], POSTURE)
    seen = observation(MODELS[1], 7)
    same = _bits(commanded(used, seen)) == _bits(commanded(ready(subject, MODELS[1]), seen))
    return Finding(same, "for a floating base first, then for a fixed one")


def _bits(command: Command) -> bytes:
    return b"".join(getattr(command, name).tobytes() for name in FIELDS)


CHECKS = checks_of(
    "controller",
    declarations,
    finite,
    inputs,
    deterministic,
    no_hidden_state,
    set_up_again,
)
