"""The law ``coulomb`` on cones of six rows, judged by a natural map in plain numpy."""

import numpy as np
import pytest

from footfall.api.contact import BlockKind, ContactProblem
from footfall.api.plugin import SceneError
from footfall_coulomb.contact import Coulomb, CoulombConfig

TANGENTS = [0, 1, 3, 4, 5]


def six_row_problem(seed, contacts):
    """Return W, b, mu of contacts with moments of lengths from 1 mm to 1 m, some of them zero."""
    rng = np.random.default_rng(seed)
    rows, nv = 6 * contacts, int(rng.integers(4 * contacts, 7 * contacts)) + 2
    J = rng.normal(size=(rows, nv))
    for i in range(contacts):
        J[6 * i + 3 : 6 * i + 6] *= 10.0 ** rng.uniform(-3.0, 0.0)
        if rng.uniform() < 0.4:
            J[6 * i + 3 : 6 * i + 5] = 0.0  # no rolling friction
    mu = np.repeat(rng.uniform(0.05, 2.0, contacts), 2)
    b = J @ rng.normal(size=nv)
    if seed % 3 == 0:  # what a small impulse would bring to rest
        b = -J @ J.T / nv @ np.where(np.arange(rows) % 6 == 2, 1.0, 0.02 * rng.normal(size=rows))
    return J @ J.T / nv, b, mu


def solved(W, b, mu, **settings):
    kinds = (BlockKind.CONE, BlockKind.MOMENT) * (len(mu) // 2)
    problem = ContactProblem.from_dense(W, b, mu, kinds=kinds)
    Coulomb(CoulombConfig(**settings)).solve(problem, {})
    return problem


def residual(W, b, mu, r):
    """Return the largest natural map of a contact: five tangential rows share one cone, [m/s]."""
    u, worst = W @ r + b, 0.0
    for i in range(len(mu) // 2):
        at = slice(6 * i, 6 * i + 6)
        m, w = mu[2 * i], float(np.diag(W)[at].max())
        v = u[at].copy()
        v[2] += m * np.linalg.norm(v[TANGENTS])
        p = r[at] - v / w
        t, n = np.linalg.norm(p[TANGENTS]), p[2]
        inside = p.copy()
        if m * t <= -n:
            inside[:] = 0.0
        elif t > m * n:
            inside[2] = (n + m * t) / (1.0 + m * m)
            inside[TANGENTS] *= m * inside[2] / t
        worst = max(worst, w * float(np.linalg.norm(r[at] - inside)))
    return worst


@pytest.mark.parametrize("contacts", [1, 2, 4])
def test_random_problems_are_solved_to_the_tolerance(contacts):
    states = set()
    for seed in range(60):
        W, b, mu = six_row_problem(100 * contacts + seed, contacts)
        problem = solved(W, b, mu)
        r = problem.impulse
        found = residual(W, b, mu, r)
        assert found <= 1e-9
        assert problem.report.residual == pytest.approx(found, rel=1e-3, abs=1e-14)
        for i in range(contacts):
            t, n = np.linalg.norm(r[6 * i + np.array(TANGENTS)]), r[6 * i + 2]
            states.add("open" if n == 0.0 else "slip" if t > 0.999 * mu[2 * i] * n else "stick")
    assert states == {"open", "slip", "stick"}


def test_one_contact_is_solved_in_one_sweep():
    for seed in range(50):
        assert solved(*six_row_problem(seed, 1)).report.iterations == 1


def test_rows_of_length_zero_carry_nothing_and_leave_the_plain_cone():
    rng = np.random.default_rng(5)
    for _ in range(20):
        A = rng.normal(size=(3, 5))
        W, b, mu = np.zeros((6, 6)), np.zeros(6), rng.uniform(0.1, 1.0)
        W[:3, :3], b[:3] = A @ A.T, rng.normal(size=3)
        r = solved(W, b, np.array([mu, mu])).impulse
        plain = ContactProblem.from_dense(W[:3, :3], b[:3], np.array([mu]))
        Coulomb(CoulombConfig()).solve(plain, {})
        assert r[3:] == pytest.approx(np.zeros(3), abs=0.0)
        assert r[:3] == pytest.approx(plain.impulse, abs=1e-9)


def test_what_slips_is_opposed_by_the_most_dissipation_that_the_cone_allows():
    W, b, mu = np.eye(6), np.array([3.0, -1.0, -2.0, 0.5, 1.0, -2.0]), np.array([0.4, 0.4])
    r = solved(W, b, mu).impulse
    u = W @ r + b
    s, slip = r[TANGENTS], u[TANGENTS]
    assert r[2] == pytest.approx(2.0)
    assert np.linalg.norm(s) == pytest.approx(0.4 * 2.0)
    assert s / np.linalg.norm(s) == pytest.approx(-slip / np.linalg.norm(slip))


def test_settings_that_act_on_plain_cones_alone_are_refused():
    W, b, mu = six_row_problem(0, 1)
    with pytest.raises(SceneError, match="has no effect where contacts have torsional or rolling"):
        solved(W, b, mu, local_solver="duriez")
