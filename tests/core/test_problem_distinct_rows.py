"""Rows that say the same twice become one, and its multiplier finds its way back."""

from dataclasses import replace

import numpy as np
from tests.plugins.solver_cases import feet_problem, manufactured

from footfall.interfaces.solver import QPProblem
from footfall.qp.presolve import distinct_rows


def test_a_problem_without_repetitions_is_left_alone():
    assert distinct_rows(feet_problem(0)) is None
    assert distinct_rows(manufactured(0, 6, 0, 6)[0]) is None


def test_equal_rows_become_one_with_the_tighter_bounds():
    row = np.array([[1.0, 2.0]])
    problem = QPProblem(
        np.eye(2),
        np.zeros(2),
        np.vstack([row, [[0.0, 1.0]], row]),
        np.array([-5.0, -1.0, -2.0]),
        np.array([3.0, 1.0, 4.0]),
    )
    rows = distinct_rows(problem)
    assert rows.problem.l.tolist() == [-2.0, -1.0]
    assert rows.problem.u.tolist() == [3.0, 1.0]
    assert rows.spread(np.array([0.5, -0.1]), 3).tolist() == [0.5, -0.1, 0.0]
    assert rows.spread(np.array([-0.5, 0.0]), 3).tolist() == [0.0, 0.0, -0.5]
    assert rows.gather(np.array([0.0, 0.2, -0.5])).tolist() == [-0.5, 0.2]


def test_rows_of_zeros_and_dependent_equalities_are_left_out():
    once, x, _ = manufactured(1, 6, 3, 12)
    b = once.C @ x
    C = np.vstack([once.C, once.C[0] - 2.0 * once.C[2], np.zeros(6)])
    problem = QPProblem(
        once.H,
        once.g,
        C,
        np.concatenate([b, [b[0] - 2.0 * b[2], -np.inf]]),
        np.concatenate([b, [b[0] - 2.0 * b[2], 0.0]]),
    )
    rows = distinct_rows(problem)
    assert np.linalg.matrix_rank(rows.problem.C) == len(rows.problem.C) == 3
    # The optimum of the rest is one of the whole: same x, multipliers spread over all rows.
    K = np.block([[once.H, rows.problem.C.T], [rows.problem.C, np.zeros((3, 3))]])
    answer = np.linalg.solve(K, np.concatenate([-once.g, rows.problem.u]))
    whole = rows.spread(answer[6:], 5)
    assert problem.residuals(answer[:6], whole).scaled < 1e-12


def test_bounds_that_cross_do_not_hide():
    row = np.ones((1, 2))
    crossed = QPProblem(
        np.eye(2), np.zeros(2), np.vstack([row, row]), np.array([1.0, -np.inf]), np.array([9.0, 0])
    )
    rows = distinct_rows(crossed)
    assert (rows.problem.l <= rows.problem.u).all()
    for x in (np.zeros(2), np.full(2, 0.5)):
        assert crossed.residuals(x, np.zeros(2)).feasibility == 1.0 or x.any()
    assert replace(crossed, l=crossed.l).is_finite()
