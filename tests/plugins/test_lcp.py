"""The pyramid law: its equations hold, and its friction is that of a polygon."""

import numpy as np
import pytest
from tests.cases import each

import footfall.testing
from footfall.api.kernels import kernel, opener, table_of
from footfall.problem.contact_problem import ContactProblem
from footfall.testing.problems.cases import chain, foot, tower
from footfall_small_laws.lcp.contact import LCPConfig, LinearComplementarity
from footfall_small_laws.lcp.kernels import solve_lcp
from footfall_small_laws.lcp.pyramid import Pyramids

open_pyramids = opener(Pyramids, 0)


@kernel
def solve_open(table, n, tolerance):
    return solve_lcp(open_pyramids(table), n, tolerance)


def directions(sides):
    """Corners of the polygon around the unit circle, shape (sides, 2): faces across the axes."""
    angles = 2.0 * np.pi * (np.arange(sides) + 0.5) / sides
    return np.stack([np.cos(angles), np.sin(angles)], axis=1) / np.cos(np.pi / sides)


def solved(problem, sides=8, **settings):
    LinearComplementarity(LCPConfig(sides=sides, **settings)).solve(problem, {})
    assert not problem.report.failed
    u = problem.delassus() @ problem.impulse + problem.free_velocity + problem.offset
    return problem.impulse.reshape(-1, 3), u.reshape(-1, 3)


CASES = [*(chain(seed) for seed in range(6)), *(foot(seed) for seed in range(3)), tower(1, 1000.0)]


@each("sides", [4, 6, 8, 16])
@each("case", CASES, ids=lambda case: case.name)
def test_its_equations_hold(case, sides):
    """Signorini's condition; friction in the polygon, and of the most dissipation in it."""
    r, u = solved(case.problem(), sides)
    polygon = directions(sides)
    assert (r[:, 2] >= 0.0).all()
    assert (u[:, 2] >= -1e-9).all()
    assert np.abs(r[:, 2] * u[:, 2]).max() < 1e-9 * max(1.0, r[:, 2].max())
    faces = polygon + np.roll(polygon, 1, axis=0)
    faces /= np.linalg.norm(faces, axis=1)[:, None]
    assert (r[:, :2] @ faces.T <= (case.mu * r[:, 2])[:, None] + 1e-12 * r[:, 2].max()).all()
    most = case.mu * r[:, 2] * (u[:, :2] @ polygon.T).max(axis=1)
    np.testing.assert_allclose(-(r[:, :2] * u[:, :2]).sum(axis=1), most, atol=1e-9 * r.max())


@each("sides", [4, 8, 16])
@each("degrees", range(0, 180, 15))
def test_a_point_gives_way_where_the_polygon_ends(sides, degrees):
    """``mu / cos(angle to the nearest face's normal)``: up to ``mu / cos(pi / sides)``."""
    mu, weight, angle = 0.5, 0.01, np.radians(degrees)
    width = 2.0 * np.pi / sides
    limit = mu * weight / np.cos((angle + width / 2) % width - width / 2)
    for factor, slides in ((0.999, False), (1.001, True)):
        pull = factor * limit * np.array([np.cos(angle), np.sin(angle)])
        problem = ContactProblem.from_dense(np.eye(3), np.array([*pull, -weight]), np.array([mu]))
        _, u = solved(problem, sides)
        assert (np.linalg.norm(u[0, :2]) > 1e-12) == slides


@pytest.mark.parametrize("sides", [4, 8, 16])
def test_the_law_declares_how_far_its_pyramid_is_from_the_cone(sides):
    declared = LinearComplementarity(LCPConfig(sides=sides)).claims.anisotropy
    assert declared == pytest.approx(1 / np.cos(np.pi / sides) - 1)


@pytest.mark.long
@pytest.mark.parametrize(
    "sides", [8, *(pytest.param(sides, marks=pytest.mark.long) for sides in (4, 16))]
)
def test_the_law_conforms_with_other_pyramids(sides):
    config = LCPConfig(sides=sides)
    footfall.testing.assert_conforms("contact", LinearComplementarity, config=config)


def test_sweeps_take_over_where_pivots_are_not_enough():
    problem = chain(0).problem()
    expected = solved(chain(0).problem())[1]
    u = solved(problem, max_pivots=12, tolerance=1e-10)[1]
    assert problem.report.iterations > 12
    np.testing.assert_allclose(u, expected, atol=1e-8)


def test_pivots_are_limited_and_what_is_not_solved_is_reported():
    problem = chain(0).problem()
    LinearComplementarity(LCPConfig(max_pivots=1, max_sweeps=1)).solve(problem, {})
    assert problem.report.residual > 1e-3
    assert problem.report.failed


@each("seed", range(20))
def test_problems_that_are_not_of_contact_are_solved_too(seed):
    """M positive definite and not symmetric: one solution, which an enumeration finds as well."""
    rng = np.random.default_rng(seed)
    A = rng.normal(size=(4, 4))
    M, q = A @ A.T + np.triu(rng.normal(size=(4, 4)), 1) * 0.1 + np.eye(4), rng.normal(size=4)
    lcp = Pyramids.allocate(1, 4, 100, 0)
    lcp.M[:4, :4], lcp.q[:4], lcp.scale[:] = M, q, 1.0
    solve_open(table_of(lcp), 4, 1e-12)
    z = lcp.best[:4]
    found = []
    for pattern in range(16):
        on = np.array([pattern >> k & 1 for k in range(4)], bool)
        trial = np.zeros(4)
        trial[on] = np.linalg.solve(M[np.ix_(on, on)], -q[on])
        if (trial >= 0.0).all() and (M @ trial + q >= -1e-12).all():
            found.append(trial)
    np.testing.assert_allclose(z, found[0], atol=1e-12)
