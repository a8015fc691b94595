"""Properties of both gauss laws: groups, gaps, impacts, state, what they leave alone."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.cases import each, missing
from tests.plugins.contact_cases import state_for
from tests.plugins.solver_cases import two_feet

from footfall.interfaces.contact import ForceLaw, ImpulseLaw
from footfall.interfaces.solver import QPProblem
from footfall.problem.arrays import ProblemSize
from footfall.problem.contact_problem import ContactProblem
from footfall.registry.discover import discover
from footfall.typing import Floats
from footfall_gauss.contact import Gauss, GaussConfig, GaussDiscrete
from footfall_qp.proxqp import ProxQP, ProxQPConfig

DT = 1e-3
LAWS = [Gauss, GaussDiscrete]


def make(cls: Any) -> Any:
    """A law with the default solver."""
    return cls(GaussConfig(), ProxQP(ProxQPConfig()))


def feet_contact(seed: int, **changes: Any) -> ContactProblem:
    """Two loaded feet with eight points, pushed sideways."""
    rng = np.random.default_rng(seed)
    W = two_feet(rng)
    pressed = W @ (rng.normal(size=24) + np.tile([0.0, 0.0, 2.0], 8))
    velocity = changes.pop("velocity", 1e-3 * W @ rng.normal(size=24))
    given = {"velocity": velocity, "dt": DT} | changes
    return ContactProblem.from_dense(W, velocity - DT * pressed, np.full(8, 0.5), **given)


def solve(law: Any, problem: ContactProblem, state: dict[str, Floats] | None = None) -> Floats:
    """The impulse over the step, [N s], however the law states it."""
    state = state_for(law, 8) if state is None else state
    if isinstance(law, ForceLaw):
        force = np.zeros(problem.n_rows)
        law.force(problem, state, {}, force)
        return DT * force
    law.solve(problem, state)
    return problem.impulse.copy()


@each("cls", LAWS)
@each("seed", range(10))
def test_feet_satisfy_the_optimality_conditions(cls: Any, seed: int) -> None:
    """Projected onto the pyramids, a step against the gradient leads nowhere."""
    problem, law = feet_contact(seed), make(cls)
    r = solve(law, problem)
    W = problem.delassus()
    gradient = W @ r + problem.free_velocity + DT * problem.jdot_v
    if cls is Gauss:
        gradient -= problem.velocity
    f, g = r.reshape(-1, 3), gradient.reshape(-1, 3)
    assert (np.abs(f[:, :2]) <= 0.5 * f[:, 2:] * (1.0 + 1e-15)).all()
    dual_normal = g[:, 2] - 0.5 * (np.abs(g[:, 0]) + np.abs(g[:, 1]))
    scale = np.abs(problem.free_velocity).max()
    assert dual_normal.min() >= -1e-10 * scale
    assert np.abs((f * g).sum(axis=1)).max() <= 1e-10 * scale * np.abs(r).max()
    assert problem.report.residual <= 1e-10
    assert not problem.report.failed


def test_discrete_law_states_the_velocity_that_it_targets() -> None:
    problem, law = feet_contact(0), make(GaussDiscrete)
    problem.jdot_v[:] = np.linspace(-1.0, 1.0, 24)
    problem.correction[:] = 3.0
    law.solve(problem, state_for(law, 8))
    np.testing.assert_array_equal(problem.offset, DT * problem.jdot_v)
    np.testing.assert_array_equal(problem.correction, 0.0)


def test_both_modes_differ_by_the_velocity_only() -> None:
    at_rest = {"velocity": np.zeros(24)}
    forces = [solve(make(cls), feet_contact(1, **at_rest)) for cls in LAWS]
    W = feet_contact(1, **at_rest).delassus()
    # Forces are not unique on a singular foot, velocities are.
    np.testing.assert_allclose(W @ forces[0], W @ forces[1], atol=1e-12)


def test_an_impact_has_no_acceleration_terms() -> None:
    law, velocity = make(GaussDiscrete), np.array([0.0, 0.0, -1.0])
    problem = ContactProblem.from_dense(np.eye(3), velocity, np.array([0.5]), impulsive=True)
    problem.jdot_v[:] = 1e3
    problem.gap[:] = 1e-9  # touching is the host's decision in an impact
    law.solve(problem, state_for(law, 1))
    np.testing.assert_allclose(problem.impulse, [0.0, 0.0, 1.0], atol=1e-9)
    np.testing.assert_array_equal(problem.offset, 0.0)


@pytest.mark.parametrize("cls", LAWS)
def test_open_points_get_nothing_and_change_nothing(cls: Any) -> None:
    gap = np.where(np.arange(8) % 4 == 3, 1e-4, -1e-5)
    closed = np.repeat(gap <= 0.0, 3)
    whole = feet_contact(2, gap=gap)
    r = solve(make(cls), whole)
    np.testing.assert_array_equal(r[~closed], 0.0)
    W = whole.delassus()[np.ix_(closed, closed)]
    alone = ContactProblem.from_dense(
        W, whole.free_velocity[closed], np.full(6, 0.5), velocity=whole.velocity[closed], dt=DT
    )
    np.testing.assert_allclose(W @ solve(make(cls), alone), W @ r[closed], atol=1e-11)


@pytest.mark.parametrize("cls", LAWS)
@pytest.mark.parametrize(("gap", "distance"), [(0.0, 0.0), (1e-17, 1e-9), (1e-9, 1e-9)])
def test_a_point_within_the_touch_distance_touches(cls: Any, gap: float, distance: float) -> None:
    config, solver = GaussConfig(touch_distance=distance), ProxQP(ProxQPConfig())
    free = np.array([0.0, 0.0, -1e-2])
    for beyond, expected in ((0.0, 1e-2), (1e-12, 0.0)):
        problem = ContactProblem.from_dense(
            np.eye(3), free, np.ones(1), velocity=np.zeros(3), gap=np.array([gap + beyond])
        )
        within = gap + beyond <= distance
        impulse = solve(cls(config, solver), problem)[2]
        assert impulse == pytest.approx(1e-2 if within else expected)


@pytest.mark.parametrize("cls", LAWS)
def test_groups_are_solved_apart(cls: Any) -> None:
    """A body that slides fast must not loosen the answer for one that stands beside it."""
    W, velocity, free = np.zeros((6, 6)), np.zeros(6), np.zeros(6)
    W[:3, :3], W[3:, 3:] = np.eye(3), 1e-3 * np.eye(3)
    velocity[0] = 50.0
    free[:] = velocity
    free[[2, 5]] -= 9.81 * DT
    problem = ContactProblem.from_dense(W, free, np.full(2, 0.5), velocity=velocity, dt=DT)
    arrays = problem.arrays
    arrays.size[ProblemSize.PAIRS] = 2
    arrays.pair_start[:3] = 0, 1, 2
    arrays.pair_data[1] = arrays.pair_data[3]
    arrays.pair_block[:2] = 0, 1
    r = solve(make(cls), problem, state_for(make(cls), 2))
    np.testing.assert_allclose(r[3:], [0.0, 0.0, 9.81], atol=1e-9)


@pytest.mark.parametrize("cls", LAWS)
def test_order_of_contacts_does_not_matter(cls: Any) -> None:
    problem = feet_contact(3)
    order = np.random.default_rng(0).permutation(8)
    rows = (3 * order[:, None] + np.arange(3)).ravel()
    W = problem.delassus()
    shuffled = ContactProblem.from_dense(
        W[np.ix_(rows, rows)],
        problem.free_velocity[rows],
        np.full(8, 0.5),
        velocity=problem.velocity[rows],
        dt=DT,
    )
    u, v = W @ solve(make(cls), problem), solve(make(cls), shuffled)
    np.testing.assert_allclose(W[np.ix_(rows, rows)] @ v, u[rows], atol=1e-11)


@pytest.mark.parametrize("cls", LAWS)
@pytest.mark.parametrize("name", ["proxqp", "quadprog", "osqp", "qpoases", "casadi", "qpsolvers"])
def test_every_solver_leads_to_the_answer_of_least_norm(cls: Any, name: str) -> None:
    """The nearest to zero of all r that give the points these velocities, by a QP of its own."""
    if reason := missing(discover().solver[name]):
        pytest.skip(reason)
    plugin: Any = discover().solver[name].load()
    for seed in range(5):
        problem = feet_contact(seed)
        law = cls(GaussConfig(), plugin(plugin.Config()))
        r, W = solve(law, problem), problem.delassus()
        pyramid = np.kron(np.eye(8), [[1, 0, -0.5], [-1, 0, -0.5], [0, 1, -0.5], [0, -1, -0.5]])
        value, vector = np.linalg.eigh(W)
        moving = vector[:, value > 1e-9 * value[-1]].T
        rows = np.vstack([moving, pyramid])
        low = np.concatenate([moving @ r, np.full(32, -np.inf)])
        high = np.concatenate([moving @ r, np.zeros(32)])
        least = QPProblem(np.eye(24), np.zeros(24), rows, low, high)
        expected = ProxQP(ProxQPConfig()).solve(least, None)
        assert expected.ok
        np.testing.assert_allclose(r, expected.x, rtol=0.0, atol=1e-8 * np.abs(r).max())


@pytest.mark.parametrize("cls", LAWS)
def test_no_contacts_is_no_work(cls: Any) -> None:
    problem = ContactProblem.from_dense(np.zeros((0, 0)), np.zeros(0), np.zeros(0))
    solve(make(cls), problem, state_for(make(cls), 3))
    np.testing.assert_array_equal(problem.arrays.report, 0.0)


@pytest.mark.parametrize("cls", LAWS)
def test_coincident_points_share_the_load(cls: Any) -> None:
    W = np.kron(np.ones((2, 2)), np.eye(3))
    free = np.tile([0.0, 0.0, -9.81 * DT], 2)
    problem = ContactProblem.from_dense(W, free, np.full(2, 0.5), velocity=np.zeros(6), dt=DT)
    r = solve(make(cls), problem, state_for(make(cls), 2))
    assert r[2] + r[5] == pytest.approx(9.81 * DT, rel=1e-9)


@pytest.mark.parametrize("cls", LAWS)
def test_input_is_left_alone(cls: Any) -> None:
    problem, same = feet_contact(4), feet_contact(4)
    solve(make(cls), problem)
    written = {"impulse", "offset", "correction", "report"}
    for name in set(problem.arrays._fields) - written:
        np.testing.assert_array_equal(getattr(problem.arrays, name), getattr(same.arrays, name))


@pytest.mark.parametrize("cls", LAWS)
def test_everything_that_matters_is_in_the_state(cls: Any) -> None:
    """A law that has solved other problems continues from a copied state with the same bits."""
    used, state = make(cls), state_for(make(cls), 8)
    warm = np.zeros(24)
    for seed in range(3):
        problem = feet_contact(seed)
        problem.impulse[:] = warm
        warm = solve(used, problem, state)
    saved = {name: part.copy() for name, part in state.items()}
    results = []
    for law, start in ((used, state), (make(cls), saved)):
        problem = feet_contact(3)
        problem.impulse[:] = warm
        results.append((solve(law, problem, start).tobytes(), problem.arrays.report.copy()))
    assert results[0][0] == results[1][0]
    np.testing.assert_array_equal(results[0][1], results[1][1])
    for name in state:
        np.testing.assert_array_equal(state[name], saved[name])


@pytest.mark.parametrize("cls", LAWS)
def test_warm_start_from_the_state_saves_iterations(cls: Any) -> None:
    law = make(cls)
    state, problem = state_for(law, 8), feet_contact(5)
    problem.impulse[:] = solve(law, problem, state)
    cold = problem.report.iterations
    solve(law, problem, state)
    assert problem.report.iterations <= 1 < cold


@pytest.mark.parametrize("cls", LAWS)
def test_asymmetry_of_rounding_in_the_delassus_matrix_is_averaged(cls: Any) -> None:
    problem = feet_contact(6)
    W = problem.delassus()
    skewed = W + 1e-9 * np.triu(np.ones((24, 24)), 1)
    other = ContactProblem.from_dense(
        skewed, problem.free_velocity, np.full(8, 0.5), velocity=problem.velocity, dt=DT
    )
    mean = 0.5 * (skewed + skewed.T)
    np.testing.assert_allclose(
        mean @ solve(make(cls), other), W @ solve(make(cls), problem), atol=1e-8
    )


def test_roles_and_needs_are_declared() -> None:
    assert issubclass(Gauss, ForceLaw)
    assert issubclass(GaussDiscrete, ImpulseLaw)
    assert not Gauss.absorbs_impacts
    assert GaussDiscrete.absorbs_impacts
    for cls in LAWS:
        assert make(cls).margin == GaussConfig().touch_distance < 1e-6
