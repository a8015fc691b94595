"""The inelastic impact: a projection, whatever the rank, that never adds energy."""

from __future__ import annotations

import numpy as np
import pytest
from tests.cases import each
from tests.plugins.contact_cases import needs_recorded_cases, recorded_cases
from tests.plugins.exact_fractions import damped_stop
from tests.plugins.impact_cases import recorded_impacts, velocity_after
from tests.plugins.solver_cases import skew

from footfall.errors import SolverError
from footfall.problem.arrays import BlockKind, ProblemSize
from footfall.problem.contact_problem import ContactProblem
from footfall.typing import Floats
from footfall_impacts.inelastic import Inelastic, InelasticConfig


def impact(W: Floats, velocity: Floats, **keys: object) -> ContactProblem:
    """Resolve an impact of points with Delassus matrix W and velocity J v-."""
    contacts = keys.pop("contacts", len(W) // 3)
    problem = ContactProblem.from_dense(W, velocity, np.full(contacts, 0.5), impulsive=True, **keys)  # type: ignore[arg-type, call-overload]
    Inelastic(InelasticConfig()).resolve(problem)
    return problem


def rigid_body(seed: int, points: int) -> tuple[Floats, Floats, Floats]:
    """Inertia, Jacobian of coplanar points, velocity of a free rigid body."""
    rng = np.random.default_rng(seed)
    root = rng.normal(size=(3, 3))
    M = np.zeros((6, 6))
    M[:3, :3] = 2.0 * np.eye(3)
    M[3:, 3:] = root @ root.T + 0.1 * np.eye(3)
    corners = [np.array([*rng.uniform(-0.2, 0.2, 2), -0.1]) for _ in range(points)]
    J = np.vstack([np.hstack([np.eye(3), -skew(corner)]) for corner in corners])
    return M, J, rng.normal(size=6)


def test_a_point_mass_stops() -> None:
    problem = impact(np.eye(3) / 2.0, np.array([1.0, 0.0, -3.0]))
    np.testing.assert_allclose(problem.impulse, [-2.0, 0.0, 6.0], rtol=1e-15)
    np.testing.assert_array_equal(problem.offset, 0.0)
    assert not problem.report.failed


@each("points", [1, 2, 3, 4, 7])
@each("seed", range(4))
def test_all_points_stop_whatever_the_rank(points: int, seed: int) -> None:
    M, J, v = rigid_body(seed, points)
    W = J @ np.linalg.solve(M, J.T)
    problem = impact(W, J @ v)
    after = v + np.linalg.solve(M, J.T @ problem.impulse)
    # Entries of order 1 to 10 through an inverse of condition 1e3: 1e-12 is a few roundings.
    np.testing.assert_allclose(J @ after, 0.0, atol=1e-12)
    assert problem.report.residual <= 1e-12


@each("points", [1, 2, 3, 6])
@each("seed", range(10))
def test_energy_falls_by_what_the_projection_removes(points: int, seed: int) -> None:
    M, J, v = rigid_body(seed, points)
    W = J @ np.linalg.solve(M, J.T)
    problem = impact(W, J @ v)
    after = v + np.linalg.solve(M, J.T @ problem.impulse)
    lost = 0.5 * (v @ M @ v - after @ M @ after)
    assert lost >= 0.0
    assert lost == pytest.approx(-0.5 * problem.impulse @ (J @ v), rel=1e-10, abs=1e-12)


def test_energy_never_rises_for_ill_conditioned_points() -> None:
    for distance in 10.0 ** -np.arange(1, 12):
        M, _, v = rigid_body(0, 1)
        corners = [np.array([0.1, 0.0, -0.1]), np.array([0.1 + distance, 0.0, -0.1])]
        J = np.vstack([np.hstack([np.eye(3), -skew(corner)]) for corner in corners])
        problem = impact(J @ np.linalg.solve(M, J.T), J @ v)
        after = v + np.linalg.solve(M, J.T @ problem.impulse)
        before = v @ M @ v
        # Rounding of u over the square root of the smallest eigenvalue kept: 1e-16 / 1e-6.
        assert after @ M @ after <= before * (1.0 + 1e-9)


def test_the_impulse_is_the_smallest_that_does_it() -> None:
    M, J, v = rigid_body(3, 4)
    W = J @ np.linalg.solve(M, J.T)
    problem = impact(W, J @ v)
    kernel = np.linalg.svd(W)[2][np.linalg.matrix_rank(W) :]
    assert len(kernel) == 6
    # Vectors of the kernel are known to rounding over the smallest eigenvalue: 1e-16 / 1e-4.
    size = np.abs(problem.impulse).max()
    np.testing.assert_allclose(kernel @ problem.impulse, 0.0, atol=1e-11 * size)


def test_bodies_apart_are_resolved_apart() -> None:
    M, J, v = rigid_body(1, 3)
    W, u = J @ np.linalg.solve(M, J.T), J @ v
    alone = impact(W, u).impulse.copy()
    other = 1e6 * np.eye(3)  # a light body must not cut the heavy one's eigenvalues
    both = np.zeros((12, 12))
    both[:9, :9], both[9:, 9:] = W * 1e-7, other
    problem = ContactProblem.from_dense(
        both, np.concatenate([u, [0.0, 0.0, -1.0]]), np.full(4, 0.5), impulsive=True
    )
    arrays = problem.arrays
    pairs = [(i, j) for i in range(4) for j in range(4) if (i < 3) == (j < 3)]
    data = {(i, j): arrays.pair_data[4 * i + j] for i, j in pairs}
    arrays.size[ProblemSize.PAIRS] = len(pairs)
    for i in range(4):
        arrays.pair_start[i + 1] = arrays.pair_start[i] + sum(1 for a, _ in pairs if a == i)
    for at, (i, j) in enumerate(pairs):
        arrays.pair_block[at], arrays.pair_data[at] = j, data[i, j]
    Inelastic(InelasticConfig()).resolve(problem)
    np.testing.assert_allclose(problem.impulse[:9], alone * 1e7, rtol=1e-9)
    np.testing.assert_allclose(problem.impulse[9:], [0.0, 0.0, 1e-6], rtol=1e-12)


def test_joint_limits_and_friction_take_no_part() -> None:
    W = np.diag([1.0, 1.0, 1.0, 4.0, 4.0])
    problem = impact(
        W,
        np.array([0.0, 0.0, -1.0, -2.0, 3.0]),
        contacts=3,
        kinds=(BlockKind.CONE, BlockKind.UNILATERAL, BlockKind.BOX),
    )
    np.testing.assert_allclose(problem.impulse, [0.0, 0.0, 1.0, 0.0, 0.0], atol=1e-15)


def test_no_contact_is_no_impulse() -> None:
    problem = ContactProblem.from_dense(np.zeros((0, 0)), np.zeros(0), np.zeros(0), impulsive=True)
    Inelastic(InelasticConfig()).resolve(problem)
    assert not problem.report.failed


@pytest.mark.parametrize("where", ["W", "u"])
def test_a_problem_that_is_not_finite_is_refused(where: str) -> None:
    W, u = np.eye(3), np.zeros(3)
    if where == "W":
        W[1, 1] = np.nan
    else:
        u[2] = np.inf
    with pytest.raises(
        SolverError, match=r"inelastic: the (impact problem|Delassus matrix) is not finite"
    ):
        impact(W, u)


def test_input_is_left_alone_and_bits_repeat() -> None:
    M, J, v = rigid_body(5, 4)
    W = J @ np.linalg.solve(M, J.T)
    first = impact(W, J @ v)
    for name in ("W", "velocity", "free_velocity", "mu", "gap"):
        before = getattr(impact(W, J @ v).arrays, name)
        fresh = ContactProblem.from_dense(W, J @ v, np.full(4, 0.5), impulsive=True)
        np.testing.assert_array_equal(before, getattr(fresh.arrays, name))
    assert impact(W, J @ v).impulse.tobytes() == first.impulse.tobytes()


@pytest.mark.reference
@needs_recorded_cases
def test_velocities_are_those_of_the_original() -> None:
    impacts, singular = 0, 0
    for case in recorded_cases():
        v, expected = case.array("nu"), case.array("nu_plus_frictionless_inelastic")
        if not case.impact:
            np.testing.assert_allclose(expected, v, atol=1e-12)
            continue
        impacts += 1
        vertices = case.touching | case.was_touching
        J, problem = case.jacobian(vertices), case.problem(vertices, impulsive=True)
        singular += np.linalg.matrix_rank(J) < len(J)
        Inelastic(InelasticConfig()).resolve(problem)
        found = v + np.linalg.solve(case.inertia, J.T @ problem.impulse)
        np.testing.assert_allclose(found, expected, atol=1e-9, err_msg=str(case.index))
    assert impacts >= 20
    assert singular >= 10  # three coplanar vertices and more: the original solves them singular


@pytest.mark.reference
@needs_recorded_cases
def test_velocities_with_loops_are_those_of_the_original_with_its_damping() -> None:
    """To 1e-9 but where loops are singular.

    There the original's inverse of ``W W + 1e-6``, of condition 1e10, is itself wrong by up to 9e-9
    m/s: see the next test.
    """
    impacts = recorded_impacts(loops=True)
    errors = [
        np.abs(
            velocity_after("inelastic", case, case.touching | case.was_touching, damping=1e-3)
            - case.array("nu_plus_frictionless_inelastic")
        ).max()
        for case in impacts
    ]
    assert len(errors) >= 5
    assert np.median(errors) <= 1e-9
    assert max(errors) <= 1e-8


@pytest.mark.reference
@needs_recorded_cases
def test_where_the_original_misses_its_own_formula_the_model_does_not() -> None:
    """Against fractions, which do not round: within 2e-12 m/s at a condition of 1e10.

    Three of the recorded impacts differ from the original's by more than 1e-9 m/s.
    """
    compared = 0
    for case in recorded_impacts(loops=True):
        vertices = case.touching | case.was_touching
        original = case.array("nu_plus_frictionless_inelastic")
        found = velocity_after("inelastic", case, vertices, damping=1e-3)
        if np.abs(found - original).max() <= 1e-9:
            continue
        compared += 1
        J = np.vstack([case.jacobian(vertices), case.array("J_hol")])
        expected = damped_stop(case.inertia, J, case.array("nu"), 1e-3)
        np.testing.assert_allclose(found, expected, atol=2e-12)
        assert np.abs(original - expected).max() > 1e-9
    assert compared == 3
