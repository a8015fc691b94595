"""Trajectories from files: how joints follow them, and what formats say the same."""

import numpy as np
import pytest

import footfall

DT = 1e-3
INERTIA, WEIGHT = 0.0834333333333 + 0.25, 9.81 * 0.5
"""Of the bundled rod about its hinge, [kg m^2]; its weight times its lever, [N m]."""
AMPLITUDE, OMEGA = 0.3, 4.0
NAMES = ("joint1", "joint2")


def rows(duration=6.0, step=0.01):
    """Return a sinusoid: times, positions, rates, accelerations of one joint."""
    t = np.arange(round(duration / step) + 1) * step
    angle = OMEGA * t
    position = AMPLITUDE * np.sin(angle)
    return t, position, AMPLITUDE * OMEGA * np.cos(angle), -(OMEGA**2) * position


def archive(path, joints, time, position, **more):
    np.savez(path, time=time, joints=np.array(joints), position=position, **more)
    return str(path)


def swing(file, duration=6.0, gravity=-9.81, dt=DT, **settings):
    """Run the rod, hanging at first, by a trajectory and gains K = 20, D = 2.

    Returns times, positions, and errors of the last two seconds.
    """
    table = {"plugin": "trajectory", "file": file, "stiffness": 20.0, "damping": 2.0, **settings}
    scene = {"bodies.pendulum.joint_positions": {"hinge": 0.0}, "simulation.time_step": dt}
    scene |= {"world.gravity": [0.0, 0.0, gravity], "bodies.pendulum.controller": table}
    run = footfall.load("pendulum/swing", scene).run(duration)
    time, found = run.time.values, run.joint_position.sel(joint="hinge").values
    return time, found, (found - AMPLITUDE * np.sin(OMEGA * time))[time > duration - 2.0]


def test_gains_follow_a_sinusoid_by_their_transfer_function(tmp_path):
    """Without weight, backward Euler of ``I s'' = -K (s - r) - D (s' - r')``.

    With ``z = exp(i w dt)``, the gains at a step's end and targets of that instant (``ahead``),
    ``S (I (z - 1)^2 / (dt^2 z) + K z + D (z - 1) / dt) = R z (K + i w D)``; what the start left
    over decays by ``exp(-D t / (2 I))``, e^-15 in 5 s. The file's spline is exact to 1e-9.
    """
    t, position, rate, _ = rows()
    file = archive(tmp_path / "a.npz", ["hinge"], t, position[:, None], rate=rate[:, None])
    time, found, _ = swing(file, gravity=0.0, ahead=DT)
    z, K, D = np.exp(1j * OMEGA * DT), 20.0, 2.0
    left = INERTIA * (z - 1) ** 2 / (DT**2 * z) + K * z + D * (z - 1) / DT
    gain = z * (K + 1j * OMEGA * D) / left
    expected = AMPLITUDE * np.imag(gain * np.exp(1j * OMEGA * time))
    late = time > 5.0
    np.testing.assert_allclose(found[late], expected[late], atol=2e-7)
    assert abs(gain - 1.0) > 0.1


def test_torques_of_the_closed_form_remove_the_error(tmp_path):
    """``tau = I s'' + m g l sin s``: what is left is the step's, of first order in dt."""
    t, position, rate, change = rows()
    torque = INERTIA * change + WEIGHT * np.sin(position)
    file = archive(
        *(tmp_path / "a.npz", ["hinge"], t, position[:, None]),
        rate=rate[:, None],
        torque=torque[:, None],
    )
    found = {
        (dt, how): np.abs(swing(file, dt=dt, ahead=dt, feed_forward=how)[2]).max()
        for dt, how in ((DT, "none"), (DT, "file"), (DT / 2, "file"))
    }
    assert found[DT, "none"] > 20.0 * found[DT, "file"]
    assert found[DT, "file"] == pytest.approx(2.0 * found[DT / 2, "file"], rel=0.05)


def arm(table, duration=1.0):
    return footfall.load(
        "rrbot/swing", {"bodies.rrbot.controller": {"plugin": "trajectory", **table}}
    ).run(duration)


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    """A recording of an arm that falls into its gains, and its rows in the other formats."""
    folder = tmp_path_factory.mktemp("trajectory")
    gains = {"plugin": "posture", "stiffness": 200.0, "damping": 20.0}
    gains["target"] = {"joint1": 0.7, "joint2": -0.4}
    sim = footfall.load("rrbot/swing", {"bodies.rrbot.controller": gains})
    run = sim.run(1.0, folder / "run")
    s, rate, tau = (
        run[name].values for name in ("joint_position", "joint_velocity", "joint_torque")
    )
    archive(folder / "a.npz", NAMES, run.time.values, s, rate=rate, torque=tau)
    endings = ("", ".rate", ".torque")
    header = ["time", *(f"{name}{ending}" for ending in endings for name in NAMES)]
    table = np.column_stack([run.time.values, s, rate, tau]).tolist()
    lines = [",".join(header), *(",".join(map(repr, row)) for row in table)]
    (folder / "a.csv").write_text("\n".join(lines))
    return folder, run


def test_a_recording_is_played_back(played):
    """Its torques are those of its steps, and its rows where they end: nothing is left to gains."""
    folder, run = played
    again = arm({"file": str(folder / "run"), "ahead": DT}, 0.99)
    assert np.ptp(run.joint_position.values, axis=0).min() > 0.3
    np.testing.assert_allclose(again.q, run.q[: again.sizes["time"]], atol=1e-11)
    np.testing.assert_allclose(again.tau, run.tau[: again.sizes["time"]], atol=1e-8)


def test_three_formats_say_the_same(played):
    folder, _ = played
    runs = [arm({"file": str(folder / name)}, 0.3) for name in ("run", "a.npz", "a.csv")]
    for other in runs[1:]:
        np.testing.assert_array_equal(other.q, runs[0].q)
        np.testing.assert_array_equal(other.tau, runs[0].tau)


def targets(tmp_path, times, **settings):
    """Return the commanded targets of a rod whose file has rows 0, 1, 0 at 1, 2 and 3 s."""
    from footfall.interfaces.controller import Command, Observation
    from footfall_check.kit.stage import chain_model
    from footfall_controllers.trajectory.controller import Trajectory, TrajectoryConfig

    file = archive(tmp_path / "a.npz", ["joint1"], [1.0, 2.0, 3.0], [[0.0], [1.0], [0.0]])
    controller = Trajectory(TrajectoryConfig(file=file, **settings))
    controller.setup(chain_model("fixed"), np.array([0.5, 0.0, 0.25]))
    found, command = [], Command.allocate(3)
    for time in times:
        controller.command(Observation(time, np.zeros(3), np.zeros(3)), command)
        assert command.target[0] == 0.5
        assert command.target[2] == 0.25
        found.append((command.target[1], command.target_rate[1]))
    return np.array(found)


def test_before_it_waits_and_after_it_holds_or_repeats(tmp_path):
    times = [0.0, 1.25, 2.5, 3.5]
    held = targets(tmp_path, times, interpolation="linear")
    np.testing.assert_allclose(held, [[0, 0], [0.25, 1], [0.5, -1], [0, 0]], atol=1e-15)
    again = targets(tmp_path, times, interpolation="linear", after="repeat")
    np.testing.assert_allclose(again, [[0, 0], [0.25, 1], [0.5, -1], [0.5, 1]], atol=1e-15)
    early = targets(tmp_path, [0.0, 0.25], interpolation="linear", start=0.0)
    np.testing.assert_allclose(early, [[0, 1], [0.25, 1]], atol=1e-15)


def test_interpolations_are_what_they_are_called(tmp_path):
    """The spline of three rows is their parabola; one that repeats starts as it ends."""
    parabola = targets(tmp_path, [1.5, 2.0])
    np.testing.assert_allclose(parabola, [[0.75, 1.0], [1.0, 0.0]], atol=1e-14)
    monotone = targets(tmp_path, np.linspace(1.0, 3.0, 50), interpolation="monotone")
    assert monotone[:, 0].min() >= 0.0
    assert monotone[:, 0].max() <= 1.0
    both = targets(tmp_path, [1.0, 3.0 - 1e-9, 3.0 + 1e-9], after="repeat")
    np.testing.assert_allclose(both[1], both[2], atol=1e-7)
