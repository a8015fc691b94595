"""Impacts for impact models: hand-written ones, and those recorded from a real simulator."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
from tests.plugins.contact_cases import RECORDED, Flags, Recorded

from footfall.problem.arrays import BlockKind
from footfall.problem.contact_problem import ContactProblem
from footfall.registry.discover import discover
from footfall.testing.check import subject_of
from footfall.typing import Floats

REGISTRY = discover()


def model(name: str, **config: Any) -> Any:
    """A fresh impact model, with its default QP solver if it takes one."""
    return subject_of("impact", name, REGISTRY, config).make()


def resolve(
    name: str, W: Floats, u: Floats, *, mu: float = 0.5, e: Any = 0.0, **config: Any
) -> Any:
    """The problem of contacts with Delassus matrix W and velocity u, resolved."""
    n = len(W) // 3
    problem = ContactProblem.from_dense(
        W, u, np.full(n, mu), restitution=np.zeros(n) + e, impulsive=True
    )
    model(name, **config).resolve(problem)
    return problem


def after(problem: ContactProblem) -> Floats:
    """The velocity after the impact."""
    return problem.delassus() @ problem.impulse + problem.free_velocity


def energy_change(problem: ContactProblem) -> float:
    """The change of kinetic energy, half ``r . (u- + u+)``."""
    return float(0.5 * problem.impulse @ (problem.free_velocity + after(problem)))


def recorded_impacts(loops: bool) -> list[Recorded]:
    """The recorded impacts, with or without loop rows."""
    cases = json.loads(RECORDED.read_text())["cases"]
    found = [Recorded(i, c) for i, c in enumerate(cases) if (c["n_holonomic_rows"] > 0) == loops]
    return [case for case in found if case.impact]


def velocity_after(name: str, case: Recorded, vertices: Flags, **config: Any) -> Floats:
    """The velocity nu+ of a recorded system that an impact model answers."""
    loop = int(case.data["n_holonomic_rows"])
    J, k = case.jacobian(vertices), int(vertices.sum())
    if loop:
        J = np.vstack([J, case.array("J_hol")])
    v, M = case.array("nu"), case.inertia
    problem = ContactProblem.from_dense(
        J @ np.linalg.solve(M, J.T),
        J @ v,
        np.concatenate([np.full(k, case.data["mu"]), np.zeros(loop)]),
        impulsive=True,
        kinds=(BlockKind.CONE,) * k + (BlockKind.EQUALITY,) * loop,
    )
    model(name, **config).resolve(problem)
    return v + np.linalg.solve(M, J.T @ problem.impulse)
