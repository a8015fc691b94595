"""The coulomb law on contacts that fall into groups: each group finds its own way."""

from functools import reduce

import numpy as np
import pytest

from footfall.problem.arrays import PAIRS
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
    arrays.size[PAIRS] = len(j)
    return problem


@pytest.mark.parametrize("towers", [2, 20])
def test_groups_that_do_not_touch_are_each_led_to_their_answer(towers):
    """Some towers need the way over soft contacts: each takes its own, whatever their number."""
    case = crowd(towers)
    problem = apart(case, towers)
    assert len(problem.groups()) == towers
    Coulomb(CoulombConfig()).solve(problem, {})
    u = case.delassus @ problem.impulse + problem.free_velocity + problem.offset
    assert natural_map(case, problem.impulse.copy(), u) <= 1.1e-9
    assert problem.report.residual <= 1e-9


def test_without_that_some_of_the_crowd_stay_unsolved():
    problem = apart(crowd(20), 20)
    Coulomb(CoulombConfig(acceleration="none")).solve(problem, {})
    assert problem.report.residual > 1e-6


def test_a_time_budget_holds_for_a_crowd():
    problem = apart(crowd(20), 20)
    Coulomb(CoulombConfig(time_budget=1e-9)).solve(problem, {})
    assert problem.report.iterations == 10.0


def test_groups_too_large_to_be_written_down_are_swept_with_the_whole(monkeypatch):
    """Here none has room."""
    case = reduce(beside, [tower(seed, 10.0) for seed in range(5)])
    problem = apart(case, 5)
    pairs = int(problem.arrays.size[PAIRS]) // 5
    monkeypatch.setattr(workspace, "GROUP_PAIRS", pairs - 1)
    Coulomb(CoulombConfig()).solve(problem, {})
    u = case.delassus @ problem.impulse + problem.free_velocity + problem.offset
    assert natural_map(case, problem.impulse.copy(), u) <= 1.1e-9
    assert problem.report.iterations > 3.0


@pytest.mark.parametrize(("boxes", "at_once"), [(3, False), (4, True)])
def test_what_jams_need_is_loaded_at_once_where_bodies_are_several(boxes, at_once, monkeypatch):
    bound, bind = [], gauss_seidel.bind
    monkeypatch.setattr(
        gauss_seidel, "bind", lambda kernel, *fixed: bound.append(kernel) or bind(kernel, *fixed)
    )
    touching.boxes([{"base_position": [0.0, 0.0, k + 1.0]} for k in range(boxes)], 1e-7)
    assert (gauss_seidel.try_more in bound) == at_once
