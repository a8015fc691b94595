"""Contact forces by names: their law, their sign, the same numbers in sensors and batches."""

import numpy as np
import pytest

import footfall
from footfall.errors import FootfallError

G, MU, PUSH = 9.81, 0.5, 1.0
SENSOR = {"plugin": "contact_force", "name": "sole", "link": "l_foot", "other": "terrain"}


def box(x, z, **more):
    shape = {"type": "box", "size": [0.2, 0.2, 0.1]}
    return {"shape": shape, "base_position": [x, 0.0, z], "friction": MU, **more}


def assembled(bodies, ground="points"):
    tables = {"world": {"terrain": {"friction": MU}}, "collisions": {"ground": ground}}
    return footfall.assemble(footfall.scene_from_dict({**tables, "bodies": bodies}))


@pytest.mark.parametrize("ground", ["points", "shapes"])
def test_forces_at_rest_are_weights_and_the_push(ground):
    """b on a on the ground; c on a fixed table t, pushed along x below its limit of friction."""
    moving = {"a": (0.0, 0.05, 3.0), "b": (0.0, 0.15, 1.0), "c": (1.0, 0.15, 1.0)}
    bodies = {name: box(x, z, mass=mass) for name, (x, z, mass) in moving.items()}
    sim = assembled({**bodies, "t": box(1.0, 0.05, fixed=True)}, ground)
    assert not np.any(sim.contact_force("a"))
    for _ in range(50):
        sim.push("c/object", force=[PUSH, 0.0, 0.0])
        sim.step()
    weights = {("b", "a"): G, ("a", "b"): -G, ("a",): 3.0 * G, ("a", "terrain"): 4.0 * G}
    weights |= {("terrain", "a/object"): -4.0 * G, ("c", "terrain"): 0.0, ("c", "t"): G}
    for names, weight in weights.items():
        total, normal, friction = sim.contact_force(*names)
        tangential = [-PUSH * (names == ("c", "t")), 0.0, 0.0]
        np.testing.assert_allclose(normal, [0.0, 0.0, weight], atol=1e-6, err_msg=names)
        np.testing.assert_allclose(friction, tangential, atol=1e-6, err_msg=names)
        np.testing.assert_allclose(total, normal + friction, atol=1e-12)


def test_forces_through_impacts_are_the_change_of_momentum():
    """m (v+ - v) / dt - m g, in steps that impacts split."""
    ball = {"shape": {"type": "sphere", "radius": 0.1}, "mass": 2.0, "friction": 0.3}
    bodies = {}
    for k, speed in enumerate([2.3, -1.7, 1.1, -2.9]):
        start = {"base_position": [0.3 * k, 0.0, 0.3], "base_linear_velocity": [speed, 0.1 * k, 0]}
        bodies[f"b{k}"] = {**ball, **start, "restitution": 0.7}
    sim, splits, gravity = assembled(bodies, "shapes"), 0, np.array([0.0, 0.0, -G])
    for _ in range(400):
        before = sim.signal("base_velocity")[:, :3].copy()
        sim.step()
        splits += int(sim.signal("impact_splits"))
        found = np.array([sim.contact_force(name).total for name in bodies])
        sim.look()
        change = (sim.signal("base_velocity")[:, :3] - before) / sim.time_step
        np.testing.assert_allclose(found, 2.0 * (change - gravity), atol=1e-6)
    assert splits > 3


def test_a_sensor_and_a_batch_have_the_same_force():
    """Also as the sum of the recorded forces of the foot's points."""
    with_it = {"bodies.humanoid.sensors": [SENSOR]}
    sim = footfall.load("humanoid/standing", with_it)
    with footfall.Batch("humanoid/standing", 2, overrides=with_it) as batch:
        assert not batch.contact_force("l_foot", "terrain").total.any()
        batch.step(substeps=20)
        for _ in range(20):
            sim.step()
        points = [k for k, name in enumerate(sim.labels.contact) if "l_sole" in name]
        force = sim.contact_force("l_foot", "terrain")
        np.testing.assert_allclose(force.total, sim.signal("contact_force")[points].sum(axis=0))
        assert force.total[2] > 100.0
        np.testing.assert_array_equal(sim.contact_force("humanoid/l_sole").total, force.total)
        for name, value in force._asdict().items():
            np.testing.assert_array_equal(sim.signal(f"sensor_sole_{name}"), value)
            np.testing.assert_array_equal(batch.signal(f"sensor_sole_{name}"), [value, value])
            of_batch = getattr(batch.contact_force("l_foot", "terrain"), name)
            np.testing.assert_array_equal(of_batch, [value, value])
        with pytest.raises(footfall.SimulationError, match="ask for 'r_foot' and None once before"):
            batch.contact_force("r_foot")
        torques = [sim.signal("joint_torque")] * 2
        np.testing.assert_array_equal(batch.signal("joint_torque"), torques)
        batch.reset(np.array([True, False]))
        pressed = batch.contact_force("l_foot", "terrain").total[:, 2] > 100.0
        assert pressed.tolist() == [False, True]
        batch.reset()
        with pytest.raises(footfall.SimulationError, match=r"^contact_force: .*'r_fot'"):
            batch.contact_force("r_fot")


def test_the_state_of_another_moment_has_no_force_and_continuous_time_has():
    laws = {"contact.plugin": "compliant", "integrator.plugin": "dormand_prince"}
    low = {"bodies.ball.base_position": [0.0, 0.0, 0.0999], "world.terrain.restitution": 0.0}
    sim = footfall.load("ball/bounce", {**low, **laws})
    start = sim.state.copy()
    sim.step()
    pressed = sim.signal("contact_force").sum(axis=0)
    assert pressed[2] > 0.0
    np.testing.assert_array_equal(sim.contact_force("ball", "terrain").total, pressed)
    sim.state.restore(start)
    sim.look()
    assert not np.any(sim.contact_force("ball"))


@pytest.mark.parametrize("ground", ["points", "shapes"])
def test_a_run_leaves_the_forces_of_its_last_step(ground):
    sim = assembled({"a": box(0.0, 0.05, mass=3.0)}, ground)
    sim.run(0.05)
    np.testing.assert_allclose(sim.contact_force("a").total, [0.0, 0.0, 3.0 * G], atol=1e-6)


def test_names_that_mean_nothing_or_several_things_are_refused():
    bodies = {"a": box(0.0, 0.05), "b": box(0.0, 0.15, sensors=[{**SENSOR, "link": "object"}])}
    sim, both = assembled(bodies), "several bodies have one: give 'a/object' or 'b/object'"
    wrong = [
        (sim.contact_force, ("a", "x"), "'x': no such body or link$"),
        (sim.contact_force, ("object",), f"'object': {both}"),
        (sim.contact_force, ("a", "a/object"), "'a' and 'a/object' have a part in common"),
        (sim.contact_force, ("b/objekt",), "no such body or link, did you mean 'b/object'"),
        *((act, ("object",), both) for act in (sim.push, sim.grab)),
        *(
            (act, ("a",), "is a body: give its link, e.g. 'a/object'")
            for act in (sim.push, sim.grab)
        ),
    ]
    for act, names, told in wrong:
        with pytest.raises(FootfallError, match=told):
            act(*names)
    bodies["b"]["sensors"][0]["other"] = "c"
    with pytest.raises(FootfallError, match="sensor contact_force of b: 'c': no such body"):
        assembled(bodies)


def test_a_signal_is_there_for_each_variable_of_a_recording():
    """With shape and value of the last step; tables give the rows of the step."""
    bodies = {"a": box(0.0, 0.05), "b": box(0.0, 0.15)}
    for make in (lambda: assembled(bodies), lambda: footfall.load("rrbot/swing")):
        run, sim = make().run(0.01), make()
        for _ in run.time:
            sim.step()
        assert set(sim.variables) == set(run.data_vars) | {"time"}
        for name in set(run.data_vars) - {"collisions_start"}:
            table = name.startswith("collisions")
            rows = footfall.table_rows(run, "collisions", -1) if table else run.isel(time=-1)
            shape = rows[name].shape[table:]
            np.testing.assert_array_equal(sim.signal(name), rows[name].values, err_msg=name)
            assert sim.variables[name].shape == shape
    with pytest.raises(footfall.RecordingError, match="did you mean 'joint_torque'"):
        sim.signal("joint_torq")
