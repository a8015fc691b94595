"""Costs of rollouts: the kernel's sum is NumPy's, its gradient that of differences."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from tests.cases import each

import footfall
from footfall.api.kernels import kernel
from footfall.errors import FootfallError, SimulationError

QUADRUPED = "quadruped/standing"
GOAL = [0.0, 0.0, 0.6, 0.8]
TURNED = Rotation.from_quat(GOAL)
ALONG = np.random.default_rng(5).normal(0.0, 0.1, (7, 3))
RUNNING = {
    "torque": (1e-3, 1.0),
    "quadruped.position": ([1.0, 2.0, 3.0], [0.1, 0.0, 0.4]),
    "quadruped.com": (1.5, ALONG),
    "quadruped/fl_foot.velocity": (0.3, 0.1, 0.2),
    "quadruped.joints": 0.1,
}
FINAL = {
    "trunk.orientation": (2.0, GOAL),
    "quadruped.com_velocity": (0.7, 0.2),
    "fl_foot.position": (1.1, [0.3, 0.1, 0.0]),
    "fl_foot.orientation": 0.4,
    "quadruped.turning": 0.3,
    "quadruped.joint_velocities": ([0.01] * 12, 0.5, 1.0),
    "quadruped.velocity": (0.2, 0.0, "value"),
}
T, SUBSTEPS = 7, 3


def square(weight, r):
    return 0.5 * (np.asarray(weight) * np.square(r)).sum()


def huber(weight, r, d):
    return (np.asarray(weight) * d * d * (np.sqrt(1.0 + (np.asarray(r) / d) ** 2) - 1.0)).sum()


def by_signals(sim, states, torques, length):
    """The cost of a run by the signals that controllers see."""
    total, of = 0.0, sim.signals("quadruped")
    foot = of.frame("fl_foot")
    for t, (x, tau) in enumerate(zip(states, torques, strict=True)):
        sim.q[:], sim.v[:] = x[: len(sim.q)], x[len(sim.q) :]
        total += length * (
            square(1e-3, tau - 1.0)
            + square([1.0, 2.0, 3.0], sim.q[:3] - [0.1, 0.0, 0.4])
            + square(1.5, of.com - ALONG[t])
            + huber(0.3, foot.velocity[:3] - 0.1, 0.2)
            + square(0.1, sim.q[7:])
        )
    turned = Rotation.from_matrix(of.base_pose[:3, :3])
    return total + (
        square(2.0, (TURNED.inv() * turned).as_rotvec())
        + square(0.7, of.com_velocity - 0.2)
        + square(1.1, foot.pose[:3, 3] - [0.3, 0.1, 0.0])
        + square(0.4, Rotation.from_matrix(foot.pose[:3, :3]).as_rotvec())
        + square(0.3, of.nu[3:6])
        + huber(0.01, sim.v[6:] - 0.5, 1.0)
        + 0.2 * of.nu[:3].sum()
    )


def start(batch):
    x0 = np.concatenate([batch.q[0], batch.v[0]])
    x0[-12:] += np.random.default_rng(3).normal(0.0, 0.3, 12)
    return x0


def test_the_cost_of_named_quantities_is_that_of_the_signals_of_controllers():
    cost, rng = footfall.Cost(RUNNING, FINAL), np.random.default_rng(0)
    with footfall.Batch(QUADRUPED, 3) as batch:
        controls = rng.normal(0.0, 5.0, (3, T, batch.nu))
        run = batch.rollout(start(batch), controls, SUBSTEPS, cost=cost)
    sim = footfall.load(QUADRUPED)
    for i in range(3):
        expected = by_signals(sim, run.states[i], controls[i], SUBSTEPS * sim.time_step)
        assert run.cost[i] == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize(
    "scene", [QUADRUPED, "cube/drop", "ball/bounce", "cube/stack", "parallel_leg/hopping"]
)
def test_a_cost_changes_no_bit_of_the_runs(scene):
    body = scene.partition("/")[0] if scene != "cube/stack" else "cube_0"
    cost = footfall.Cost({f"{body}.position": 1.0}, {f"{body}.com": 1.0})
    with footfall.Batch(scene, 2, outputs="contact_force") as batch:
        batch.contact_force(body, "terrain")
        x0 = np.hstack([batch.q, batch.v])
        found = []
        for given in (None, cost):
            run = batch.rollout(x0, 100, 5, cost=given)
            found.append((*run, *batch.contact_force(body, "terrain")))
        for one, other in zip(*found, strict=True):
            np.testing.assert_array_equal(one, other)
        assert run.cost.shape == (2,)
        assert (run.cost > 0.0).all()


def test_recorded_variables_count_as_sensors_do():
    cost = footfall.Cost({"contact_force": (2.0, 1.0)})
    with footfall.Batch(QUADRUPED, 2, outputs="contact_force") as batch:
        run = batch.rollout(start(batch), np.zeros((2, T, batch.nu)), SUBSTEPS, cost=cost)
        expected = SUBSTEPS * 1e-3 * np.square(run.sensors - 1.0).sum(axis=(1, 2))
        np.testing.assert_allclose(run.cost, expected, 1e-12)


@kernel
def height_and_power(q, v, tau, row, out):
    """Write the height of the trunk, and the power of the joints."""
    out[0], out[1] = q[2], 0.0
    for k in range(len(tau)):
        out[1] += tau[k] * v[6 + k]


def test_a_function_of_your_own_is_a_quantity():
    cost = footfall.Cost(
        {"mine": ([1.0, 0.1], [0.3, 0.0])}, functions={"mine": (height_and_power, 2)}
    )
    with footfall.Batch(QUADRUPED, 2) as batch:
        tau = np.random.default_rng(1).normal(0.0, 3.0, (2, T, batch.nu))
        run = batch.rollout(start(batch), tau, SUBSTEPS, cost=cost)
        power = (tau * run.states[..., -12:]).sum(axis=2)
        expected = SUBSTEPS * 1e-3 * (0.5 * (run.states[..., 2] - 0.3) ** 2 + 0.05 * power**2)
        np.testing.assert_allclose(run.cost, expected.sum(axis=1), 1e-12)


@kernel
def root_of_height(q, v, tau, row, out):
    """Write the root of a number that is negative below 0.3 m."""
    out[0] = (q[2] - 0.3) ** 0.5


def test_runs_without_a_cost_that_is_a_number_and_runs_that_fail_cost_infinity():
    cost = footfall.Cost({"root": 1.0}, functions={"root": (root_of_height, 1)})
    with footfall.Batch(QUADRUPED, 3) as batch:
        x0 = np.tile(start(batch), (3, 1))
        x0[:, 2] += [0.1, -0.1, 0.1]
        tau = np.zeros((3, 4, batch.nu))
        tau[2, 1] = 1e16
        run = batch.rollout(x0, tau, cost=cost)
        assert list(np.isinf(run.cost)) == [False, True, True]
        assert list(batch.failures) == [2]


def test_the_gradient_of_a_run_is_that_of_differences():
    cost, rng = footfall.Cost(RUNNING, FINAL), np.random.default_rng(0)
    sim = footfall.load(QUADRUPED)
    with footfall.Batch(QUADRUPED, 2, overrides={"contact.tolerance": 1e-13}) as batch:
        x0, size = start(batch), 1e-5
        tau = rng.normal(0.0, 2.0, (T, batch.nu))
        sim.q[:], sim.v[:] = x0[: len(sim.q)], x0[len(sim.q) :]
        sim.observe_start()
        run = footfall.Rollout(sim, T * SUBSTEPS, np.repeat(tau, SUBSTEPS, axis=0))
        value, by_start, by_tau = cost.gradient(sim, run, tau, SUBSTEPS)

        def costs(x, *controls):
            return batch.rollout(x, np.array(controls), SUBSTEPS, cost=cost).cost

        assert value == pytest.approx(costs(x0, tau, tau)[0], rel=1e-11)
        for _ in range(4):
            way = rng.normal(0.0, 1.0, tau.shape)
            up, down = costs(x0, tau + size * way, tau - size * way)
            expected = (up - down) / (2.0 * size)
            assert (by_tau * way).sum() == pytest.approx(expected, rel=1e-6, abs=1e-8)
            way = rng.normal(0.0, 1.0, len(by_start))
            way[:18] = 0.0  # the feet touch the ground as before
            ends = footfall.integrate(sim, x0, size * np.outer([1.0, -1.0], way))
            up, down = costs(ends, tau, tau)
            expected = (up - down) / (2.0 * size)
            assert by_start @ way == pytest.approx(expected, rel=1e-5)


def test_the_gradient_of_a_body_without_motors_is_that_of_flight():
    """A cube that falls freely: its height at the end is p + v t - g t^2 / 2, by steps."""
    sim, steps = footfall.load("cube/drop"), 20
    cost = footfall.Cost(final={"cube.position": ([0.0, 0.0, 1.0], 0.0, "value")})
    sim.q[3:7], sim.v[:] = [0.0, 0.0, 0.0, 1.0], 0.0
    run = footfall.Rollout(sim, steps)
    value, by_start, by_tau = cost.gradient(sim, run, np.zeros((4, 0)), 5)
    assert value == run.q[-1, 2]
    assert by_tau.shape == (4, 0)
    assert by_start[[2, 8]] == pytest.approx([1.0, steps * sim.time_step], abs=1e-9)


def test_linear_leaves_a_run_as_it_is():
    cost = footfall.Cost(final={"quadruped.com": 1.0})
    one, other = footfall.load(QUADRUPED), footfall.load(QUADRUPED)
    for sim in (one, other):
        for _ in range(5):
            sim.step()
        com = sim.signals("quadruped").com.copy()
        if sim is one:
            states = np.tile(footfall.load(QUADRUPED).state["q"], (2, 1))
            cost.linear(sim, np.hstack([states, np.ones((2, sim.world.nv))]), np.zeros((2, 12)))
        np.testing.assert_array_equal(sim.signals("quadruped").com, com)
        for _ in range(5):
            sim.step()
    np.testing.assert_array_equal(one.q, other.q)


@each(
    ("given", "said"),
    [
        ({}, "cost: no terms"),
        ({"running": [1.0]}, "cost: running and final are tables of terms by their names"),
        ({"running": {"quadrupd.com": 1.0}}, "no quantity 'quadrupd.com', did you mean 'quadru"),
        ({"running": {"torque": np.nan}}, "torque: weight, target and norm must be numbers"),
        ({"running": {"torque": (1.0, np.inf)}}, "torque: weight, target and norm must be"),
        ({"running": {"torque": (1.0, 0.0, "cube")}}, "torque: give a weight, (weight, target)"),
        ({"running": {"torque": (1.0, 0.0, -1.0)}}, "torque: weight, target and norm must be"),
        ({"running": {"torque": ()}}, "torque: weight, target and norm must be"),
        ({"running": {"torque": [1.0, 2.0]}}, "torque has 12 entries, got the shape (2,)"),
        ({"running": {"quadruped.com": (1.0, np.zeros((5, 3)))}}, "targets of 5 controls, but"),
        ({"final": {"quadruped.orientation": (1.0, [1.0, 1.0, 0.0, 0.0])}}, "a unit quaternion"),
        ({"running": {"f": 1.0}, "functions": {"f": root_of_height}}, "f: give a kernel and the"),
        (
            {"running": {"f": 1.0}, "functions": {"f": (print, 1)}},
            "f is no footfall.api.kernels.kernel",
        ),
    ],
)
def test_what_does_not_fit_is_refused_in_a_line(given, said):
    def call(batch):
        cost = footfall.Cost(**given)
        batch.rollout(start(batch), np.zeros((1, 3, batch.nu)), cost=cost)

    with footfall.Batch(QUADRUPED, 1) as batch, pytest.raises(FootfallError) as error:
        call(batch)
    assert said in str(error.value)
    assert "\n" not in str(error.value)


def test_terms_without_a_derivative_are_refused_by_name():
    sim = footfall.load(QUADRUPED)
    x, tau = np.concatenate([sim.q, sim.v])[None], np.zeros((1, 12))
    with pytest.raises(SimulationError, match="contact_force is recorded and has no derivative"):
        footfall.Cost({"contact_force": 1.0}).linear(sim, x, tau)
    with pytest.raises(SimulationError, match="torques have shape"):
        footfall.Cost({"torque": 1.0}).linear(sim, x, tau[:, :3])
    by_control = footfall.Cost({"quadruped.position": (1.0, np.zeros((30, 3)))})
    with pytest.raises(SimulationError, match="targets of 30 controls, but there are 1"):
        by_control.linear(sim, x, tau)
    for wrong in ({"torque": (1.0, 0.0, 0.0)}, {"quadruped.orientation": (1.0, np.zeros(4))}):
        with pytest.raises(SimulationError, match="cost: "):
            footfall.Cost(wrong).linear(sim, x, tau)
    with (
        footfall.Batch(QUADRUPED, 1) as batch,
        pytest.raises(SimulationError, match="joint_torque"),
    ):
        batch.rollout(x[0], 5, cost=footfall.Cost({"torque": 1.0}))
