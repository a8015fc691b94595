"""Signals in recordings: of the instant of their row, at the request of the scene."""

import numpy as np
import pytest
from tests.cases import first

import footfall
from footfall.errors import SceneError
from footfall_pinocchio.engine import PinocchioTree
from footfall_stepper.devices.recorded_signals import OF_BODY, OF_FRAME, OF_STEP

KEY = "recorder.signals"
STATE = [name for name in OF_BODY if name not in OF_STEP]
TWO = {
    "simulation": {"duration": 0.1},
    "world": {"terrain": {"friction": 0.5}},
    "bodies": {
        "arm": {"robot": "pendulum"},
        "box": {"robot": "cube", "base_position": [0.0, 0.0, 0.3]},
    },
}
CASES = {
    "landing": ("humanoid/drop", 0.14, {}),
    "impact model": ("humanoid/drop", 0.13, {"contact.plugin": "gauss"}),
    "split steps": ("humanoid/drop", 0.2, {"bodies.humanoid.restitution": 0.5}),
    "loops": ("fourbar/swinging", 0.2, {}),
    "continuous time": (
        "humanoid/drop",
        0.105,
        {"contact.plugin": "compliant", "integrator.plugin": "dormand_prince"},
    ),
    "body without joints": ("cube/drop", 0.4, {}),
}


@pytest.mark.parametrize("name", first(*CASES, runs=2))
def test_a_row_holds_the_signals_of_its_own_state(name):
    scene, duration, overrides = CASES[name]
    robot = scene.split("/")[0]
    jointless = name == "body without joints"
    wanted = [s for s in STATE if not (jointless and s == "joint_positions")]
    sim = footfall.load(scene, overrides={**overrides, KEY: wanted})
    link = sim.signals(robot).link_names[-1]
    frames = [f"frame.{link}.{field}" for field in OF_FRAME]
    run = footfall.load(scene, overrides={**overrides, KEY: [*wanted, *frames]}).run(duration)
    for k in (0, 1, len(run.time) // 2, len(run.time) - 1):
        sim.q[:], sim.v[:] = run.q.values[k], run.v.values[k]
        now = sim.signals(robot)
        for signal in wanted:
            recorded = run[f"signal_{signal}"].values[k]
            np.testing.assert_array_equal(recorded, getattr(now, signal), signal)
        for field in OF_FRAME:
            recorded = run[f"signal_frame_{link}_{field}"].values[k]
            np.testing.assert_array_equal(recorded, getattr(now.frame(link), field), field)


def test_forces_and_accelerations_are_of_the_step_of_the_row():
    signals = ["nudot", "contact_wrenches", "contact_flags", "nu"]
    run = footfall.load("humanoid/drop", overrides={KEY: signals}).run(0.2)
    nu, dt = run.signal_nu.values, run.attrs["time_step"]
    # A difference of velocities of order one over a step: rounding is 1e-16 / dt.
    np.testing.assert_allclose(run.signal_nudot.values[:-1], np.diff(nu, axis=0) / dt, atol=1e-9)
    np.testing.assert_array_equal(run.signal_contact_wrenches, run.foot_wrench)
    np.testing.assert_array_equal(run.signal_contact_flags.values.astype(bool), run.in_contact)


def test_recording_them_changes_no_bit_and_asks_no_engine_twice(monkeypatch):
    count, plain = [0], PinocchioTree.evaluate

    def counting(self, q, v):
        count[0] += 1
        plain(self, q, v)

    monkeypatch.setattr(PinocchioTree, "evaluate", counting)
    ends, counts = [], []
    for signals in ([], ["mass_matrix", "foot_jacobian", "nudot"]):
        sim = footfall.load("humanoid/drop", overrides={KEY: signals})
        count[0] = 0
        sim.record(0.15)
        ends.append(sim.state.vector.tobytes())
        counts.append(count[0])
    assert ends[0] == ends[1]
    assert counts[0] == counts[1]


def test_dimensions_and_units_are_named():
    signals = ["mass_matrix", "foot_jacobian", "frame.torso_1.velocity", "centroidal_momentum"]
    run = footfall.load("humanoid/standing", overrides={KEY: signals}).run(0.01)
    nu = ["vx", "vy", "vz", "wx", "wy", "wz", *run.joint.values]
    assert run.signal_mass_matrix.dims == ("time", "nu", "nu_column")
    assert list(run.nu.values) == nu == list(run.nu_column.values)
    assert run.signal_foot_jacobian.dims == ("time", "foot", "twist", "nu")
    assert run.signal_frame_torso_1_velocity.attrs["units"] == "m/s or rad/s"
    momentum = run.signal_centroidal_momentum.sel(momentum="pz")
    assert momentum.shape == (10,)
    first = run.signal_foot_jacobian.sel(foot="humanoid/l_sole", twist="vz", nu="vz")
    np.testing.assert_array_equal(first, 1.0)


def test_of_several_bodies_each_has_its_own_dimensions():
    wanted = ["arm/mass_matrix", "box/mass_matrix", "arm/joint_positions", "box/nu"]
    run = _two(wanted).run(0.05)
    assert run.signal_arm_mass_matrix.shape == (50, 1, 1)
    assert run.signal_box_mass_matrix.shape == (50, 6, 6)
    assert run.signal_box_nu.dims == ("time", "box_nu")
    np.testing.assert_array_equal(
        run.signal_arm_joint_positions.values[:, 0], run.joint_position.values[:, 0]
    )


def _two(signals):
    from footfall import assemble
    from footfall.scene.load import scene_from_dict

    return assemble(scene_from_dict({**TWO, "recorder": {"signals": signals}}))


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("mass_matrx", "did you mean 'mass_matrix'"),
        ("foot_jacobi", "did you mean 'foot_jacobian'"),
        ("frame.torso_1", "must be frame.NAME.FIELD"),
        ("frame.torso_1.jacobien", "did you mean 'jacobian'"),
        ("frame.torso_9.jacobian", "no frame 'torso_9', did you mean"),
        ("humanoids/nu", "did you mean 'humanoid'"),
        ("", "signals"),
    ],
)
def test_a_name_that_is_none_is_refused_with_the_nearest(name, message):
    with pytest.raises(SceneError, match=message) as error:
        footfall.load("humanoid/standing", overrides={KEY: ["nu", name]})
    assert "recorder.signals" in str(error.value)
    assert "\n" not in str(error.value)


def test_what_would_have_no_effect_is_refused():
    with pytest.raises(SceneError, match="given twice"):
        footfall.load("humanoid/standing", overrides={KEY: ["nu", "humanoid/nu"]})
    with pytest.raises(SceneError, match="cube has no joints"):
        footfall.load("cube/drop", overrides={KEY: ["joint_positions"]})
    with pytest.raises(SceneError, match=r"name one, e\.g\. 'arm/nu'"):
        _two(["nu"])


def test_what_is_recorded_does_not_part_a_state_from_its_scene(tmp_path):
    sim = footfall.load("pendulum/swing")
    for _ in range(10):
        sim.step()
    sim.save(tmp_path / "state.npz")
    other = footfall.load("pendulum/swing", overrides={KEY: ["mass_matrix"]})
    other.resume(tmp_path / "state.npz")
    assert other.state.tick == 10
