"""Contact forces by names: their law, their sign, the same numbers in sensors and batches."""

import numpy as np
import pytest

import footfall
from footfall.errors import FootfallError, SimulationError

G, MU, PUSH = 9.81, 0.5, 1.0
FLOOR = {"world": {"terrain": {"friction": MU}}}


def box(x, z, **more):
    shape = {"type": "box", "size": [0.2, 0.2, 0.1]}
    return {"shape": shape, "base_position": [x, 0.0, z], "friction": MU, **more}


def assembled(bodies, ground="points"):
    tables = {**FLOOR, "collisions": {"ground": ground}, "bodies": bodies}
    return footfall.assemble(footfall.scene_from_dict(tables))


@pytest.mark.parametrize("ground", ["points", "shapes"])
def test_forces_at_rest_are_weights_and_the_push(ground):
    """b on a on the ground; c on a fixed table t, pushed along x below its limit of friction."""
    sim = assembled(
        {
            "a": box(0.0, 0.05, mass=3.0),
            "b": box(0.0, 0.15, mass=1.0),
            "t": box(1.0, 0.05, fixed=True),
            "c": box(1.0, 0.15, mass=1.0),
        },
        ground,
    )
    assert not np.any(sim.contact_force("a"))
    for _ in range(50):
        sim.push("c/object", force=[PUSH, 0.0, 0.0])
        sim.step()
    weights = {
        ("b", "a"): G,
        ("a", "b"): -G,
        ("a",): 3.0 * G,
        ("a", "terrain"): 4.0 * G,
        ("terrain", "a/object"): -4.0 * G,
        ("terrain",): -4.0 * G,
        ("c", "terrain"): 0.0,
        ("c", "t"): G,
    }
    for names, weight in weights.items():
        force = sim.contact_force(*names)
        np.testing.assert_allclose(force.normal, [0.0, 0.0, weight], atol=1e-6, err_msg=names)
        tangential = [-PUSH * (names == ("c", "t")), 0.0, 0.0]
        np.testing.assert_allclose(force.friction, tangential, atol=1e-6, err_msg=names)
        np.testing.assert_allclose(force.total, force.normal + force.friction, atol=1e-12)


def test_forces_through_impacts_are_the_change_of_momentum():
    """m (v+ - v) / dt - m g, in steps that impacts split; by pair they add up to it."""
    names, rng = [f"b{k}" for k in range(4)], np.random.default_rng(3)
    speed = [float(x) * (-1) ** k for k, x in enumerate(rng.uniform(1.0, 3.0, 4))]
    ball = {"shape": {"type": "sphere", "radius": 0.1}, "mass": 2.0, "friction": 0.3}
    bodies = {
        name: {
            **ball,
            "restitution": 0.7,
            "base_position": [0.3 * k, 0.0, 0.3],
            "base_linear_velocity": [speed[k], 0.1 * k, 0.0],
        }
        for k, name in enumerate(names)
    }
    sim, splits = assembled(bodies, "shapes"), 0
    for _ in range(400):
        before = sim.signal("base_velocity")[:, :3].copy()
        sim.step()
        splits += int(sim.signal("impact_splits"))
        found = {name: sim.contact_force(name).total for name in names}
        sim.look()
        change = (sim.signal("base_velocity")[:, :3] - before) / sim.time_step
        for k, name in enumerate(names):
            np.testing.assert_allclose(found[name], 2.0 * (change[k] + [0, 0, G]), atol=1e-6)
    assert splits > 3


SENSOR = {"plugin": "contact_force", "name": "sole", "link": "l_foot", "other": "terrain"}


def test_a_sensor_and_a_batch_have_the_same_force():
    """Also as the sum of the recorded forces of the foot's points."""
    with_it = {"bodies.humanoid.sensors": [SENSOR]}
    sim = footfall.load("humanoid/standing", with_it)
    batch = footfall.Batch("humanoid/standing", 2, overrides=with_it)
    batch.step(substeps=20)
    for _ in range(20):
        sim.step()
    points = [k for k, name in enumerate(sim.labels.contact) if "l_sole" in name]
    total, normal, friction = sim.contact_force("l_foot", "terrain")
    np.testing.assert_allclose(total, sim.signal("contact_force")[points].sum(axis=0), atol=1e-9)
    assert total[2] > 100.0
    np.testing.assert_array_equal(sim.contact_force("humanoid/l_sole").total, total)
    for name, value in (("total", total), ("normal", normal), ("friction", friction)):
        np.testing.assert_array_equal(sim.signal(f"sensor_sole_{name}"), value)
        np.testing.assert_array_equal(batch.signal(f"sensor_sole_{name}"), [value, value])
    torque = batch.signal("joint_torque")
    np.testing.assert_array_equal(torque, [sim.signal("joint_torque")] * 2)
    batch.close()


def test_the_state_of_another_moment_has_no_force_and_continuous_time_has():
    laws = {"contact.plugin": "compliant", "integrator.plugin": "dormand_prince"}
    low = {"bodies.ball.base_position": [0.0, 0.0, 0.0999], "world.terrain.restitution": 0.0}
    sim = footfall.load("ball/bounce", {**low, **laws})
    start = sim.state.copy()
    for _ in range(3):
        sim.step()
    pressed = sim.signal("contact_force").sum(axis=0)
    assert pressed[2] > 0.0
    np.testing.assert_array_equal(sim.contact_force("ball", "terrain").total, pressed)
    sim.state.restore(start)
    sim.look()
    assert not np.any(sim.contact_force("ball"))


def test_names_that_mean_nothing_or_several_things_are_refused():
    bodies = {"a": box(0.0, 0.05), "b": box(0.0, 0.15, sensors=[{**SENSOR, "link": "object"}])}
    sim = assembled(bodies)
    wrong = {
        ("a", "x"): "'x': no such body or link$",
        ("object",): "'object': several bodies have one: give 'a/object' or 'b/object'",
        ("a", "a/object"): "'a' and 'a/object' have a part in common",
        ("b/objekt",): "no such body or link, did you mean 'b/object'",
        ("",): "no such body or link",
    }
    for names, told in wrong.items():
        with pytest.raises(SimulationError, match=told):
            sim.contact_force(*names)
    for link, told in (("object", "give 'a/object' or 'b/object'"), ("a", "e.g. 'a/object'")):
        for act in (sim.push, sim.grab):
            with pytest.raises(SimulationError, match=told):
                act(link)
    bodies["b"]["sensors"][0]["other"] = "c"
    with pytest.raises(FootfallError, match="sensor contact_force of b: 'c': no such body"):
        assembled(bodies)


def test_a_signal_is_there_for_each_variable_of_a_recording():
    """With shape and value of the last step; tables give the rows of the step."""
    bodies = {"a": box(0.0, 0.05), "b": box(0.0, 0.15)}
    sims = [(assembled(bodies), assembled(bodies)), [footfall.load("rrbot/swing") for _ in "12"]]
    for recorded, stepped in sims:
        run = recorded.run(0.01)
        for _ in range(len(run.time)):
            stepped.step()
        assert set(stepped.variables) == set(run.data_vars) | {"time"}
        for name in run.data_vars:
            table = name.startswith("collisions")
            rows = footfall.table_rows(run, "collisions", -1) if table else run.isel(time=-1)
            value, shape = stepped.signal(name), stepped.variables[name].shape
            assert value.shape == ((len(value), *shape) if value.ndim > len(shape) else shape)
            if name != "collisions_start":
                np.testing.assert_array_equal(value, rows[name].values, err_msg=name)
    with pytest.raises(footfall.RecordingError, match="did you mean 'joint_torque'"):
        stepped.signal("joint_torq")
