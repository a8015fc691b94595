"""The two-phase impact with friction: its numbers, its bounds, and the simulator it comes from."""

import numpy as np
import pytest
from tests.cases import each
from tests.plugins.contact_cases import needs_recorded_cases
from tests.plugins.impact_cases import (
    after,
    energy_change,
    model,
    recorded_impacts,
    resolve,
    velocity_after,
)
from tests.plugins.solver_cases import VARIANTS, make_solver

from footfall.errors import SolverError
from footfall.problem.arrays import BlockKind
from footfall.problem.contact_problem import ContactProblem
from footfall.testing.problems.cases import chain, foot
from footfall_impacts.frictional.impact import Frictional, FrictionalConfig

SLIDING = np.array([1.0, 0.0, -1.0])


def test_a_sliding_point_mass_loses_mu_times_its_approach_and_does_not_hop():
    np.testing.assert_allclose(
        after(resolve("frictional", np.eye(3), SLIDING)), [0.5, 0, 0], atol=1e-10
    )


@pytest.mark.parametrize("variant", VARIANTS)
def test_any_solver_will_do(variant):
    problem = ContactProblem.from_dense(np.eye(3), SLIDING, np.array([0.5]), impulsive=True)
    Frictional(FrictionalConfig(), make_solver(variant)).resolve(problem)
    np.testing.assert_allclose(after(problem), [0.5, 0, 0], atol=1e-6)


def test_a_slow_slide_sticks():
    problem = resolve("frictional", np.eye(3), np.array([0.3, -0.2, -1.0]))
    np.testing.assert_allclose(after(problem), 0.0, atol=1e-10)


@pytest.mark.parametrize("sides", [4, 8, 16, 64])
def test_more_sides_bring_the_friction_nearer_to_mu(sides):
    """Across a corner of the pyramid friction is mu / cos(pi / sides)."""
    angle = np.pi / sides
    u = np.array([3 * np.cos(angle), 3 * np.sin(angle), -1.0])
    impulse = resolve("frictional", np.eye(3), u, sides=sides).impulse
    assert np.hypot(*impulse[:2]) == pytest.approx(0.5 / np.cos(angle), abs=1e-9)


def test_a_mass_that_rises_is_left_alone():
    problem = resolve("frictional", np.eye(3), np.array([1.0, 0.0, 0.1]))
    np.testing.assert_array_equal(problem.impulse, 0.0)


@each("make", [chain, foot])
@each("seed", range(8))
def test_it_takes_energy_bounds_the_sum_of_normal_impulses_and_stops_points(make, seed):
    case = make(seed).as_impact()
    smooth = case.without_friction()
    problem, normal = case.problem(), smooth.problem()
    for one in (problem, normal):
        model("frictional").resolve(one)
    assert energy_change(problem) <= 0.0
    assert energy_change(problem) <= energy_change(normal) + 1e-9
    assert problem.impulse[2::3].sum() <= normal.impulse[2::3].sum() * (1 + 1e-9) + 1e-9
    assert after(problem)[2::3].min() >= -1e-9


def test_a_failing_solver_is_named_with_the_phase():
    from footfall_qp.proxqp import ProxQP, ProxQPConfig

    hurried = ProxQP(ProxQPConfig(max_iterations=1, max_inner_iterations=1))
    problem = foot(1).as_impact().problem()
    with pytest.raises(SolverError, match=r"^frictional: QP solver proxqp failed in phase I"):
        Frictional(FrictionalConfig(), hurried).resolve(problem)


@pytest.mark.reference
@needs_recorded_cases
def test_velocities_are_those_of_the_original():
    impacts = recorded_impacts(loops=False)
    assert len(impacts) >= 20
    for case in impacts:
        found = velocity_after("frictional", case, case.touching)
        error = np.abs(found - case.array("nu_plus_frictional")).max()
        assert error <= 1e-9, case.index


@pytest.mark.reference
@needs_recorded_cases
def test_velocities_with_loops_are_those_of_the_original_with_its_damping():
    impacts = recorded_impacts(loops=True)
    assert len(impacts) >= 5
    for case in impacts:
        found = velocity_after("frictional", case, case.touching, damping=1e-3)
        error = np.abs(found - case.array("nu_plus_frictional")).max()
        assert error <= 1e-9, case.index


@pytest.mark.reference
@needs_recorded_cases
def test_without_damping_loops_stay_closed():
    for case in recorded_impacts(loops=True):
        found = velocity_after("frictional", case, case.touching)
        assert np.abs(case.array("J_hol") @ found).max() <= 1e-10, case.index


def test_a_loop_that_is_closed_twice_is_no_trouble():
    """A point mass that a doubled row holds along x: it slides along y alone."""
    J = np.vstack([np.eye(3), [1.0, 0.0, 0.0], [1.0, 0.0, 0.0]])
    problem = ContactProblem.from_dense(
        J @ J.T,
        J @ np.array([2.0, 3.0, -1.0]),
        np.array([0.5, 0.0, 0.0]),
        impulsive=True,
        kinds=(BlockKind.CONE, BlockKind.EQUALITY, BlockKind.EQUALITY),
    )
    model("frictional").resolve(problem)
    np.testing.assert_allclose(after(problem)[:3], [0.0, 2.5, 0.0], atol=1e-10)
