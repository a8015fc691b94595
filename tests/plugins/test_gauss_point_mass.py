"""The gauss laws on a point mass: numbers measured on the simulator that they come from."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.cases import each
from tests.plugins.contact_cases import state_for
from tests.plugins.solver_cases import VARIANTS, make_solver

from footfall.problem.contact_problem import ContactProblem
from footfall.typing import Floats
from footfall_gauss.contact import Gauss, GaussConfig, GaussDiscrete

DT, GRAVITY, MU = 1e-3, 9.81, 0.5
pytestmark = pytest.mark.parametrize("variant", VARIANTS)


def problem_for(velocity: Floats, mu: float = MU, mass: float = 1.0) -> ContactProblem:
    """A point mass on the ground that moves with some velocity."""
    free = velocity - np.array([0.0, 0.0, GRAVITY * DT])
    return ContactProblem.from_dense(
        np.eye(3) / mass, free, np.array([mu]), velocity=velocity, dt=DT
    )


def continuous(variant: Any, velocity: Floats, **keys: float) -> Floats:
    """Force of ``gauss``, [N]."""
    law, force = Gauss(GaussConfig(), make_solver(variant)), np.zeros(3)
    law.force(problem_for(velocity, **keys), state_for(law, 1), {}, force)
    return force


def discrete(variant: Any, velocity: Floats, **keys: float) -> tuple[Floats, Floats]:
    """Force, [N], and velocity after the step, [m/s], of ``gauss_discrete``."""
    law = GaussDiscrete(GaussConfig(), make_solver(variant))
    problem = problem_for(velocity, **keys)
    law.solve(problem, state_for(law, 1))
    mass = keys.get("mass", 1.0)
    return problem.impulse / DT, problem.free_velocity + problem.impulse / mass


@each("vx", [0.0, 1e-4, 1.0])
def test_continuous_mode_carries_and_never_brakes(variant: Any, vx: float) -> None:
    np.testing.assert_allclose(
        continuous(variant, np.array([vx, 0.0, 0.0])), [0.0, 0.0, GRAVITY], atol=1e-6
    )


@each("vz", [-1.0, 1.0])
def test_continuous_mode_does_not_look_at_the_velocity(variant: Any, vz: float) -> None:
    force = continuous(variant, np.array([0.0, 0.0, vz]))
    np.testing.assert_allclose(force, [0.0, 0.0, GRAVITY], atol=1e-6)


@each(
    ("vx", "force", "after"),
    [
        (0.0, (0.0, 0.0, 9.81), (0.0, 0.0, 0.0)),
        (1e-4, (-0.1, 0.0, 9.81), (0.0, 0.0, 0.0)),
        (0.01, (-5.924, 0.0, 11.848), (0.004076, 0.0, 0.002038)),
        (1.0, (-203.924, 0.0, 407.848), (0.796076, 0.0, 0.398038)),
    ],
)
def test_discrete_mode_sticks_or_hops(
    variant: Any, vx: float, force: tuple[float, ...], after: tuple[float, ...]
) -> None:
    """Recorded digits: forces to 1e-3 of a newton, velocities to 1e-6 m/s."""
    found, velocity = discrete(variant, np.array([vx, 0.0, 0.0]))
    np.testing.assert_allclose(found, force, atol=1e-3)
    np.testing.assert_allclose(velocity, after, atol=1e-6)


@each("angle", [0.0, 30.0, 45.0, 80.0])
def test_a_slipping_point_hops_as_the_dual_cone_says(variant: Any, angle: float) -> None:
    """``u_n = mu (|u_1| + |u_2|)``: where the artefact comes from."""
    direction = np.array([np.cos(np.radians(angle)), np.sin(np.radians(angle)), 0.0])
    _, u = discrete(variant, 2.0 * direction)
    assert u[2] == pytest.approx(MU * (abs(u[0]) + abs(u[1])), rel=1e-6)
    assert u[2] > 0.1


def test_an_approaching_point_is_brought_to_rest(variant: Any) -> None:
    force, after = discrete(variant, np.array([0.1, 0.0, -2.0]))
    np.testing.assert_allclose(after, 0.0, atol=1e-7)
    assert force[2] == pytest.approx(2000.0 + GRAVITY, rel=1e-7)


def test_a_leaving_point_is_let_go(variant: Any) -> None:
    force, _ = discrete(variant, np.array([0.3, 0.0, 1.0]))
    np.testing.assert_allclose(force, 0.0, atol=1e-6)


@each(("angle", "limit"), [(0.0, 1.0), (90.0, 1.0), (45.0, np.sqrt(2.0))])
def test_pyramid_holds_sqrt_two_more_at_its_corners(
    variant: Any, angle: float, limit: float
) -> None:
    """Pull a resting mass sideways: it stays up to mu m g along the axes, sqrt(2) more between."""
    law = Gauss(GaussConfig(), make_solver(variant))
    direction = np.array([np.cos(np.radians(angle)), np.sin(np.radians(angle)), 0.0])
    accelerations = []
    for part in (0.999, 1.05):
        pull = part * limit * MU * GRAVITY * direction
        problem = ContactProblem.from_dense(
            np.eye(3),
            DT * (pull - np.array([0.0, 0.0, GRAVITY])),
            np.array([MU]),
            velocity=np.zeros(3),
            dt=DT,
        )
        force = np.zeros(3)
        law.force(problem, state_for(law, 1), {}, force)
        accelerations.append(np.linalg.norm((pull + force)[:2]))
    assert accelerations[0] < 1e-6 < 0.01 < accelerations[1]


@each("mass", [1e-3, 1.0, 1e4])
def test_without_friction_the_tangents_are_exactly_zero(variant: Any, mass: float) -> None:
    velocity = np.array([0.3, -0.2, -0.5])
    force, after = discrete(variant, velocity, mu=0.0, mass=mass)
    np.testing.assert_array_equal(force[:2], 0.0)
    np.testing.assert_allclose(after, [0.3, -0.2, 0.0], atol=1e-7)
    held = continuous(variant, velocity, mu=0.0, mass=mass)
    np.testing.assert_array_equal(held[:2], 0.0)
    assert held[2] == pytest.approx(mass * GRAVITY, rel=1e-6)
