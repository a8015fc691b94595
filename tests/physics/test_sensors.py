"""Sensors against closed forms, and what happens to their readings on the way."""

import math

import numpy as np
import pytest
from tests.cases import each

import footfall
from footfall import assemble
from footfall.scene.load import scene_from_dict

G = 9.81


def made(body, *sensors, time_step=1e-3, **scene):
    """Return a simulator of one body with sensors."""
    tables = {
        "simulation": {"duration": 1.0, "time_step": time_step, "seed": 7},
        "bodies": {"it": {**body, "sensors": list(sensors)}},
    }
    for key, value in scene.items():
        tables[key] = {**tables.get(key, {}), **value}
    return assemble(scene_from_dict(tables))


def reading(simulator, name, signal):
    """Return a recorded signal of the last step."""
    return simulator.signal(f"sensor_{name}_{signal}").copy()


ROD_IMU = {"plugin": "imu", "name": "imu", "frame": "rod"}
CUBE_IMU = {"plugin": "imu", "name": "imu", "frame": "cube"}
GROUND = {"terrain": {"friction": 0.5}}


def test_a_unit_at_rest_feels_gravity_upwards_and_one_in_free_fall_nothing():
    still = made({"robot": "pendulum"}, ROD_IMU)
    for _ in range(10):
        still.step()
    np.testing.assert_allclose(reading(still, "imu", "acceleration"), [0.0, 0.0, G], atol=1e-12)
    falling = made(
        {
            "robot": "cube",
            "base_position": [0.0, 0.0, 9.0],
            "base_angular_velocity": [0.0, 3.0, 0.0],
        },
        CUBE_IMU,
        world=GROUND,
    )
    for _ in range(10):
        falling.step()
    np.testing.assert_allclose(reading(falling, "imu", "acceleration"), np.zeros(3), atol=1e-9)
    np.testing.assert_allclose(
        reading(falling, "imu", "angular_velocity"), [0.0, 3.0, 0.0], atol=1e-9
    )


def test_a_swinging_rod_feels_what_turns_it():
    """At the hinge the unit's axes are the rod's: the origin of the link does not move."""
    simulator = made(
        {
            "robot": "pendulum",
            "joint_positions": {"hinge": 1.0},
            "joint_velocities": {"hinge": 2.0},
        },
        ROD_IMU,
    )
    for _ in range(200):
        angle, rate = float(simulator.q[0]), float(simulator.v[0])
        simulator.step()
        np.testing.assert_allclose(
            reading(simulator, "imu", "angular_velocity"), [0.0, rate, 0.0], atol=1e-12
        )
        expected = [-G * math.sin(angle), 0.0, G * math.cos(angle)]
        np.testing.assert_allclose(reading(simulator, "imu", "acceleration"), expected, atol=1e-9)
        half = [0.0, math.sin(angle / 2.0), 0.0, math.cos(angle / 2.0)]
        np.testing.assert_allclose(reading(simulator, "imu", "orientation"), half, atol=1e-12)


def test_away_from_the_axis_a_unit_feels_the_centripetal_acceleration():
    """The second link of two: its origin is 1 link away from the first hinge."""
    body = {
        "robot": "rrbot",
        "joint_velocities": {"joint1": 3.0},
        "joint_positions": {"joint1": 0.7, "joint2": -0.4},
    }
    simulator = made(body, {"plugin": "imu", "name": "imu", "frame": "link2"}, time_step=1e-5)
    world, h = simulator.world, 1e-5
    link = list(world.bodies[0].model.link_names).index("link2")

    def origin():
        simulator.stepper.observe(0.0)
        return world.dynamics.pose[link, 9:12].copy()

    before = origin()
    simulator.step()
    now, R = origin(), world.dynamics.pose[link, :9].reshape(3, 3).T.copy()
    simulator.step()
    felt = R @ reading(simulator, "imu", "acceleration")
    after = origin()
    second = (after - 2.0 * now + before) / h**2 + np.array([0.0, 0.0, G])
    assert np.linalg.norm(second - [0.0, 0.0, G]) > 5.0
    # The difference of positions is semi-implicit Euler's, first order in the step of 1e-5 s.
    np.testing.assert_allclose(felt, second, atol=2e-2)


def test_feet_feel_the_weight_and_where_it_is():
    pytest.importorskip("icub_models")
    sensors = [
        {"plugin": plugin, "name": f"{plugin}_{foot}", "foot": f"{foot}_sole"}
        for plugin in ("force_torque", "contact_switch", "center_of_pressure")
        for foot in ("l", "r")
    ]
    simulator = footfall.load("icub/standing", {"bodies.icub.sensors": sensors})
    simulator.record(2.0)
    force = sum(reading(simulator, f"force_torque_{foot}", "force") for foot in "lr")
    assert force[2] == pytest.approx(simulator.world.mass * G, rel=1e-3)
    for foot in "lr":
        assert reading(simulator, f"contact_switch_{foot}", "pressed")[0] == 1.0
        x, y = reading(simulator, f"center_of_pressure_{foot}", "position")
        assert -0.06 <= x <= 0.11
        assert -0.04 <= y <= 0.04
    points = simulator.world.candidates
    forces, places = points.force[:4, 2], points.position[:4]
    centre = forces @ places / forces.sum()
    pose = points.foot_pose[0]
    local = pose[:9].reshape(3, 3) @ (centre - pose[9:])
    np.testing.assert_allclose(
        reading(simulator, "center_of_pressure_l", "position"), local[:2], atol=1e-3
    )


def test_encoders_and_torque_sensors_pass_on_what_acts():
    sensors = [
        {"plugin": "encoder", "name": "encoder", "joints": ["joint2"]},
        {"plugin": "joint_torque", "name": "torque"},
    ]
    simulator = made({"robot": "rrbot", "joint_positions": {"joint2": 0.3}}, *sensors)
    simulator.step(tau=np.array([1.5, -0.5]))
    assert reading(simulator, "encoder", "position")[0] == 0.3
    np.testing.assert_array_equal(reading(simulator, "torque", "torque"), [1.5, -0.5])


def test_the_base_is_where_the_recording_says():
    simulator = made(
        {"robot": "cube", "base_linear_velocity": [1.0, 0.0, 0.0]},
        {"plugin": "base_state", "name": "base"},
        world=GROUND,
    )
    for _ in range(20):
        simulator.step()
    position = simulator.signal("base_position")[0]
    np.testing.assert_array_equal(reading(simulator, "base", "position"), position)
    both = np.concatenate(
        [
            reading(simulator, "base", "linear_velocity"),
            reading(simulator, "base", "angular_velocity"),
        ]
    )
    np.testing.assert_array_equal(both, simulator.signal("base_velocity")[0])


ENCODER = {"plugin": "encoder", "name": "encoder"}


def swing(*sensors, steps=400, **body):
    """Return true positions of a swinging rod and what its encoder says after each step."""
    simulator = made({"robot": "pendulum", "joint_positions": {"hinge": 1.0}, **body}, *sensors)
    true, said = [], []
    for _ in range(steps):
        true.append(float(simulator.q[0]))
        simulator.step()
        said.append(float(reading(simulator, "encoder", "position")[0]))
    return np.array(true), np.array(said)


def test_a_reading_is_of_the_last_sample_that_is_old_enough():
    true, said = swing({**ENCODER, "rate": 250.0, "delay": 0.006})
    for tick in range(10, 400):
        newest = (tick - 6) // 4 * 4
        assert said[tick] == true[max(newest, 0)]
    assert (said[:6] == true[0]).all()


def test_bias_and_quantisation_are_what_they_are_declared_to_be():
    true, said = swing({**ENCODER, "bias": {"position": 0.05}, "quantization": {"position": 0.01}})
    np.testing.assert_allclose(said, 0.01 * np.floor((true + 0.05) / 0.01 + 0.5), atol=1e-15)


def test_noise_is_white_and_as_strong_as_declared():
    true, said = swing({**ENCODER, "noise": {"position": 0.1}}, steps=4000)
    noise = (said - true) / 0.1
    n = len(noise)
    # Four standard deviations of each estimate, for a fixed seed.
    assert abs(noise.mean()) < 4.0 / math.sqrt(n)
    assert abs(noise.var() - 1.0) < 4.0 * math.sqrt(2.0 / n)
    assert abs((noise[1:] * noise[:-1]).mean()) < 4.0 / math.sqrt(n)
    assert abs((noise**4).mean() - 3.0) < 4.0 * math.sqrt(96.0 / n)


def test_noise_turns_an_orientation_by_small_angles():
    simulator = made({"robot": "pendulum"}, {**ROD_IMU, "noise": {"orientation": 0.01}})
    turns = []
    for _ in range(2000):
        simulator.step()
        q = reading(simulator, "imu", "orientation")
        assert np.linalg.norm(q) == pytest.approx(1.0, abs=1e-12)
        turns.append(2.0 * q[:3])
    np.testing.assert_allclose(np.std(turns, axis=0), 0.01, rtol=0.08)


def test_the_same_seed_gives_the_same_noise_and_another_seed_another(tmp_path):
    noisy = {**ENCODER, "noise": {"position": 0.1}, "delay": 0.003, "rate": 500.0}
    _, first = swing(noisy)
    _, again = swing(noisy)
    assert first.tobytes() == again.tobytes()

    def make():
        return made({"robot": "pendulum", "joint_positions": {"hinge": 1.0}}, noisy)

    half, rest, other = make(), make(), make()
    for _ in range(201):
        half.step()
    half.save(tmp_path / "half.state")
    rest.resume(tmp_path / "half.state")
    said = []
    for _ in range(201, 400):
        rest.step()
        said.append(float(reading(rest, "encoder", "position")[0]))
    assert np.array(said).tobytes() == first[201:].tobytes()
    other.seed_sensors(8)
    for _ in range(10):
        other.step()
    assert reading(other, "encoder", "position")[0] != first[9]


def test_a_controller_sees_readings_one_step_old(tmp_path, monkeypatch):
    (tmp_path / "watcher.py").write_text(
        "from footfall_standard.controller import Zero\n"
        "seen = []\n"
        "class Watcher(Zero):\n"
        "    name = 'watcher'\n"
        "    def command(self, observation, command):\n"
        "        encoder = observation.sensors['encoder']\n"
        "        seen.append((float(observation.q[0]), float(encoder.position[0])))\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    import watcher

    from footfall.registry.discover import discover

    registry = discover()
    registry.controller.add("watcher", lambda: watcher.Watcher, summary="watches")
    body = {
        "robot": "pendulum",
        "joint_positions": {"hinge": 1.0},
        "controller": {"plugin": "watcher"},
        "sensors": [ENCODER],
    }
    scene = {"simulation": {"duration": 1.0}, "bodies": {"it": body}}
    simulator = assemble(scene_from_dict(scene, registry), registry)
    for _ in range(20):
        simulator.step()
    q = [true for true, _ in watcher.seen]
    said = [reading for _, reading in watcher.seen]
    assert said == [q[0], *q[:-1]]


@each(
    ("sensor", "says"),
    [
        ({"plugin": "imu", "name": "imu", "frame": "rodd"}, "rod"),
        ({**ENCODER, "joints": ["hing"]}, "hinge"),
        ({"plugin": "force_torque", "name": "f", "foot": "sole"}, "no foot"),
        ({**ENCODER, "noise": {"positon": 0.1}}, "position"),
        ({**ENCODER, "noise": {"position": -0.1}}, "noise"),
        ({**ENCODER, "bias": {"position": [0.1, 0.2]}}, "1 or 1 numbers"),
        ({**ENCODER, "rate": 300.0}, "not a multiple of"),
        ({**ENCODER, "rate": 4000.0}, "not a multiple of"),
        ({**ENCODER, "delay": 0.0005}, "not a multiple of"),
        ({**ENCODER, "frame": "rod"}, "frame"),
        ({**ENCODER, "name": "a b"}, "name"),
        ({**ENCODER, "plugin": "encodr"}, "encoder"),
        ({**ROD_IMU, "quantization": {"orientation": 0.1}}, "no effect"),
    ],
)
def test_what_cannot_be_measured_is_refused_in_one_line(sensor, says):
    with pytest.raises(footfall.errors.FootfallError, match=says) as raised:
        made({"robot": "pendulum"}, sensor)
    assert "\n" not in str(raised.value)


def test_a_name_is_taken_once():
    with pytest.raises(footfall.errors.FootfallError, match="already"):
        made({"robot": "pendulum"}, ENCODER, ENCODER)
