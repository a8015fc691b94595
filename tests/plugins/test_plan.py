"""Plans: the optimum of linear problems in closed form, torque limits, receding horizons."""

import numpy as np
import pytest
from tests.cases import each

import footfall
from footfall.api.kernels import kernel
from footfall.errors import FootfallError, SimulationError
from footfall_plan.plan import Plan

DT, SUBSTEPS, T = 0.01, 2, 10
MASS, DAMPING = (0.7, 0.5), 2.0
"""Masses that the slides x and y move; their viscous friction."""

URDF = """
<robot name="hand">
  <link name="world"/>
  <link name="slide"><inertial><mass value="0.2"/>
    <inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="palm"><inertial><mass value="0.5"/>
    <inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="x" type="prismatic"><parent link="world"/><child link="slide"/>
    <axis xyz="1 0 0"/><limit lower="-9" upper="9" effort="LIMIT" velocity="100"/>
    <dynamics damping="2"/></joint>
  <joint name="y" type="prismatic"><parent link="slide"/><child link="palm"/>
    <axis xyz="0 1 0"/><limit lower="-9" upper="9" effort="LIMIT" velocity="100"/>
    <dynamics damping="2"/></joint>
</robot>
"""
SCENE = """
description = "Two slides"
simulation = { duration = 1.0, time_step = 0.01 }
bodies.hand.robot = "robot.toml"
"""
GOAL = np.array([0.3, -0.2])
COST = footfall.Cost(
    {"torque": (0.01, 0.1), "hand.joint_velocities": 0.2},
    {"hand.joints": (50.0, GOAL), "palm.velocity": (1.0, 0.0)},
)


@pytest.fixture
def slides(tmp_path):
    """A scene of two slides, by the greatest force of their motors."""

    def write(limit=1000.0):
        (tmp_path / "hand.urdf").write_text(URDF.replace("LIMIT", str(limit)))
        robot = 'description = "Slides"\nbase = "fixed"\nmodel.file = "hand.urdf"\n'
        (tmp_path / "robot.toml").write_text(robot)
        (tmp_path / "scene.toml").write_text(SCENE)
        return tmp_path / "scene.toml"

    return write


@kernel
def root_of_minus_one(q, v, tau, row, out):
    """Write what is no number."""
    out[0] = (abs(q[0]) * 0.0 - 1.0) ** 0.5


def best_controls(x0, samples=T):
    """Return the controls of least cost of the slides: a linear least-squares problem.

    Friction is implicit: ``m (v+ - v) = dt (u - d v+)``, then ``q+ = q + dt v+``.
    """
    pairs = [(DT, m, DAMPING) for m in MASS]
    A, B = np.zeros((4, 4)), np.zeros((4, 2))
    for k, (dt, m, d) in enumerate(pairs):
        keep, gain = m / (m + dt * d), dt / (m + dt * d)
        A[k, [k, 2 + k]], A[2 + k, 2 + k] = (1.0, dt * keep), keep
        B[k, k], B[2 + k, k] = dt * gain, gain
    one_A, one_B = A, B
    for _ in range(SUBSTEPS - 1):
        A, B = one_A @ A, one_A @ B + one_B
    powers = [np.linalg.matrix_power(A, k) for k in range(samples + 1)]
    free = np.concatenate([powers[t + 1] @ x0 for t in range(samples)])
    forced = np.zeros((4 * samples, 2 * samples))
    for t in range(samples):
        for s in range(t + 1):
            forced[4 * t : 4 * t + 4, 2 * s : 2 * s + 2] = powers[t - s] @ B
    length = SUBSTEPS * DT
    weight = np.tile([0.0, 0.0, 0.2 * length, 0.2 * length], samples)
    weight[-4:] += [50.0, 50.0, 1.0, 1.0]
    target = np.zeros(4 * samples)
    target[-4:-2] = GOAL
    root, torque = np.sqrt(weight), np.sqrt(0.01 * length)
    rows = np.vstack([root[:, None] * forced, torque * np.eye(2 * samples)])
    right = np.concatenate([root * (target - free), np.full(2 * samples, torque * 0.1)])
    found, *_ = np.linalg.lstsq(rows, right, rcond=None)
    return found.reshape(samples, 2), 0.5 * np.square(rows @ found - right).sum()


def newton(scene, **options):
    given = {"horizon": T * SUBSTEPS * DT, "knots": T, "method": "gauss_newton", "iterations": 1}
    return footfall.plan(scene, COST, **given | options)


def test_gauss_newton_solves_a_linear_problem_in_one_iteration(slides):
    plan, (expected, cost) = newton(slides()), best_controls(np.zeros(4))
    np.testing.assert_allclose(plan.controls, expected, 1e-5, 1e-5)
    assert plan.cost == pytest.approx(cost, rel=1e-6)
    assert plan.costs == [plan.cost]
    assert plan.substeps == SUBSTEPS


def test_its_gains_are_optimal_from_other_states(slides):
    plan = newton(slides())
    x0 = np.array([0.2, 0.1, -0.3, 0.4])
    expected, cost = best_controls(x0)
    with footfall.Batch(slides(), 2) as batch:
        options = {"gains": plan.gains, "reference": plan.states, "cost": COST}
        run = batch.rollout(x0, np.tile(plan.controls, (2, 1, 1)), SUBSTEPS, **options)
        np.testing.assert_allclose(run.controls[0], expected, 1e-5, 1e-4)
        assert run.cost[0] == pytest.approx(cost, rel=1e-6)
        plain = batch.rollout(x0, np.tile(plan.controls, (2, 1, 1)), SUBSTEPS, cost=COST)
        assert plain.cost[0] > 1.1 * cost


def test_torques_keep_their_limits(slides):
    """The active set is right where no torque at its limit would rather leave it."""
    unlimited, most = newton(slides()).controls, 2.0
    plan = newton(slides(most), iterations=30)
    assert abs(unlimited).max() > most
    assert abs(plan.controls).max() == most
    free = abs(plan.controls) < most
    for t, k in np.argwhere(free)[::3].tolist() + np.argwhere(~free)[::3].tolist():
        moved = np.tile(plan.controls, (2, 1, 1))
        moved[0, t, k] += 1e-3
        moved[1, t, k] -= 1e-3
        with footfall.Batch(slides(most), 2) as batch:
            up, down = batch.rollout(np.zeros(4), moved, SUBSTEPS, cost=COST).cost
        slope = (up - down) / 2e-3
        assert abs(slope) < 1e-4 if free[t, k] else slope * plan.controls[t, k] < 0.0


@pytest.mark.parametrize("method", ["cem", "mppi"])
def test_sampling_comes_near_the_optimum(slides, method):
    _, least = best_controls(np.zeros(4))
    options = {"horizon": 0.2, "knots": T, "method": method, "interpolation": "zero"}
    plan = footfall.plan(slides(), COST, iterations=60, spread=5.0, **options)
    assert least < plan.cost < 1.02 * least
    assert (np.diff(plan.costs) <= 0.0).all()
    again = footfall.plan(slides(), COST, iterations=60, spread=5.0, **options)
    np.testing.assert_array_equal(plan.controls, again.controls)
    other = footfall.plan(slides(), COST, iterations=60, spread=5.0, seed=1, **options)
    assert abs(plan.controls - other.controls).max() > 1e-6


def test_controls_states_and_gains_are_one_trajectory(slides):
    """Also with joints that are held while torques are sampled."""
    options = {"horizon": 0.2, "knots": 4, "substeps": SUBSTEPS, "interpolation": "cubic"}
    plan = footfall.plan(slides(), COST, iterations=5, spread=5.0, hold=(20.0, 1.0), **options)
    with footfall.Batch(slides(), 1) as batch:
        given = {"gains": plan.gains, "reference": plan.states, "cost": COST}
        run = batch.rollout(plan.states[0], plan.controls[None], SUBSTEPS, **given)
    np.testing.assert_allclose(run.states[0], plan.states[1:], 0.0, 1e-12)
    assert run.cost[0] == pytest.approx(plan.cost, rel=1e-12)
    np.testing.assert_array_equal(plan.gains[3, :, :2], -20.0 * np.eye(2))
    np.testing.assert_array_equal(plan.gains[3, :, 2:], -1.0 * np.eye(2))


@pytest.mark.parametrize("method", ["gauss_newton", "cem", "mppi"])
def test_a_receding_horizon_reaches_the_goal_from_another_state(slides, method):
    options = {} if method == "gauss_newton" else {"spread": 5.0, "runs": 32}
    plan = newton(slides(), method=method, **options)
    sim = footfall.load(slides())
    sim.q[:], sim.v[:] = [0.2, 0.1], [-0.3, 0.4]
    for _ in range(60):
        tau = plan.step(np.concatenate([sim.q, sim.v]), iterations=2)
        np.testing.assert_array_equal(plan.states[0], np.concatenate([sim.q, sim.v]))
        for _ in range(plan.substeps):
            sim.step(tau)
    assert abs(sim.q - GOAL).max() < (0.01 if method == "gauss_newton" else 0.05)


def test_a_plan_that_is_executed_goes_on_where_it_was(slides):
    plan = newton(slides())
    controls, states = plan.controls, plan.states
    plan.step(states[1], iterations=0)
    np.testing.assert_allclose(plan.controls[:-1], controls[1:], 1e-12)
    np.testing.assert_allclose(plan.states[:-1], states[1:], 0.0, 1e-12)


def test_an_interrupt_ends_it_with_the_best_so_far(slides, monkeypatch):
    plan, calls, sample = newton(slides(), method="cem", spread=5.0), [], Plan._sample

    def interrupted(self):
        calls.append(1)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return sample(self)

    monkeypatch.setattr(Plan, "_sample", interrupted)
    assert plan.improve(50) is plan
    assert len(plan.costs) == 3
    assert plan.cost == plan.costs[-1]
    plan.improve(2)  # and goes on
    assert len(plan.costs) == 5


def test_an_interrupt_ends_the_loop_of_a_receding_horizon(slides, monkeypatch):
    def interrupt(self):
        raise KeyboardInterrupt

    plan = newton(slides(), method="cem", spread=5.0)
    monkeypatch.setattr(Plan, "_sample", interrupt)
    with pytest.raises(KeyboardInterrupt):
        plan.step(plan.states[1])


@each(
    ("given", "said"),
    [
        ({"horizon": 0.0}, "10 knots do not fit into a horizon of 0.0 s"),
        ({"horizon": np.nan}, "horizon: expected finite numbers of the shape ()"),
        ({"horizon": 0.05}, "10 knots do not fit into a horizon of 0.05 s"),
        ({"knots": 0}, "knots must be a whole number from 1 on: 0"),
        ({"runs": 2.5}, "runs must be a whole number from 1 on: 2.5"),
        ({"method": "ddp"}, "method must be one of cem, mppi, gauss_newton: 'ddp'"),
        ({"x0": np.zeros(18)}, "x0: expected finite numbers of the shape (4,)"),
        ({"x0": np.full(4, np.nan)}, "x0: expected finite numbers"),
        ({"controls": np.zeros((3, 2))}, "controls: expected finite numbers of the shape (10, 2)"),
        ({"spread": np.ones(3)}, "spread: expected finite numbers of the shape (2,)"),
        ({"horizon": "long"}, "horizon: expected finite numbers of the shape ()"),
        ({"hold": (1.0, np.nan)}, "hold: expected finite numbers of the shape (2,)"),
        ({"hold": 3.0}, "hold: expected finite numbers of the shape (2,)"),
        ({"runs": 0}, "runs must be a whole number from 1 on: 0"),
        ({"substeps": 0}, "substeps must be a whole number from 1 on: 0"),
        ({"iterations": 2.5}, "iterations must be a whole number from 0 on: 2.5"),
        ({"seed": -1}, "seed must be a whole number from 0 on: -1"),
        ({"spread": -1.0}, "spread: no number may be below 0"),
        ({"interpolation": "spline"}, "interpolation must be zero, linear or cubic"),
    ],
)
def test_what_does_not_fit_is_refused_in_a_line(slides, given, said):
    with pytest.raises(FootfallError) as error:
        newton(slides(), **{"method": "cem", "iterations": 0, "spread": 1.0, **given})
    assert said in str(error.value)
    assert "\n" not in str(error.value)


def test_a_plan_needs_a_cost():
    with pytest.raises(SimulationError, match=r"give a footfall\.Cost"):
        footfall.plan("rrbot/swing", None, horizon=0.1, knots=4)


def test_a_cost_that_no_run_has_ends_a_plan(slides):
    cost = footfall.Cost({"root": 1.0}, functions={"root": (root_of_minus_one, 1)})
    with pytest.raises(SimulationError, match="plan: every run fails or costs infinity"):
        footfall.plan(slides(), cost, horizon=0.1, knots=2, spread=1.0)


def test_motors_without_a_limit_need_a_spread():
    cost = footfall.Cost({"torque": 1.0})
    with pytest.raises(SimulationError, match="spread: give that of torques, for motors without"):
        footfall.plan("rrbot/swing", cost, horizon=0.1, knots=4)


def test_steps_without_derivatives_are_refused_with_the_reason(slides):
    with pytest.raises(SimulationError, match='impact model "frictional" has none'):
        newton(slides(), overrides={"impact.plugin": "frictional"})


def test_a_model_with_another_state_is_refused_by_a_plan(slides):
    plan = newton(slides())
    with pytest.raises(SimulationError, match=r"plan: x: expected finite numbers of the shape"):
        plan.step(np.zeros(6))
