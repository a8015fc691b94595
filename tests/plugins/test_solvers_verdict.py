"""The host's judgement of QP answers: residuals, scaling, why a solve failed."""

from __future__ import annotations

import numpy as np
import pytest
from tests.plugins.solver_cases import (
    INFEASIBLE,
    UNBOUNDED,
    feet_problem,
    manufactured,
)

from footfall.interfaces.solver import QPProblem, QPSolution, QPStatus
from footfall.qp.presolve import LEAST, ScaledQP
from footfall.qp.verdict import checked_solution, explain


def test_residuals_of_the_answer_vanish() -> None:
    problem, x, z = manufactured(0, n=12, m=9, rank=12)
    # Sums of a few dozen terms of order 10: a handful of roundings.
    assert problem.residuals(x, z).worst < 1e-13


def test_stationarity_is_the_gradient_of_the_lagrangian() -> None:
    problem, x, z = manufactured(1, n=7, m=6, rank=7)
    step = np.linspace(-0.3, 0.5, 7)
    residuals = problem.residuals(x + step, z)
    assert residuals.stationarity == pytest.approx(np.abs(problem.H @ step).max(), rel=1e-12)


def test_feasibility_is_the_distance_to_the_bounds() -> None:
    rows = np.eye(2)
    problem = QPProblem(
        np.eye(2), np.zeros(2), rows, np.array([-np.inf, 1.0]), np.array([2.0, 5.0])
    )
    residuals = problem.residuals(np.array([2.5, 0.75]), np.zeros(2))
    assert residuals.feasibility == 0.5
    assert problem.residuals(np.array([-9.0, 3.0]), np.zeros(2)).feasibility == 0.0


def test_complementarity_is_the_smaller_of_multiplier_and_slack() -> None:
    one = np.ones(1)
    problem = QPProblem(np.eye(1), np.zeros(1), np.eye(1), -3 * one, 2 * one)
    assert problem.residuals(1.5 * one, 0.2 * one).complementarity == 0.2
    assert problem.residuals(1.9 * one, 7.0 * one).complementarity == pytest.approx(0.1)
    assert problem.residuals(-2.75 * one, -7.0 * one).complementarity == 0.25
    assert problem.residuals(2.0 * one, 7.0 * one).complementarity == 0.0


def test_a_multiplier_of_a_missing_bound_counts() -> None:
    one = np.ones(1)
    problem = QPProblem(np.eye(1), np.zeros(1), np.eye(1), -np.inf * one, 2 * one)
    assert problem.residuals(2.0 * one, -0.5 * one).complementarity == 0.5


@pytest.mark.parametrize("factor", [1e3, 1e6])
def test_scaled_residual_is_relative_to_large_terms(factor: float) -> None:
    problem, x, z = manufactured(2, n=8, m=6, rank=8)
    large = QPProblem(
        problem.H, factor * problem.g, problem.C, factor * problem.l, factor * problem.u
    )
    off = x + 1e-6
    ratio = large.residuals(factor * off, factor * z).scaled / problem.residuals(off, z).scaled
    # Terms of the small problem are of order 1 to 10, so that its scale is no more than 10.
    assert 0.1 <= ratio <= 1.0 + 1e-6


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_an_answer_that_is_not_finite_is_never_solved(value: float) -> None:
    problem, x, z = manufactured(0, n=4, m=3, rank=8)
    for i, bad in enumerate((x, z)):
        broken = bad.copy()
        broken[0] = value
        answer = (broken, z) if i == 0 else (x, broken)
        assert problem.residuals(*answer).worst == np.inf
        assert not checked_solution(problem, *answer, 1e-6).ok


def test_failures_are_told_apart() -> None:
    problem, x, z = manufactured(3, n=6, m=6, rank=6)
    assert checked_solution(problem, x, z, 1e-12).status is QPStatus.SOLVED
    assert checked_solution(problem, x + 1e-3, z, 1e-9).status is QPStatus.INACCURATE
    assert checked_solution(problem, x * np.nan, z, 1e-9).status is QPStatus.FAILED
    for bad in INFEASIBLE.values():
        assert explain(bad, np.zeros(len(bad.g))) is QPStatus.INFEASIBLE
    for bad in UNBOUNDED.values():
        assert explain(bad, np.zeros(len(bad.g))) is QPStatus.UNBOUNDED
    assert explain(feet_problem(0), np.zeros(24)) is QPStatus.INACCURATE


def test_a_refused_problem_has_no_residuals_to_trust() -> None:
    problem, _, _ = manufactured(0, n=4, m=3, rank=4)
    refused = QPSolution.refused(problem)
    assert refused.status is QPStatus.INVALID
    assert refused.residuals.worst == np.inf


def test_scaling_is_undone() -> None:
    problem, x, z = manufactured(4, n=6, m=6, rank=6)
    heavy = QPProblem(1e4 * problem.H, 50.0 * problem.g, problem.C, problem.l, problem.u)
    scaled = ScaledQP.of(heavy)
    assert np.diag(scaled.problem.H).max() == pytest.approx(1.0)
    assert np.abs(scaled.problem.g).max() == pytest.approx(1.0)
    y, w = scaled.into(x, z)
    x_back, z_back = scaled.back(y, w)
    np.testing.assert_allclose(x_back, x, rtol=1e-15)
    np.testing.assert_allclose(z_back, z, rtol=1e-15)
    before, after = heavy.residuals(x, z), scaled.problem.residuals(y, w)
    assert after.stationarity * scaled.z_unit == pytest.approx(before.stationarity, rel=1e-9)


def test_scaling_does_not_blow_up_rounding() -> None:
    problem, _, _ = manufactured(4, n=6, m=6, rank=6)
    still = QPProblem(problem.H, np.full(6, 1e-17), problem.C, problem.l, problem.u)
    assert np.abs(ScaledQP.of(still).problem.g).max() == pytest.approx(1e-17 / LEAST)
