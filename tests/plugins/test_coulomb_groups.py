"""The coulomb law on contacts that fall into groups: each group finds its own way."""

from functools import reduce

import numpy as np
import pytest
from tests.physics.composed import Shape, points, simulator, table

import footfall
from footfall.problem.arrays import ProblemSize
from footfall.testing.problems.case import beside
from footfall.testing.problems.cases import tower
from footfall.testing.problems.residuals import natural_map
from footfall_bench import touching
from footfall_coulomb import gauss_seidel, workspace
from footfall_coulomb.contact import Coulomb, CoulombConfig


def crowd(towers):
    """Return towers beside each other; with more than 10 no dense step sees them all."""
    cases = [tower(seed, 1000.0) for seed in range(towers)]
    return reduce(beside, cases)


def apart(case, towers):
    """Return the problem with pairs only between contacts of one tower, as a world makes it."""
    problem, n = case.problem(), len(case.mu)
    i, j = np.nonzero(np.kron(np.eye(towers), np.ones((n // towers, n // towers))))
    arrays = problem.arrays
    arrays.pair_start[1:] = np.cumsum(np.bincount(i))
    arrays.pair_block[: len(j)], arrays.pair_data[: len(j)] = j, 9 * (n * i + j)
    arrays.size[ProblemSize.PAIRS] = len(j)
    return problem


@pytest.mark.parametrize("towers", [2, 20])
def test_groups_that_do_not_touch_are_each_led_to_their_answer(towers):
    """Some towers need the way over soft contacts: each takes its own, whatever their number."""
    case = crowd(towers)
    problem = apart(case, towers)
    assert len(problem.groups()) == towers
    Coulomb(CoulombConfig(tolerance=1e-9)).solve(problem, {})
    u = case.delassus @ problem.impulse + problem.free_velocity + problem.offset
    assert natural_map(case, problem.impulse.copy(), u) <= 1.1e-9
    assert problem.report.residual <= 1e-9


def test_without_that_some_of_the_crowd_stay_unsolved():
    problem = apart(crowd(20), 20)
    Coulomb(CoulombConfig(acceleration="none")).solve(problem, {})
    assert problem.report.residual > 1e-6


def test_a_time_budget_holds_for_a_crowd():
    problem = apart(crowd(20), 20)
    Coulomb(CoulombConfig(time_budget=1e-9, acceleration="none")).solve(problem, {})
    assert problem.report.iterations == 10.0


def test_groups_too_large_to_be_written_down_are_solved_with_the_whole(monkeypatch):
    """Here none has room."""
    case = reduce(beside, [tower(seed, 10.0) for seed in range(5)])
    problem = apart(case, 5)
    pairs = int(problem.arrays.size[ProblemSize.PAIRS]) // 5
    monkeypatch.setattr(workspace, "GROUP_PAIRS", pairs - 1)
    Coulomb(CoulombConfig(tolerance=1e-9)).solve(problem, {})
    u = case.delassus @ problem.impulse + problem.free_velocity + problem.offset
    assert natural_map(case, problem.impulse.copy(), u) <= 1.1e-9


@pytest.mark.parametrize(("boxes", "at_once"), [(3, False), (4, True)])
def test_what_jams_need_is_loaded_at_once_where_bodies_are_several(boxes, at_once, monkeypatch):
    bound, bind = [], gauss_seidel.bind
    monkeypatch.setattr(
        gauss_seidel, "bind", lambda kernel, *fixed: bound.append(kernel) or bind(kernel, *fixed)
    )
    touching.boxes([{"base_position": [0.0, 0.0, k + 1.0]} for k in range(boxes)], 1e-7)
    assert (gauss_seidel.try_more in bound) == at_once
    assert gauss_seidel.find_exact not in bound  # few jams need it, and it compiles for a second


def test_a_group_of_many_bodies_is_solved_by_newton_steps_whose_systems_are_sparse():
    """A tower of 70 boxes, 840 rows: sweeps alone miss its answer by 1e-4 m/s."""
    places = [{"base_position": [2e-3 * (k % 3), 0.0, 0.1 * (0.5 + k)]} for k in range(70)]
    sim = touching.boxes(places, 1e-9)
    sim.step()
    problem, low = sim.stepper.problem, sim.stepper.law._solver._low
    assert problem.n_rows == 840
    assert len(problem.groups()) == 1
    assert problem.report.residual <= 1e-9
    assert problem.report.iterations < 50.0
    assert low.nodes[0] == 70
    # Of each box but the last: its own six rows, and those of one other on both sides.
    assert low.front[70] == 69 * (36 + 2 * 36) + 36


def test_no_matrix_of_a_world_is_looked_at_for_why_it_is_not_solved(monkeypatch):
    """It is a product Z Z', never indefinite; to see that costs more than the step."""
    looked = []
    monkeypatch.setattr(gauss_seidel, "require_definite", looked.append)
    places = [{"base_position": [2e-3 * (k % 3), 0.0, 0.1 * (0.5 + k)]} for k in range(12)]
    sim = touching.boxes(places, 1e-9)
    sim.stepper.law._solver.config = sim.stepper.law.config.model_copy(update={"tolerance": 0.0})
    sim.stepper.law._solver._work.settings[workspace.Setting.TOLERANCE] = 0.0
    sim.step()
    assert sim.stepper.problem.report.failed
    assert not looked


def test_a_pile_that_has_come_to_rest_goes_on_from_the_last_answer():
    """Where points bear on the edge of their cones, rounding must not choose their state.

    It then takes 70 Newton steps, on the way over soft contacts, in two of three steps.
    """
    sim = touching.pile(1e-7).sim
    for _ in range(2000):
        sim.step()
    counts, steps = sim.stepper.law._solver._low.counts, []
    for _ in range(60):
        before = counts[workspace.StepCount.NEWTON]
        sim.step()
        steps.append(counts[workspace.StepCount.NEWTON] - before)
    assert 3 <= np.median(steps) <= 25


def test_the_matrix_of_many_contacts_is_written_on_request_alone():
    """At rest the last answer is one: a product with the factor shows it."""
    sim = touching.stack(1e-7).sim
    for _ in range(1000):
        sim.step()
    problem = sim.stepper.problem
    assert problem.n_rows == 120
    assert problem.arrays.pending[0] == 1
    found = sim.stepper.monitor.residual[0]
    u = problem.delassus() @ problem.impulse + problem.free_velocity + problem.offset
    assert problem.arrays.pending[0] == 0
    assert max(found, problem.report.residual, abs(u).max()) <= 1e-9


def test_few_rows_on_one_tree_are_solved_by_the_product_alone():
    """A humanoid stands. Where Newton's method fails, all of W is written."""
    sim = footfall.load("humanoid/standing")
    sim.step()
    problem, solver = sim.stepper.problem, sim.stepper.law._solver
    n, width = problem.n_rows, int(np.sqrt(len(problem.factor.product)))
    product = problem.factor.product.reshape(width, width)
    assert (problem.arrays.pending[0], problem.arrays.in_product[0]) == (1, 1)
    assert problem.report.residual <= 1e-9
    found, W = np.triu(product[:n, :n]), problem.delassus()
    assert (problem.arrays.pending[0], problem.arrays.in_product[0]) == (0, 0)
    np.testing.assert_allclose(found, np.triu(W), atol=1e-14 * W.max())
    sim.step()
    product[0, n - 1] = np.nan
    assert solver.first() is False
    assert (problem.arrays.pending[0], problem.arrays.in_product[0]) == (0, 0)
    assert problem.report.residual <= 1e-8


def test_the_matrix_is_written_where_newton_steps_do_not_reach_the_tolerance():
    sim = touching.stack(1e-7).sim
    sim.stepper.law._solver._work.settings[workspace.Setting.TOLERANCE] = 0.0
    sim.stepper.law._solver.config = sim.stepper.law.config.model_copy(update={"tolerance": 0.0})
    sim.step()
    problem = sim.stepper.problem
    assert problem.arrays.pending[0] == 0
    assert problem.report.failed
    assert 0.0 < problem.report.residual < 1e-7


@pytest.mark.parametrize("tolerance", [1e-7, 0.0])
def test_groups_of_bodies_are_solved_by_the_factor_alone(tolerance):
    """Two stacks are pushed over. Where Newton's method does not suffice, all of W is written."""
    places = [{"base_position": [0.5 * (k % 2), 0.0, 0.1 * (0.5 + k // 2)]} for k in range(10)]
    sim = touching.boxes(places, 1e-7)
    for k in range(10):
        sim.v[6 * k : 6 * k + 3] = 0.3 * (1 + k % 2), 0.1, 0.0
    solver, problem = sim.stepper.law._solver, sim.stepper.problem
    solver._work.settings[workspace.Setting.TOLERANCE] = tolerance
    solver.config = solver.config.model_copy(update={"tolerance": tolerance})
    sim.step()
    assert (problem.n_rows, len(problem.groups())) == (120, 2)
    assert solver._low.counts[workspace.StepCount.NEWTON] > 0
    assert problem.arrays.pending[0] == (tolerance > 0.0)
    assert problem.report.failed == (tolerance == 0.0)
    assert sim.stepper.monitor.residual[0] <= 1e-7
    assert problem.report.residual <= 1e-7


def test_what_stops_the_writing_of_the_matrix_ends_the_step():
    sim = touching.stack(1e-7).sim
    sim.stepper.law._solver._work.settings[workspace.Setting.TOLERANCE] = 0.0

    def stopped():
        raise KeyboardInterrupt("while the matrix is written")

    sim.stepper._matrix.make(stopped)
    with pytest.raises(KeyboardInterrupt, match="while the matrix is written"):
        sim.make_steps(None, 0, 100)


def test_no_answer_counts_where_a_contact_is_not_a_number():
    sim = touching.stack(1e-7).sim
    for _ in range(1000):
        sim.step()
    problem, first = sim.stepper.problem, sim.stepper.law._solver.first
    assert not first()
    assert problem.arrays.pending[0] == 1
    factor = problem.factor
    factor.Z[factor.start[0, 1]] = np.nan
    assert first()
    assert not problem.report.residual <= 1e-7


def test_one_sweep_is_one_sweep_however_many_contacts_there_are():
    sim = touching.boxes([{"base_position": [0.0, 0.0, 0.1 * (0.5 + k)]} for k in range(5)], 1e-7)
    solver = sim.stepper.law._solver
    solver.config = solver.config.model_copy(update={"max_iterations": 1})
    solver._work.sweeps[:] = 0, 1, 1
    sim.step()
    assert sim.stepper.problem.n_rows == 60
    assert solver._low.counts[workspace.StepCount.NEWTON] == 0


def test_a_group_beyond_the_room_for_newton_steps_is_swept():
    """A plate on 1369 points, 4107 rows."""
    places = np.linspace(-0.15, 0.15, 37)
    plate = table(3)
    height = plate.features[0].position[2]
    where = [np.array([x, y, height]) for x in places for y in places]
    body = Shape(plate.model, points(where)).at((0.0, 0.0, -height), linear=(0.5, 0.1, 0.0))
    sim = simulator(body, mu=0.3)
    sim.step()
    problem = sim.stepper.problem
    assert problem.n_rows > workspace.GROUP_ROWS
    assert problem.report.residual <= 1e-8
