"""Polishing: Newton steps from near a solution to a solution."""

import numpy as np
import pytest
from tests.plugins.solver_cases import feet_problem, manufactured

from footfall.interfaces.solver import QPProblem
from footfall.qp.polish import polish
from footfall.qp.presolve import ScaledQP

ROUNDING = 1e-13
"""A few hundred roundings of terms of order one."""


def answered(seed):
    """A problem in its own units with an exact answer."""
    problem, x, z = manufactured(seed, n=12, m=9, rank=24)
    scaled = ScaledQP.of(problem)
    return scaled.problem, *scaled.into(x, z)


@pytest.mark.parametrize("seed", range(5))
def test_an_answer_off_by_a_little_becomes_exact(seed):
    problem, x, z = answered(seed)
    rng = np.random.default_rng(seed)
    # Multipliers and slacks are at least 0.1 before scaling: these errors change no active row.
    near = x + 1e-4 * rng.normal(size=12), z + 1e-4 * rng.normal(size=9)
    polished_x, polished_z, residuals = polish(problem, *near, 1e-14, steps=1)
    assert residuals.scaled < ROUNDING
    np.testing.assert_allclose(polished_x, x, atol=1e-11)
    np.testing.assert_allclose(polished_z, z, atol=1e-11)


def test_wrong_rows_are_found_out_in_further_steps():
    problem, x, z = answered(0)
    wrong = z.copy()
    active = np.flatnonzero(z)
    wrong[active[0]] = 0.0
    inside = x - 0.01 * problem.C[active[0]] * np.sign(z[active[0]])
    one = polish(problem, inside, wrong, 1e-14, steps=1)[2]
    more = polish(problem, inside, wrong, 1e-14, steps=6)[2]
    assert more.scaled < ROUNDING < one.scaled


@pytest.mark.parametrize("seed", range(5))
def test_singular_feet_are_polished_near_where_they_are(seed):
    """Of all solutions the one close by: forces on a flat foot are not unique.

    The error makes some rows look active that are not: finding that out takes further steps.
    """
    problem = ScaledQP.of(feet_problem(seed)).problem
    from footfall_qp.proxqp import ProxQP, ProxQPConfig

    found = ProxQP(ProxQPConfig()).solve(problem, None)
    rng = np.random.default_rng(seed)
    size = 1e-6 * np.abs(found.x).max()
    x, _, residuals = polish(problem, found.x + size * rng.normal(size=24), found.z, 1e-12, steps=8)
    assert residuals.scaled < 1e-11
    assert np.abs(x - found.x).max() < 1e3 * size


def test_a_good_answer_is_left_as_it_is():
    problem, x, z = answered(1)
    same_x, same_z, _ = polish(problem, x, z, 1e-9)
    assert same_x is x
    assert same_z is z


def test_what_cannot_be_polished_is_returned_no_worse():
    infeasible = QPProblem(
        np.eye(2),
        np.zeros(2),
        np.array([[1.0, 1.0], [1.0, 1.0]]),
        np.array([1.0, -np.inf]),
        np.array([np.inf, 0.0]),
    )
    for x in (np.zeros(2), np.full(2, 1e20), np.full(2, np.nan)):
        before = infeasible.residuals(x, np.zeros(2)).scaled
        assert polish(infeasible, x, np.zeros(2), 1e-9)[2].scaled <= before
