"""The controller ``policy``: its terms, its actions, its clock and its memory."""

import numpy as np
import pytest
from tests.cases import each
from tests.plugins.policies import small

import footfall

ARM = ("joint1", "joint2")
GAINS = {"stiffness": 40.0, "damping": 4.0}
POSITIONS = [{"term": "joint_positions"}]


def arm(file, scene=(), **table):
    keys = {"bodies.rrbot.controller": {"plugin": "policy", "file": str(file), **table}}
    return footfall.load("rrbot/swing", {**keys, **dict(scene)})


def command_of(sim, body="rrbot"):
    """Make a step and return what the controller has commanded."""
    sim.step()
    return sim.controllers.command(body)


def first_seen(tmp_path, terms, sensors=(), scene="humanoid/standing", **start):
    """Return the first observation of a policy of a humanoid that moves."""
    sim = footfall.load(scene, {"visualizer.plugin": "none"})
    joints = sim.signals("humanoid").joint_names
    sizes = {"joint_positions": len(joints), "joint_velocities": len(joints), "last_action": 30}
    inputs = sum(t.pop("size", sizes.get(t["term"], 3)) * t.get("history", 1) for t in terms)
    file = small(tmp_path, joints, terms, inputs=inputs, command=[0.5, 0.0, 0.1], default=0.2)
    keys = {"bodies.humanoid.controller": {"plugin": "policy", "file": str(file)}}
    keys |= {"bodies.humanoid.sensors": list(sensors)} if sensors else {}
    sim = footfall.load(scene, {**keys, "visualizer.plugin": "none"})
    rng = np.random.default_rng(3)
    sim.q[2] += 1.0
    sim.q[3:7] = rng.normal(size=4)
    sim.q[3:7] /= np.linalg.norm(sim.q[3:7])
    sim.v[:] = rng.normal(size=len(sim.v))
    signals = sim.signals("humanoid")
    facts = sim.q.copy(), sim.v.copy(), signals.base_pose.copy(), signals.nu.copy()
    sim.step()
    return sim.state["controller.humanoid.seen"].ravel().copy(), *facts


def test_terms_are_the_quantities_of_the_body(tmp_path):
    names = ("base_linear_velocity", "base_angular_velocity")
    terms = [{"term": name, "axes": axes} for name in names for axes in ("body", "world")]
    terms += [{"term": "projected_gravity"}, {"term": "base_height", "size": 1}]
    terms += [{"term": "joint_positions"}, {"term": "joint_velocities", "scale": 0.1}]
    terms += [{"term": "last_action"}, {"term": "command", "scale": [2.0, 2.0, 0.25]}]
    terms += [{"term": "phase_sin", "frequency": 2.0, "phase": 0.125, "size": 1}]
    seen, q, v, pose, nu = first_seen(tmp_path, terms)
    R = pose[:3, :3]
    expected = [R.T @ nu[:3], nu[:3], R.T @ nu[3:6], nu[3:6], R.T @ [0.0, 0.0, -1.0], pose[2:3, 3]]
    expected += [q[7:] - 0.2, 0.1 * v[6:], np.zeros(30), [1.0, 0.0, 0.025], [np.sqrt(0.5)]]
    np.testing.assert_allclose(seen, np.concatenate(expected), atol=1e-12)


def test_a_term_is_shifted_scaled_and_clipped_in_this_order(tmp_path):
    term = {"term": "joint_velocities", "offset": 0.5, "scale": 2.0, "clip": 1.5}
    seen, _, v, *_ = first_seen(tmp_path, [term])
    np.testing.assert_allclose(seen, np.clip(2.0 * (v[6:] + 0.5), -1.5, 1.5))


def test_noise_is_bounded_seeded_and_changes_from_tick_to_tick(tmp_path):
    file = small(tmp_path, ARM, [{"term": "joint_positions", "noise": 0.1}], inputs=2)
    seen = []
    for seed in (1, 1, 2):
        sim = arm(file, seed=seed)
        now = sim.q.copy()
        sim.run(0.021)
        seen.append(sim.state["controller.rrbot.seen"].ravel().copy())
        assert (np.abs(seen[-1] - sim.q) < 0.1 + np.abs(sim.q - now).max()).all()
    assert (seen[0] == seen[1]).all()
    assert (seen[0] != seen[2]).all()


def test_sensors_and_contacts_are_terms(tmp_path):
    start = footfall.load("humanoid/standing").signals("humanoid")
    link = start.link_names[0]
    rays = {"plugin": "ray", "name": "scan", "frame": link, "grid": {"x": [-0.1, 0.1], "y": [0, 0]}}
    rays["grid"]["count"] = [2, 1]
    terms = [{"term": "sensor", "sensor": "scan", "field": "distance", "size": 2}]
    terms += [{"term": "contact_flags", "size": len(start.contact_names)}]
    seen, *_ = first_seen(tmp_path, terms, sensors=[rays])
    np.testing.assert_allclose(seen[:2], start.frame(link).pose[2, 3], atol=1e-9)
    np.testing.assert_array_equal(seen[2:], start.contact_flags)


def test_targets_are_those_of_a_posture(tmp_path):
    """A constant action is a held posture: the same torques, bit for bit."""
    file = small(
        tmp_path,
        ARM,
        POSITIONS,
        bias=[0.5, -1.0],
        inputs=2,
        default=[0.1, 0.2],
        action={"scale": {"joint1": 2.0, "joint2": 0.5}},
        **GAINS,
    )
    target = {"joint1": 0.1 + 2.0 * 0.5, "joint2": 0.2 - 0.5}
    posture = {"plugin": "posture", "target": target, "rate": 50.0, **GAINS}
    one = arm(file).run(0.5)
    two = footfall.load("rrbot/swing", {"bodies.rrbot.controller": posture}).run(0.5)
    np.testing.assert_allclose(one.q.values, two.q.values, atol=1e-7)  # the network is float32


def test_torques_are_scaled_clipped_and_filtered(tmp_path):
    action = {"kind": "torque", "scale": 3.0, "clip": 0.5, "filter": 0.75}
    clock = [{"term": "phase_cos", "frequency": 25.0}]  # 1, -1, 1 ... at 50 Hz
    file = small(tmp_path, ARM, clock, np.array([[0.25], [4.0]]), action=action)
    torques = arm(file).run(0.06).joint_torque.values[::20]
    small_, clipped = 3.0 * 0.25, 3.0 * 0.5
    steps = np.array([1.0, 0.75 - 0.25, 0.75 * 0.5 + 0.25])
    np.testing.assert_allclose(torques, np.outer(steps, [small_, clipped]), rtol=1e-5)


def test_joints_are_found_by_name(tmp_path):
    """Another order of joints, with the rows and columns of the network, is the same policy."""
    W = np.array([[-30.0, 5.0], [1.0, -20.0]])
    terms = [{"term": "joint_positions"}]
    action = {"kind": "torque"}
    runs = []
    for order in ([0, 1], [1, 0]):
        names = [ARM[k] for k in order]
        file = small(tmp_path, names, terms, W[np.ix_(order, order)], name="p", action=action)
        runs.append(arm(file).run(0.5).q.values)
    np.testing.assert_allclose(runs[0], runs[1], atol=1e-6)
    wrong = small(tmp_path, ARM[::-1], terms, W, name="p", action=action)
    assert np.abs(arm(wrong).run(0.5).q.values - runs[0]).max() > 0.05


def test_history_is_oldest_first_and_starts_filled(tmp_path):
    file = small(tmp_path, ARM, [{"term": "joint_positions", "history": 3}], inputs=6)
    sim, at = arm(file), []
    for _ in range(4):
        at.append(sim.q.copy())
        sim.run(0.02)
        seen = sim.state["controller.rrbot.seen"].reshape(3, 2)
        past = [at[max(0, len(at) - 3 + k)] for k in range(3)] if len(at) > 2 else None
        past = past or [at[0]] * (3 - len(at)) + at
        np.testing.assert_array_equal(seen, past)


def test_frames_are_whole_observations_and_the_oldest_is_first(tmp_path):
    terms = [{"term": "joint_positions"}, {"term": "joint_velocities", "history": 2}]
    sim, at = arm(small(tmp_path, ARM, terms, inputs=18, frames=3)), []
    for _ in range(4):
        before = at[-1][4:] if at else sim.v
        at.append(np.concatenate([sim.q, before, sim.v]))
        sim.run(0.02)
        frames = ([at[0]] * 2 + at)[-3:]
        np.testing.assert_array_equal(sim.state["controller.rrbot.seen"].ravel(), np.ravel(frames))


def test_roll_pitch_and_yaw_make_the_rotation(tmp_path):
    seen, _, _, pose, _ = first_seen(tmp_path, [{"term": "base_rpy"}])
    (cr, cp, cy), (sr, sp, sy) = np.cos(seen), np.sin(seen)
    Rx = np.array([[1, 0, 0], [0, cr, -sr], [0, sr, cr]])
    Ry = np.array([[cp, 0, sp], [0, 1, 0], [-sp, 0, cp]])
    Rz = np.array([[cy, -sy, 0], [sy, cy, 0], [0, 0, 1]])
    np.testing.assert_allclose(Rz @ Ry @ Rx, pose[:3, :3], atol=1e-12)


def test_rate_and_delay_are_those_of_the_file_unless_the_scene_has_others(tmp_path):
    W = -20.0 * np.eye(2)
    file = small(tmp_path, ARM, POSITIONS, W, action={"kind": "torque"}, delay=0.01)
    for table, calls, delay in (({}, 5, 10), ({"rate": 100.0}, 10, 10), ({"delay": 0.0}, 5, 0)):
        torque = arm(file, **table).run(0.1).joint_torque.values
        assert (torque[:delay] == 0.0).all()
        assert torque[delay].all()
        changes = np.any(np.diff(torque[delay:], axis=0) != 0.0, axis=1).sum()
        assert changes + 1 == calls - (delay > 0) * (calls // 10)


def test_a_restored_run_goes_on_bit_for_bit(tmp_path):
    terms = [{"term": "joint_positions", "history": 2, "noise": 0.05}, {"term": "last_action"}]
    W = np.random.default_rng(0).normal(size=(2, 6))
    action = {"filter": 0.5}
    file = small(tmp_path, ARM, terms, W, action=action, **GAINS)
    sim = arm(file)
    sim.run(0.05)
    kept = sim.state.copy()
    sim.run(0.1)
    end = sim.q.copy()
    sim.state.restore(kept)
    sim.run(0.1)
    np.testing.assert_array_equal(sim.q, end)


def test_other_joints_are_held(tmp_path):
    file = small(tmp_path, ["joint2"], [{"term": "joint_positions"}], inputs=1, **GAINS)
    with pytest.raises(footfall.FootfallError, match=r"1 joints are not driven, e.g. joint1: hold"):
        arm(file)
    file.write_text(file.read_text() + "[others]\nstiffness = 500.0\ndamping = 50.0\n")
    sim = arm(file, {"world.gravity": [0.0, 0.0, 0.0]})
    start = sim.q[0]
    sim.run(1.0)
    assert abs(sim.q[0] - start) < 0.05


CHANGES = [
    ({"joints": ["joint1", "jont2"]}, "joints: the body has no joint 'jont2', did you mean"),
    ({"joints": ["joint1", "joint1"]}, "joints: the joint 'joint1' is named twice"),
    ({"joints": ["joint1"]}, "small.npz gives 2 actions, "),
    ({"default": [0.1]}, "default: needs 2 values, one each, got 1"),
    ({"stiffness": {"jont*": 1.0}}, "stiffness: no joint is named or matches 'jont*'"),
    ({"stiffness": {"joint1": 1.0}}, "stiffness: no value for joint2"),
    ({"damping": "?"}, 'damping is "?": fill it in'),
    ({"rate": 0.0}, "rate: Input should be greater than 0"),
    ({"rate": 300.0}, "rate 300: its period is not a multiple of the time step"),
    ({"rate": 1e-320}, "rate 9.99989e-321: its period is longer than 2^53 time steps"),
    ({"delay": 0.0005}, "delay 0.0005 s is not a multiple of the time step"),
    ({"network": "none.npz"}, "network: there is no file "),
    ({"network": "../out.npz"}, "network: ../out.npz is outside of its folder"),
    ({"network": "small.pt"}, "network: there is no file "),
    ({"activation": "elo"}, "no activation 'elo', did you mean 'elu'?"),
    ({"speed": 1.0}, "speed: Extra inputs are not permitted (keys: network,"),
    ({"joints": ["joint1"] * 12}, "joints: the joint 'joint1' is named 12 times"),
    ({"stiffness": -1.0}, "small.policy.toml: stiffness: Input should be greater than or equal"),
    ({"stiffness": {"joint1": -1.0}}, ": stiffness.joint1: Input should be greater than or"),
    ({"damping": [4.0, -4.0]}, ": damping.1: Input should be greater than or equal to 0"),
    ({"others": {"stiffness": 1.0}}, ": others.damping: Field required"),
    ({"others": {"stiffness": 1.0, "damping": 1.0}}, "others: has no effect, since the policy d"),
    ({"delay": 1e9}, "delay: Input should be less than or equal to 10"),
    ({"command": [1.0]}, None),
]
TERMS = [
    (
        {"term": "joint_positions", "joints": ["joint2"] * 12},
        "observation.0.joints: the joint 'joint2' is named 12 times",
    ),
    ({"term": "joint_positions", "joints": ["joint3"]}, "no joint 'joint3', did you mean"),
    (
        {"term": "joint_velocity"},
        "observation.0.term: there is no term 'joint_velocity', did you mean 'joint_velocities'?",
    ),
    (
        {"term": "joint_positions", "history": 2},
        "1 x (joint_positions 4) = 4 numbers, the network takes 2",
    ),
    ({"term": "base_height"}, "observation[0] base_height: the base of the body is fixed"),
    ({"term": "phase_sin"}, "observation[0] phase_sin: needs the key frequency"),
    ({"term": "sensor"}, "observation[0] sensor: needs the keys sensor and field"),
    ({"term": "sensor", "sensor": "s", "field": "f"}, "sensor: the body has no 's'"),
    ({"term": "command", "scale": {"a": 1.0}}, "command: scale by pattern is for joints"),
    ({"term": "last_action", "joints": ["joint1"]}, "joints has no effect on last_action"),
    ({"term": "joint_positions", "frequency": 1.0}, "frequency has no effect on joint_positions"),
    ({"term": "joint_positions", "scale": [1.0]}, "needs 2 values, one each, got 1"),
]


def refused(act):
    with pytest.raises(footfall.FootfallError) as caught:
        act()
    message = str(caught.value)
    assert "\n" not in message
    return message


@each(("changed", "expected"), CHANGES)
def test_a_wrong_key_is_refused(tmp_path, changed, expected):
    (tmp_path.parent / "out.npz").touch()
    file = small(tmp_path, ARM, POSITIONS, inputs=2, **{**GAINS, **changed})
    if expected is None:  # a command that no term shows is no mistake
        arm(file)
    else:
        assert expected in refused(lambda: arm(file))


@each(("term", "expected"), TERMS)
def test_a_term_that_the_robot_has_not_is_refused(tmp_path, term, expected):
    file = small(tmp_path, ARM, [term], inputs=2, **GAINS)
    assert expected in refused(lambda: arm(file).step())


def test_a_command_of_another_size_is_refused(tmp_path):
    file = small(tmp_path, ARM, [{"term": "command"}], inputs=3, command=[0.0, 0.0, 0.0])
    told = "controller.command: the policy takes 3 numbers, got 1"
    assert told in refused(lambda: arm(file, command=[1.0]))


def test_a_plain_network_runs_without_python_and_in_batches(tmp_path):
    terms = [{"term": "joint_positions", "history": 2}, {"term": "last_action"}]
    W = np.random.default_rng(0).normal(size=(2, 6))
    file = small(tmp_path, ARM, terms, W, **GAINS)
    keys = {"bodies.rrbot.controller": {"plugin": "policy", "file": str(file)}}
    sim = arm(file)
    assert not sim.stepper.program.python
    for _ in range(100):
        sim.step()
    with footfall.Batch("rrbot/swing", 3, threads=1, overrides=keys) as batch:
        batch.step(substeps=100)
        np.testing.assert_array_equal(batch.q, np.tile(sim.q, (3, 1)))
    noisy = small(tmp_path, ARM, [{"term": "joint_positions", "noise": 0.1}], inputs=2)
    assert arm(noisy).stepper.program.python
