"""Comparison of all dynamics engines and ``footfall.symbolic`` on the same robots and states."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from footfall import discover, list_scenes, load_robot
from footfall.api.engine import Tree, TreeModel
from footfall.api.plugin import Floats, FootfallError

REFERENCE = "pinocchio"
"""Engine that the others are compared with."""
SYMBOLIC = "symbolic"
GRAVITY = np.array([0.3, -0.2, -9.81])
"""Gravity that is not along an axis, [m/s^2]."""
STATES = 20
"""Number of random states of each robot."""
BURST, BURSTS = 100, 5
"""Evaluations in a burst, and number of bursts; the fastest counts."""

Evaluate = Callable[[Floats, Floats], tuple[Floats, Floats, Floats, Floats]]
"""Function from q and v to M, h, S and pose, as in a ``Tree``."""


@dataclass(frozen=True, slots=True)
class Parity:
    """Differences of one engine from the reference on one robot.

    Attributes:
        robot: name of the robot.
        nv: number of velocities.
        engine: name of the engine.
        M: largest difference of an entry, divided by the largest entry (by 1, if that is larger).
        h: likewise.
        S: likewise.
        pose: likewise.
        time: time of an evaluation of all four, [s].
    """

    robot: str
    nv: int
    engine: str
    M: float
    h: float
    S: float
    pose: float
    time: float


def robots() -> list[str]:
    """Return the names of the installed robots, as scenes name them."""
    return sorted({scene.name.split("/")[0] for scene in list_scenes()})


def contenders() -> tuple[list[str], list[str]]:
    """Return the installed engines, the reference first, and the reasons why others are not."""
    registry = discover()
    there, left_out = [], []
    entries = [(name, registry.find("engine", name)) for name in registry.engine.names()]
    if SYMBOLIC in registry.function.names():
        entries.append((SYMBOLIC, registry.find("function", SYMBOLIC)))
    for name, entry in entries:
        if entry.missing:
            left_out.append(f"{name}: {entry.install_hint}")
        else:
            there.append(name)
    return sorted(there, key=lambda name: (name != REFERENCE, name == SYMBOLIC, name)), left_out


def compare_on(robot: str, engines: list[str]) -> Iterator[Parity]:
    """Yield the differences of each engine from the first one on a robot.

    Raises:
        FootfallError: if a robot cannot be loaded.
    """
    source = load_robot(robot).source(robot, GRAVITY)
    registry = discover()
    loaded: dict[str, Evaluate] = {}
    tree: Tree = registry.find("engine", engines[0]).load()().load(source)
    for name in engines:
        if name == SYMBOLIC:
            model = registry.find("function", SYMBOLIC).load()(load_robot(robot), gravity=GRAVITY)
            loaded[name] = _by_functions(model, tree.model)
        else:
            loaded[name] = _by_tree(registry.find("engine", name).load()().load(source))
    states = list(_states(tree.model))
    expected = [[part.copy() for part in loaded[engines[0]](q, v)] for q, v in states]
    for name, evaluate in loaded.items():
        worst = np.zeros(4)
        for (q, v), right in zip(states, expected, strict=True):
            worst = np.maximum(worst, [_apart(*p) for p in zip(evaluate(q, v), right, strict=True)])
        M, h, S, pose = worst.tolist()
        seconds = _time(evaluate, *states[0])
        yield Parity(robot, tree.model.nv, name, M, h, S, pose, seconds)


def _states(model: TreeModel) -> Iterator[tuple[Floats, Floats]]:
    rng = np.random.default_rng(11)
    for _ in range(STATES):
        q, v = rng.uniform(-np.pi, np.pi, model.nq), rng.normal(size=model.nv)
        if model.base == "floating":
            q[3:7] /= np.linalg.norm(q[3:7])
        yield q, v


def _by_tree(tree: Tree) -> Evaluate:
    def evaluate(q: Floats, v: Floats) -> tuple[Floats, Floats, Floats, Floats]:
        tree.evaluate(q, v)
        return tree.M, tree.h, tree.S, tree.pose

    return evaluate


def _by_functions(model: Any, tree: TreeModel) -> Evaluate:
    """Return one CasADi function of all, with poses and Jacobians in the form of a tree.

    A row of S is the column of a Jacobian of the first link that the dof moves, with the velocity
    moved from the link's origin p to the world's: ``(v + p x w, w)``.
    """
    import casadi as cs

    q, v = cs.SX.sym("q", model.nq), cs.SX.sym("v", model.nv)
    places = [model.pose(name)(q) for name in tree.link_names]
    poses = cs.horzcat(*(cs.vertcat(cs.vec(H[:3, :3]), H[:3, 3]) for H in places))
    twists = cs.SX.zeros(6, model.nv)
    first = 0
    for link, name in enumerate(tree.link_names):
        last = int(tree.link_dof[link]) + 1
        if last > first:
            J, p = model.jacobian(name)(q)[:, first:last], places[link][:3, 3]
            twists[3:, first:last] = J[3:, :]
            twists[:3, first:last] = J[:3, :] + cs.skew(p) @ J[3:, :]
            first = last
    outputs = [model.mass_matrix(q), model.bias_force(q, v), twists, poses]
    together = cs.Function("all", [q, v], outputs, {"cse": True})

    def evaluate(q: Floats, v: Floats) -> tuple[Floats, Floats, Floats, Floats]:
        M, h, S, pose = (np.array(part) for part in together(q, v))
        return M, h.ravel(), S.T, pose.T

    return evaluate


def _apart(found: Floats, right: Floats) -> float:
    scale = max(1.0, float(np.abs(right).max(initial=0.0)))
    return float(np.abs(found - right).max(initial=0.0)) / scale


def _time(evaluate: Evaluate, q: Floats, v: Floats) -> float:
    best = np.inf
    for _ in range(BURSTS):
        start = time.process_time()
        for _ in range(BURST):
            evaluate(q, v)
        best = min(best, (time.process_time() - start) / BURST)
    return best


def compare_engines(done: Callable[[], None]) -> tuple[list[Parity], list[str]]:
    """Return the comparison on every installed robot, and what was left out with the reason.

    Args:
        done: called after each robot.
    """
    engines, left_out = contenders()
    found: list[Parity] = []
    for robot in robots():
        try:
            found += compare_on(robot, engines)
        except FootfallError as error:
            left_out.append(f"{robot}: {error}")
        done()
    return found, left_out
