"""Many runs of one world: each has the bits that it would have alone."""

import numpy as np
import pytest
from tests.cases import each, first

import footfall
from footfall.errors import FootfallError, SimulationError
from footfall_batch.variation import scale_of
from footfall_stepper.world.step_arrays import RunSum

VARIED = {
    "world.terrain.friction": ("cube/sliding", (0.1, 0.3, 0.7)),
    "bodies.cube.friction": ("cube/sliding", (0.1, 0.3, 0.7)),
    "bodies.ball.restitution": ("ball/bounce", (0.1, 0.5, 0.9)),
    "world.gravity": ("icub/standing", ([0, 0, -9.81], [0, 1.0, -9.0], [0, 0, -1.6])),
    "contact.margin": ("cube/drop", (0.001, 0.01, 0.02)),
    "bodies.humanoid.controller.stiffness": ("humanoid/standing", (300.0, 500.0, 900.0)),
}

STEPS = 500


def alone(scene, q, steps, tau=None, overrides=None):
    sim = footfall.load(scene, overrides=overrides)
    sim.q[:] = q
    sim.observe_start()
    for k in range(steps):
        sim.step() if tau is None else sim.step(tau[k])
    return sim


def spread(batch, seed=0):
    """Return starts that differ in height and turn."""
    q = np.tile(batch.q[0], (batch.n, 1))
    q[:, 2] += np.random.default_rng(seed).uniform(0.0, 0.02, batch.n)
    return q


@pytest.mark.parametrize(
    "scene",
    first(
        "cube/drop",
        "humanoid/standing",
        "ball/bounce",
        "parallel_leg/hopping",
        "cube/stack",
        runs=3,
    ),
)
@pytest.mark.parametrize("threads", first(2, 1))
def test_runs_have_the_bits_of_runs_alone(scene, threads):
    few = {"contact.max_iterations": 20}
    with footfall.Batch(scene, 5, threads=threads, overrides=few) as batch:
        q = spread(batch)
        batch.reset(q=q)
        batch.step(substeps=70)
        batch.step(substeps=30)
        for i in range(5):
            sim = alone(scene, q[i], 100, overrides=few)
            np.testing.assert_array_equal(batch.q[i], sim.q)
            np.testing.assert_array_equal(batch.v[i], sim.v)
            np.testing.assert_array_equal(
                batch.signal("contact_force")[i], sim.signal("contact_force")
            )
        np.testing.assert_array_equal(batch.time, sim.time)


@pytest.mark.parametrize("key", first(*VARIED, runs=2))
def test_what_differs_by_run_acts_as_in_a_scene_of_its_own(key):
    scene, values = VARIED[key]
    with footfall.Batch(scene, 3) as batch:
        batch.set(key, values)
        batch.step(substeps=STEPS)
        for i, value in enumerate(values):
            sim = alone(scene, footfall.load(scene).q, STEPS, overrides={key: value})
            np.testing.assert_array_equal(batch.q[i], sim.q)
            np.testing.assert_array_equal(batch.v[i], sim.v)
        assert len({tuple(q) for q in batch.q}) == 3 or key == "contact.margin"


@pytest.mark.long
def test_friction_that_differs_between_bodies_that_find_each_other():
    """Coefficients of contacts that stay from step to step are those of the run at hand."""
    values = (0.1, 0.5, 0.02)
    with footfall.Batch("cube/stack", 3, threads=1) as batch:
        q = np.tile(batch.q[0], (3, 1))
        batch.v[:, -12:-9] = [1.0, 0.0, -2.0]  # the topmost cube; the ball is last
        batch.set("bodies.cube.friction", values)
        v = batch.v.copy()
        batch.reset(q=q, v=v)
        for _ in range(40):
            batch.step(substeps=5)
        for i, value in enumerate(values):
            sim = footfall.load("cube/stack", {"bodies.cube.friction": value})
            sim.v[:] = v[i]
            sim.observe_start()
            for _ in range(200):
                sim.step()
            np.testing.assert_array_equal(batch.q[i], sim.q)
        assert len({tuple(q) for q in batch.q}) == 3


def test_a_run_with_more_contacts_than_there_is_room_for_fails_alone():
    with footfall.Batch("cube/stack", 3, contacts=36) as batch:
        q = np.tile(batch.q[0], (3, 1))
        q[1, [2, 9]] += 0.05, 0.3  # a cube into others
        batch.reset(q=q)
        batch.v[2] = np.random.default_rng(0).normal(0.0, 2.0, batch.v.shape[1])
        batch.step(substeps=100)
        said = "40 contacts found, room for 36"
        assert [said in batch.failures.get(i, "") for i in range(3)] == [False, True, True]
        np.testing.assert_allclose(batch.time, [0.1, 0.0, 0.001])
        sim = alone("cube/stack", q[0], 100)
        np.testing.assert_array_equal(batch.q[0], sim.q)


def test_masses_that_differ_are_those_of_scenes_of_their_own_to_rounding():
    scales = np.linspace(0.7, 1.4, 300)  # more than worlds would be loaded for
    with footfall.Batch("humanoid/standing", 300) as batch:
        batch.set("bodies.humanoid.mass_scale", scales)
        batch.step(substeps=100)
        for i in (0, 150, 299):
            given = {"bodies.humanoid.mass_scale": scales[i]}
            sim = alone("humanoid/standing", footfall.load("humanoid/standing").q, 100, None, given)
            np.testing.assert_allclose(batch.q[i], sim.q, 0.0, 1e-10)
        sinks = batch.q[[0, 150, 299], 2]
        assert (np.diff(sinks) < -1e-6).all()  # gains are springs, which the heavier press down


def test_a_key_that_is_prepared_loads_nothing_any_more(monkeypatch):
    with footfall.Batch("humanoid/standing", 3) as batch:
        target = "bodies.humanoid.controller.target"
        batch.prepare(target, {"l_knee": [0.0, 0.5], "r_knee": [0.0, 0.5]})
        batch.step(substeps=5)
        sim = alone("humanoid/standing", footfall.load("humanoid/standing").q, 5)
        np.testing.assert_array_equal(batch.q[1], sim.q)  # runs keep what the scene has
        batch.reset()
        monkeypatch.delattr(footfall, "load")
        knees = {"l_knee": np.array([0.1, 0.2, 0.3]), "r_knee": np.array([0.3, 0.2, 0.1])}
        batch.set(target, knees)
        batch.set(target, {name: values + 0.1 for name, values in knees.items()}, np.arange(3) == 1)
        batch.step(substeps=200)
        monkeypatch.undo()
        for i, moved in enumerate((0.0, 0.1, 0.0)):
            own = {target: {name: values[i] + moved for name, values in knees.items()}}
            sim = alone("humanoid/standing", footfall.load("humanoid/standing").q, 200, None, own)
            np.testing.assert_array_equal(batch.q[i], sim.q)


@pytest.mark.long
def test_two_keys_at_once_and_one_of_them_again():
    with footfall.Batch("cube/sliding", 2) as batch:
        batch.set("bodies.cube.friction", [0.2, 0.4])
        batch.set("bodies.cube.restitution", [0.5, 0.9])
        batch.set("bodies.cube.friction", [0.6, 0.8])
        batch.step(substeps=50)
        for i, (mu, e) in enumerate([(0.6, 0.5), (0.8, 0.9)]):
            given = {"bodies.cube.friction": mu, "bodies.cube.restitution": e}
            sim = alone("cube/sliding", footfall.load("cube/sliding").q, 50, overrides=given)
            np.testing.assert_array_equal(batch.q[i], sim.q)


def test_a_rollout_is_a_run_with_torques_from_python():
    n, samples, substeps = 3, 12, 4
    with footfall.Batch("humanoid/standing", n, outputs="contact_force") as batch:
        rng = np.random.default_rng(1)
        controls = rng.normal(0.0, 5.0, (n, samples, batch.nu))
        x0 = np.hstack([spread(batch), batch.v])
        states, sensors = batch.rollout(x0, controls, substeps=substeps)
        assert states.shape == (n, samples, x0.shape[1])
        for i in range(n):
            sim = footfall.load("humanoid/standing")
            sim.q[:] = x0[i, : len(sim.q)]
            sim.observe_start()
            for t in range(samples):
                for _ in range(substeps):
                    sim.step(controls[i, t])
                np.testing.assert_array_equal(states[i, t], np.concatenate([sim.q, sim.v]))
                force = sim.signal("contact_force").reshape(-1)
                np.testing.assert_array_equal(sensors[i, t], force)
        batch.reset()
        batch.step(substeps=10)
        sim = alone("humanoid/standing", footfall.load("humanoid/standing").q, 10)
        np.testing.assert_array_equal(batch.q[0], sim.q)


def test_torques_act_through_the_drives_as_alone():
    """Also beyond what the motors can give; what a step alone refuses ends its run."""
    with footfall.Batch("quadruped/standing", 3, threads=1) as batch:
        tau = np.random.default_rng(2).normal(0.0, 50.0, (20, 3, batch.nu))
        tau[10, 1, 4] = 1e16
        for given in tau:
            batch.step(given)
        assert batch.failures == {1: "tau is not finite, or beyond 1e+15"}
        for i in (0, 2):
            sim = alone("quadruped/standing", footfall.load("quadruped/standing").q, 20, tau[:, i])
            np.testing.assert_array_equal(batch.q[i], sim.q)
            assert np.abs(sim.signal("tau")).max() < 50.0 < np.abs(tau[19, i]).max()


def test_a_run_that_fails_is_named_and_the_others_go_on():
    with footfall.Batch("cube/drop", 4, threads=2) as batch:
        v = batch.v.copy()
        v[2, 1] = 1e160
        batch.reset(v=v)
        batch.step(substeps=20)
        assert list(batch.failed) == [False, False, True, False]
        assert list(batch.failures) == [2]
        assert "not finite" in batch.failures[2]
        assert list(batch.time[[0, 1, 3]]) == [20 * 0.001] * 3
        batch.step(substeps=20)
        batch.reset(np.arange(4) == 2)
        batch.step(substeps=40)
        assert not batch.failed.any()
        sim = alone("cube/drop", footfall.load("cube/drop").q, 40)
        np.testing.assert_array_equal(batch.q[2], sim.q)


@each(
    ("call", "said"),
    [
        (lambda b: b.reset(q=np.full((2, 7), np.nan)), "q: not finite in run 0"),
        (lambda b: b.reset(q=np.zeros((3, 7))), "q has shape"),
        (lambda b: b.reset(q=np.zeros((2, 7))), "q[0, 3:7] is a quaternion x y z w of length 0,"),
        (lambda b: b.reset([True]), "mask: expected 2 times"),
        (lambda b: b.step(np.zeros((2, 5))), "controls has shape"),
        (lambda b: b.step(100), "controls has shape"),
        (lambda b: b.step(substeps=0), "substeps must be a whole number"),
        (lambda b: b.set("bodies.cube.frictoin", [0.1, 0.2]), "frictoin"),
        (lambda b: b.set("bodies.cube.friction", [0.1, -0.2]), "friction"),
        (lambda b: b.set("bodies.cube.friction", [0.1, np.inf]), "not finite in run 1"),
        (lambda b: b.set("simulation.duration", [1.0, 2.0]), "no step of this scene reads it"),
        (lambda b: b.set("bodies.cube.position", ["a", "b"]), "not an array of numbers"),
    ],
)
def test_what_does_not_fit_is_refused_in_a_line(call, said):
    with footfall.Batch("cube/sliding", 2) as batch:
        before = batch.q.copy()
        with pytest.raises(FootfallError) as error:
            call(batch)
        assert said in str(error.value)
        assert "\n" not in str(error.value)
        np.testing.assert_array_equal(batch.q, before)
        batch.step()


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"n": 0}, "n must be a whole number of 1 or more, got 0"),
        ({"n": 2.5}, "n must be"),
        ({"threads": 4096}, "threads: got 4096, allowed is at most"),
        ({"overrides": {"contact.plugin": "gauss"}}, 'contact law "gauss" of this scene is Python'),
        ({"overrides": {"engine.plugin": "pinocchio"}, "scene": "icub/standing"}, "the engine"),
        ({"scene": "humanoid/grasp"}, "collision detection of this scene is Python"),
        ({"scene": "cube/stack", "contacts": 10}, "contacts: 36 at the start, room for 10"),
        ({"contacts": 0}, "contacts must be a whole number of 1 or more"),
    ],
)
def test_a_batch_that_cannot_be_is_refused_in_a_line(given, said):
    scene, n = given.pop("scene", "cube/sliding"), given.pop("n", 2)
    with pytest.raises(SimulationError) as error:
        footfall.Batch(scene, n, **given)
    assert said in str(error.value)


def test_a_batch_that_has_been_closed_says_so():
    batch = footfall.Batch("cube/drop", 2)
    batch.close()
    with pytest.raises(SimulationError, match="has been closed"):
        batch.step()


def test_a_setting_whose_square_is_used_is_not_taken_for_rounding():
    tiny = np.array([1e-17, 3e-17])
    scale = scale_of([np.array([1e6, 1e-17]), np.full(100, 1e6)], np.array([0, 1]))
    assert scale.tolist() == [0.0, 1e6]
    assert (np.abs(np.diff(tiny)) > scale[0]).all()


def test_a_controller_in_python_is_asked_for_torques():
    with footfall.Batch("humanoid/balancing", 2) as batch:
        with pytest.raises(SimulationError, match="a controller of this scene is"):
            batch.step()
        batch.step(np.zeros((2, batch.nu)))


@each(
    ("scene", "overrides"),
    [
        ("humanoid/standing", {"bodies.humanoid.controller": {"rate": 100.0, "delay": 0.003}}),
        ("quadruped/pushed", {}),
        ("cube/shaken", {}),
        ("ball/stairs", {}),
        ("planar_box/drop", {"bodies.planar_box.base_position": [0.0, 0.0, 0.085]}),
        ("cube/drop", {"impact.plugin": "restitution"}),
        ("ball/bounce", {"impact": {"plugin": "restitution", "hypothesis": "poisson"}}),
        ("humanoid/drop", {"impact.plugin": "restitution"}),
        ("cube/drop", {"impact.plugin": "inelastic", "bodies.cube.restitution": 0.0}),
    ],
)
def test_rates_pushes_sensors_grounds_and_impact_models_have_the_bits_of_runs_alone(
    scene, overrides
):
    steps = {"quadruped/pushed": 1200, "ball/bounce": 1200, "cube/drop": 600}.get(scene, 400)
    with footfall.Batch(scene, 3, threads=2, overrides=overrides) as batch:
        q = spread(batch)
        batch.reset(q=q)
        batch.step(substeps=steps)
        sims = [alone(scene, q[i], steps, overrides=overrides) for i in range(3)]
        np.testing.assert_array_equal(batch.q, [sim.q for sim in sims])
        if sims[0].stepper.impact.acts:
            assert all(sim.stepper.monitor.run[RunSum.IMPACTS] > 0 for sim in sims)
        for name in (v.name for v in sims[0].layout.variables):
            expected = [np.ravel(sim.signal(name)) for sim in sims]
            np.testing.assert_array_equal(batch.signal(name).reshape(3, -1), expected)


def test_a_rollout_of_controllers_and_a_later_start_are_steps_of_the_scene():
    with footfall.Batch("rrbot/swing", 2) as batch:
        x0 = np.hstack([batch.q, batch.v])
        path = batch.rollout(x0, 3, substeps=5, time=[0.0, 0.25]).states
        assert batch.time == pytest.approx([0.015, 0.265])
        batch.reset()
        for k in range(3):
            batch.step(substeps=5)
            assert np.array_equal(np.hstack([batch.q, batch.v]), path[:, k])
        with pytest.raises(SimulationError, match="controls"):
            batch.rollout(x0, 0)


def test_derivatives_are_those_of_the_next_step_of_each_run_alone():
    key = "world.terrain.friction"
    with footfall.Batch("humanoid/standing", 5, threads=2) as batch:
        rng = np.random.default_rng(0)
        batch.reset(v=1e-3 * rng.normal(size=batch.v.shape))
        batch.step(substeps=30)
        batch.v[4] = 1e300  # ends
        before, tau = batch.states.copy(), rng.normal(size=(5, batch.nu))
        found = batch.derivatives(tau, parameters=[key])
        np.testing.assert_array_equal(batch.states, before)
        batch.step(tau)
        np.testing.assert_array_equal(found.q[:4], batch.q[:4])
        batch.set("bodies.humanoid.friction", np.linspace(0.4, 0.8, 5))
        with pytest.raises(SimulationError, match="numbers of this batch differ"):
            batch.derivatives(tau, parameters=[key])
    assert list(found.failures) == [4]
    assert np.isnan(found.state[4]).all()
    sim = footfall.load("humanoid/standing")
    for i in range(4):
        sim.state.assign(before[i, : len(sim.state.vector)])
        sim.step(tau[i])
        alone = sim.derivatives(parameters=[key])
        np.testing.assert_array_equal(found.state[i], alone.state)
        np.testing.assert_array_equal(found.control[i], alone.control)
        np.testing.assert_array_equal(found.parameters[i], alone.parameters)
        assert found.least_margin[i] == alone.least_margin


@pytest.mark.parametrize("speed", [1e60, 1e300])
def test_a_run_that_its_solver_cannot_continue_ends_alone(speed):
    """At 1e60 m/s the contact problem overflows, at 1e300 m/s the bias force before it."""
    with footfall.Batch("humanoid/standing", 3) as batch:
        batch.v[1] = speed
        batch.step(substeps=3)
        assert list(batch.failures) == [1]
        assert list(batch.derivatives().failures) == [1]
        assert np.isfinite(batch.v[[0, 2]]).all()


def test_derivatives_are_refused_where_settings_of_the_law_differ_by_run():
    with footfall.Batch("cube/sliding", 2) as batch:
        batch.set("world.gravity.2", [-9.81, -5.0])
        batch.derivatives()
        batch.set("contact.position_gain", [0.1, 0.2])
        with pytest.raises(SimulationError, match="position_gain differs by run"):
            batch.derivatives()


def test_derivatives_of_steps_that_impacts_split_keep_the_torques():
    rng, sim = np.random.default_rng(0), footfall.load("icub/drop")
    with footfall.Batch("icub/drop", 2) as batch:
        batch.step(np.zeros((2, batch.nu)), substeps=100)  # the feet strike in the next one
        tau = rng.normal(size=(2, batch.nu))
        sim.state.assign(batch.states[1, : len(sim.state.vector)])
        found = batch.derivatives(tau)
    rollout = footfall.Rollout(sim, 1, tau[1:])
    assert sim.signal("impact_splits") > 0
    assert not found.failures
    np.testing.assert_allclose(found.state[1], rollout.jacobians().state[0], rtol=1e-9, atol=1e-9)


def test_derivatives_of_a_whole_trajectory_are_those_of_its_steps():
    """Of cubes that strike the ground; one of them blows up in its third step."""
    with footfall.Batch("cube/drop", 3, threads=2) as batch:
        batch.step(substeps=300)
        before = batch.states.copy()
        whole, world = batch.derivatives(40), batch.derivatives(40, axes="world")
        np.testing.assert_array_equal(batch.states, before)
        for t in range(40):
            step = batch.derivatives()
            np.testing.assert_allclose(whole.state[:, t], step.state, rtol=1e-9, atol=1e-9)
            batch.step()
            assert np.array_equal(whole.q[:, t], batch.q)
    assert not whole.failures
    assert whole.control.shape == (3, 40, 12, 0)
    assert np.isfinite(world.state).all()
    with footfall.Batch("quadruped/standing", 2) as batch:
        tau = np.zeros((2, 5, batch.nu))
        tau[1, 2] = 1e300
        found = batch.derivatives(tau)
        assert list(found.failures) == [(1, 2), (1, 3), (1, 4)]
        assert list(map(len, (found.state, found.state[0]))) == [2, 5]
        for array in (found.q, found.v, found.state, found.control, found.least_margin):
            assert np.isnan(array[1, 2:]).all()
            assert np.isfinite(array[[0, 0, 1, 1], [0, 4, 0, 1]]).all()
        with pytest.raises(SimulationError, match="tau has shape"):
            batch.derivatives(np.zeros((2, 3, 1)))
        batch.v[:] = 1e300
        assert sorted(batch.derivatives().failures) == [0, 1]  # all runs fail, not the batch


def test_derivatives_that_no_run_has_are_refused():
    batch = footfall.Batch("ball/spinning", 2)
    with batch, pytest.raises(SimulationError, match="torsional and rolling friction have none"):
        batch.derivatives()
