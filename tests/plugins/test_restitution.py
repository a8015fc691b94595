"""Newton's and Poisson's hypothesis: textbook rebounds, and no energy out of nothing."""

from dataclasses import replace

import numpy as np
import pytest
from tests.cases import each
from tests.plugins.impact_cases import after, energy_change, model, resolve

from footfall.errors import SolverError
from footfall.problem.arrays import BlockKind
from footfall.problem.contact_problem import ContactProblem
from footfall.testing.problems import residuals
from footfall.testing.problems.cases import chain, foot, tower
from footfall_impacts.restitution.workspace import MOST_CONTACTS

BOTH = pytest.mark.parametrize("hypothesis", ["newton", "poisson"])


@BOTH
@pytest.mark.parametrize("e", [0.0, 0.3, 1.0])
def test_a_sliding_point_mass_rebounds_with_e_and_rubs_by_mu_times_the_whole_impulse(hypothesis, e):
    """``u_n+ = e``, and while it slides ``|r_t| = mu (1 + e)``."""
    u = np.array([3.0, 0.0, -1.0])
    problem = resolve("restitution", np.eye(3), u, e=e, hypothesis=hypothesis)
    np.testing.assert_allclose(after(problem), [3.0 - 0.5 * (1 + e), 0.0, e], atol=1e-9)


@BOTH
def test_a_slow_point_mass_stops_along_the_ground(hypothesis):
    u = np.array([0.2, -0.1, -1.0])
    problem = resolve("restitution", np.eye(3), u, e=0.5, hypothesis=hypothesis)
    np.testing.assert_allclose(after(problem), [0.0, 0.0, 0.5], atol=1e-9)


def test_the_friction_cone_is_round():
    for angle in np.linspace(0.0, 1.5, 7):
        u = np.array([5 * np.cos(angle), 5 * np.sin(angle), -1.0])
        r = resolve("restitution", np.eye(3), u, e=0.4).impulse
        np.testing.assert_allclose(r[:2], -0.5 * r[2] * u[:2] / 5.0, atol=1e-9)


def row_of_balls(e, hypothesis):
    """Four touching balls of 1 kg, the first at 1 m/s; velocities after."""
    J = np.zeros((9, 4))
    for i in range(3):
        J[3 * i + 2, i : i + 2] = -1.0, 1.0
    v = np.array([1.0, 0.0, 0.0, 0.0])
    problem = resolve("restitution", J @ J.T, J @ v, mu=0.0, e=e, hypothesis=hypothesis)
    return v + J.T @ problem.impulse


def test_touching_balls_are_known_answers_of_the_hypotheses():
    """Newton: pairs at rest do not part, so the last three go on together.

    With m = 3: ``v1 = (1 - e m) / 4, v2 = (1 + e) / 4``. Poisson: the compression ends with all at
    1/4, and with e = 1 each impulse (3/4, 2/4, 1/4) is given once more.
    """
    np.testing.assert_allclose(row_of_balls(1.0, "newton"), [-0.5, 0.5, 0.5, 0.5], atol=1e-9)
    np.testing.assert_allclose(row_of_balls(1.0, "poisson"), [-0.5, 0.5, 0.5, 0.5], atol=1e-9)
    np.testing.assert_allclose(row_of_balls(0.0, "poisson"), 0.25, atol=1e-9)


def restituting(case, rng, spread):
    e = rng.uniform(0.0, 1.0, len(case.mu)) if spread else np.ones(len(case.mu))
    mu = rng.uniform(0.0, 2.0, len(case.mu))
    return replace(case.as_impact(), restitution=e, mu=mu)


def tangled(seed):
    """Four contacts of a system with six dofs, all coupled at random: W has rank 6 of 12."""
    case, rng = chain(seed), np.random.default_rng(100 + seed)
    return replace(case, M=np.eye(6), J=rng.normal(size=(12, 6)), v=rng.normal(size=6))


@BOTH
@each("spread", [False, True], ids=["e = 1", "each its own e"])
@each("make", [chain, foot, lambda seed: chain(seed, contacts=7), tangled])
@pytest.mark.parametrize("seeds", [8, pytest.param(40, marks=pytest.mark.long)])
def test_no_impact_adds_energy_and_none_goes_on_into_the_ground(hypothesis, spread, make, seeds):
    """Regular and singular W, friction up to 2, points that strike and points that separate."""
    failed = 0
    for seed in range(seeds):
        rng = np.random.default_rng(seed)
        case = restituting(make(seed), rng, spread)
        problem = case.problem()
        model("restitution", hypothesis=hypothesis).resolve(problem)
        r = problem.impulse.reshape(-1, 3)
        start = case.kinetic(case.v)
        gain = case.kinetic(case.after(problem.impulse)) - start
        assert gain <= 1e-13 * start, seed
        assert (np.hypot(r[:, 0], r[:, 1]) <= case.mu * r[:, 2] * (1 + 1e-12) + 1e-13).all(), seed
        assert after(problem)[2::3].min() >= -1e-7, seed
        failed += int(problem.report.failed)
    assert failed == 0


@pytest.mark.long
def test_the_safeguard_acts_on_some_of_these_problems_and_says_so():
    """Otherwise the test above would show nothing of Newton's hypothesis.

    Poisson's gains energy on none of them.
    """
    cut = {"newton": 0, "poisson": 0}
    for seed in range(40):
        case = restituting(tangled(seed), np.random.default_rng(seed), False)
        for hypothesis in cut:
            problem = case.problem()
            model("restitution", hypothesis=hypothesis).resolve(problem)
            cut[hypothesis] += int(problem.report.corrects)
    assert 1 <= cut["newton"] <= 39
    assert cut["poisson"] == 0


def test_poisson_needs_no_safeguard_without_friction_and_with_one_coefficient():
    for seed in range(60):
        for e in (0.3, 1.0):
            case = chain(seed).as_impact().without_friction()
            problem = replace(case, restitution=np.full(len(case.mu), e)).problem()
            model("restitution", hypothesis="poisson").resolve(problem)
            assert not problem.report.corrects, seed


def test_energy_of_one_point_without_friction_falls_by_one_minus_e_squared():
    for e in (0.0, 0.5, 1.0):
        problem = resolve("restitution", 0.5 * np.eye(3), np.array([0.0, 0.0, -2.0]), mu=0.0, e=e)
        assert energy_change(problem) == pytest.approx(-(1 - e * e) * 4.0, abs=1e-8)


@BOTH
def test_kanes_pendulum_gains_nothing(hypothesis):
    """Kane and Levinson (1985): a double pendulum that strikes the ground with e near 1, rubbing.

    Two rods of length 1; the tip's Jacobian and inertia at angles 20 and 30 degrees from vertical.
    Newton's hypothesis with friction of 0.5 by itself gains energy for some such velocities.
    """
    cut = 0
    for seed in range(60):
        rng = np.random.default_rng(seed)
        a, b = np.radians(rng.uniform(-60, 60, 2))
        c = np.cos(a - b)
        M = np.array([[4.0 / 3.0, 0.5 * c], [0.5 * c, 1.0 / 3.0]])
        J = np.array([[np.cos(a), np.cos(b)], [0.0, 0.0], [np.sin(a), np.sin(b)]])
        v = rng.normal(size=2)
        u, W = J @ v, J @ np.linalg.solve(M, J.T)
        problem = resolve("restitution", W, u, mu=0.5, e=0.95, hypothesis=hypothesis)
        cut += int(problem.report.corrects)
        assert energy_change(problem) <= 1e-14
        assert after(problem)[2] >= -1e-9
    if hypothesis == "newton":
        assert cut > 0


@BOTH
def test_a_point_between_two_walls_stops(hypothesis):
    """It cannot leave both: no answer exists with e = 1, and the restitution is cut to nothing."""
    J = np.vstack([np.eye(3), np.diag([1.0, 1.0, -1.0])])
    problem = resolve(
        "restitution", J @ J.T, J @ [0.0, 0.0, -1.0], mu=0.0, e=1.0, hypothesis=hypothesis
    )
    np.testing.assert_allclose(
        after(problem)[2::3], 0.0, atol=1e-3 if hypothesis == "newton" else 1
    )
    assert energy_change(problem) <= 0.0
    if hypothesis == "newton":
        assert problem.report.corrects


@each("ratio", [1e-6, 1e2, 1e4, 1e6])
@BOTH
def test_a_mass_ratio_ends_in_a_sound_answer_or_a_counted_failure(ratio, hypothesis):
    """A light box under a heavy one, or the other way round, that land together."""
    for seed in range(4):
        case = tower(seed, ratio)
        rng = np.random.default_rng(seed)
        v = np.zeros(12)
        v[[2, 8]], v[[0, 1, 6, 7]] = -1.0, 0.3 * rng.normal(size=4)
        case = replace(case.as_impact(), v=v, restitution=np.full(8, 0.5))
        problem = case.problem()
        model("restitution", hypothesis=hypothesis, max_iterations=200).resolve(problem)
        assert case.kinetic(case.after(problem.impulse)) <= case.kinetic(v) * (1 + 1e-12)
        # 1e6 times the rounding of an impulse of 1e6 N s on 1 kg.
        assert after(problem)[2::3].min() >= -1e-6
        if ratio <= 1e4:
            assert not problem.report.failed
            assert not problem.report.corrects


@pytest.mark.parametrize("ratio", [1e2, 1e4])
def test_boxes_of_unequal_mass_that_land_in_any_way_are_solved_with_friction(ratio):
    """Both come down, slide and turn; the inelastic impact, by the conditions of the exact cone."""
    for seed in range(20):
        rng = np.random.default_rng(seed)
        v = np.array([0.5, 0.5, 0.3, 1.0, 1.0, 1.0] * 2) * rng.normal(size=12)
        v[[2, 8]] -= 1.5
        case = replace(tower(seed, ratio).as_impact(), v=v, v_free=v)
        problem = case.problem()
        model("restitution").resolve(problem)
        assert not problem.report.failed, seed
        assert residuals.natural_map(case, problem.impulse, after(problem)) <= 1e-8, seed


@BOTH
def test_loops_stay_closed_and_points_on_them_rebound(hypothesis):
    """A point mass that a row, given twice, keeps from moving along x."""
    J = np.vstack([np.eye(3), [1.0, 0.0, 0.0], [1.0, 0.0, 0.0]])
    problem = ContactProblem.from_dense(
        J @ J.T,
        J @ np.array([0.0, 3.0, -1.0]),
        np.array([0.5, 0.0, 0.0]),
        restitution=np.array([0.5, 0.0, 0.0]),
        impulsive=True,
        kinds=(BlockKind.CONE, BlockKind.EQUALITY, BlockKind.EQUALITY),
    )
    model("restitution", hypothesis=hypothesis).resolve(problem)
    np.testing.assert_allclose(after(problem), [0.0, 2.25, 0.5, 0.0, 0.0], atol=1e-9)


@each(
    ("spoil", "message"),
    [
        (lambda a: a.W.__setitem__(0, np.nan), "not finite"),
        (lambda a: a.free_velocity.__setitem__(2, np.inf), "not finite"),
        (lambda a: a.W.__setitem__(1, 0.5), "not symmetric"),
        (lambda a: a.W.__setitem__(0, -1.0), "not positive semidefinite"),
        (lambda a: a.mu.__setitem__(0, -0.1), "friction coefficient"),
        (lambda a: a.restitution.__setitem__(0, 1.5), "coefficient of restitution"),
    ],
)
@each("name", ["restitution", "frictional"])
def test_problems_that_no_mechanics_has_are_refused_by_name(name, spoil, message):
    problem = ContactProblem.from_dense(
        np.eye(3), np.array([1.0, 0.0, -1.0]), np.array([0.5]), impulsive=True
    )
    spoil(problem.arrays)
    with pytest.raises(SolverError, match=f"^{name}: the .*{message}"):
        model(name).resolve(problem)


@BOTH
def test_groups_that_python_gathers_have_the_answers_of_the_kernel(hypothesis):
    """And these meet the conditions of the exact cone, where Newton's hypothesis is not cut."""
    for make in (chain, foot, tangled, lambda seed: chain(seed, contacts=7)):
        for seed in range(10):
            case = restituting(make(seed), np.random.default_rng(seed), seed % 2 == 0)
            one, other = case.problem(), case.problem()
            assert not model("restitution", hypothesis=hypothesis).bound(one)()
            gathers = model("restitution", hypothesis=hypothesis)
            gathers.bound(other)
            gathers._space[0].label[:] = 0
            gathers.go_on()
            np.testing.assert_allclose(one.impulse, other.impulse, rtol=0.0, atol=1e-12)
            np.testing.assert_allclose(one.offset, other.offset, rtol=0.0, atol=1e-12)
            aimed = after(one) + one.offset
            if hypothesis == "newton" and not one.report.failed:
                assert residuals.natural_map(case, one.impulse, aimed) <= 1e-8, seed


def test_large_groups_and_loops_are_left_to_python():
    crowd = chain(0, contacts=MOST_CONTACTS + 1).as_impact().problem()
    impact = model("restitution")
    assert impact.bound(crowd)()
    impact.go_on()
    assert crowd.report.residual < 1e-8
    assert crowd.impulse.any()
