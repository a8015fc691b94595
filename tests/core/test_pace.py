"""Controllers with a rate and a delay of their own, among sensors and viewers with theirs."""

import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
from tests.cases import each, first

import footfall
from footfall.errors import SceneError
from footfall.interfaces.controller import Controller
from footfall.interfaces.plugin import NoConfig, StatePart
from footfall.interfaces.visualizer import Visualizer
from footfall_standard.integrator import SemiImplicitEuler
from footfall_stepper.simulation.simulator import StepperSimulator
from footfall_stepper.stepping.settings import Physics
from footfall_stepper.world.state import load_state

NAME = "bodies.pendulum.controller"


class Clock(Controller):
    """Commands the time that it is called at, and notes it."""

    name = "clock"

    def __init__(self) -> None:
        self.times: list[float] = []

    def setup(self, model, posture):
        self.times.clear()

    def command(self, observation, command):
        self.times.append(observation.time)
        command.tau[:] = 1.0 + observation.time
        command.target[:] = observation.q[0]


def clocked(scene="pendulum/swing", **keys):
    """Return a simulator of a pendulum, and the controller that drives it."""
    sim = footfall.load(scene, overrides={f"{NAME}.{k}": v for k, v in keys.items()})
    clock = Clock()
    sim.participants = replace(sim.participants, controllers={"pendulum": clock})
    sim.connect_controllers()
    return sim, clock


def torques(sim, steps):
    """Step and return the torque of each step."""
    found = []
    for _ in range(steps):
        sim.step()
        found.append(float(sim.world.joints.tau[0]))
    return np.array(found)


@pytest.mark.parametrize(("rate", "period"), [(100.0, 10), (500, 2), (1000.0, 1), (8.0, 125)])
def test_a_command_is_held_until_the_next(rate, period):
    sim, clock = clocked(rate=rate)
    ticks = np.arange(300)
    tau = torques(sim, 300)
    np.testing.assert_allclose(tau, 1.0 + 1e-3 * (ticks // period * period), rtol=1e-12)
    np.testing.assert_allclose(clock.times, 1e-3 * ticks[::period], atol=1e-12)


@each("period", [1, 4, 10])
@each("delay", [1, 3, 10, 25])
def test_a_command_acts_a_delay_after_what_it_was_given_for(period, delay):
    """Also where several commands are on their way."""
    sim, _ = clocked(rate=1000.0 / period, delay=1e-3 * delay)
    ticks = np.arange(120)
    given = (ticks - delay) // period * period
    expected = np.where(ticks < delay, 0.0, 1.0 + 1e-3 * given)
    np.testing.assert_allclose(torques(sim, 120), expected, rtol=1e-12, atol=0.0)


def test_one_step_of_delay_is_the_torque_of_the_state_one_step_before():
    """The delay of a memory block between controller and robot."""
    late = footfall.load("pendulum/swing", overrides={NAME: {"plugin": "zero", "delay": 1e-3}})
    by_hand = footfall.load("pendulum/swing")

    class Damper(Clock):
        def command(self, observation, command):
            command.tau[:] = -3.0 * observation.v

    late.participants = replace(late.participants, controllers={"pendulum": Damper()})
    late.connect_controllers()
    before = np.zeros(1)
    for _ in range(200):
        now = -3.0 * by_hand.v
        by_hand.step(before)
        before = now
        late.step()
    assert late.q.tobytes() == by_hand.q.tobytes()
    assert late.v.tobytes() == by_hand.v.tobytes()


def test_gains_are_held_and_delayed_like_torques():
    keys = {"rate": 50.0, "delay": 5e-3}
    sim = footfall.load(
        "humanoid/standing",
        overrides={f"bodies.humanoid.controller.{key}": value for key, value in keys.items()},
    )
    stiffness = sim.world.joints.stiffness
    for k in range(30):
        sim.step()
        assert bool(stiffness.any()) == (k >= 5)
    report = sim.record(1.0)
    assert report.simulated == pytest.approx(1.0)
    assert float(sim.q[2]) > 0.5


class Integral(Clock):
    """An integral of the angle, kept in the simulation's state."""

    state_parts = (StatePart("sum", "joint"), StatePart("calls", "global", 2))

    def command(self, observation, command):
        total, calls = observation.state["sum"], observation.state["calls"]
        total[:, 0] += observation.q * 0.01
        calls[0, 1] += 1.0
        command.tau[:] = -2.0 * total[:, 0]


def test_what_a_controller_keeps_is_saved_and_restored():
    ends = []
    for saves in (False, True):
        plain = footfall.load("pendulum/swing", overrides={f"{NAME}.rate": 100.0})
        physics = Physics(
            *(plain.stepper.law, plain.stepper.impact, SemiImplicitEuler(NoConfig())),
            plain.stepper.terrain,
        )
        participants = replace(plain.participants, controllers={"pendulum": Integral()})
        sim = StepperSimulator(plain.stepper.world, physics, plain.stepper.settings, participants)
        for k in range(100):
            if saves and k == 55:
                kept = sim.state.copy()
                for _ in range(30):
                    sim.step()
                sim.state.restore(kept)
            sim.step()
        assert sim.state["controller.pendulum.calls"][0, 1] == 10.0
        ends.append(sim.state.vector.tobytes())
    assert ends[0] == ends[1]


GO_ON = """
import sys, footfall
scene, state, out, steps, body, rate, delay = sys.argv[1:]
at = f"bodies.{body}.controller"
sim = footfall.load(scene, overrides={f"{at}.rate": float(rate), f"{at}.delay": float(delay)})
sim.resume(state)
for _ in range(int(steps)):
    sim.step()
sim.save(out)
"""


@pytest.mark.parametrize(
    ("scene", "n", "rate", "delay"),
    first(("humanoid/drop", 107, 100.0, 0.013), ("icub/motors", 33, 50.0, 0.004), names=4),
)
def test_a_run_restored_in_the_middle_of_a_hold_goes_on_bit_for_bit(
    scene, n, rate, delay, tmp_path
):
    body = scene.split("/")[0]
    if body == "icub":
        pytest.importorskip("icub_models")
    at = f"bodies.{body}.controller"
    whole = footfall.load(scene, overrides={f"{at}.rate": rate, f"{at}.delay": delay})
    for _ in range(n):
        whole.step()
    assert whole.state[f"hold.{body}.line"].any()
    whole.save(tmp_path / "half.npz")
    for _ in range(n):
        whole.step()
    given = [scene, tmp_path / "half.npz", tmp_path / "end.npz", n, body, rate, delay]
    subprocess.run([sys.executable, "-c", GO_ON, *map(str, given)], check=True)
    end, _ = load_state(tmp_path / "end.npz")
    assert end.parts == whole.state.parts
    assert end.vector.tobytes() == whole.state.vector.tobytes()


class Counting(Visualizer):
    """Notes the times of the frames that it is shown."""

    name = "counting"
    frame_interval = 0.04
    speed = None

    def __init__(self, config=None) -> None:
        self.times: list[float] = []

    def open(self, scene):
        pass

    def show(self, frame):
        self.times.append(frame.time)

    def close(self):
        pass


def test_a_step_a_sensor_a_controller_and_a_viewer_each_keep_their_time():
    """1 ms, 5 ms, 10 ms and 40 ms in one scene, each what it is alone."""
    sensor = {"plugin": "encoder", "name": "encoder", "rate": 200.0, "delay": 0.002}
    sim = footfall.load(
        "pendulum/swing", overrides={f"{NAME}.rate": 100.0, "bodies.pendulum.sensors": [sensor]}
    )
    clock, viewer = Clock(), Counting(NoConfig())
    sim.participants = replace(sim.participants, controllers={"pendulum": clock}, visualizer=viewer)
    sim.connect_controllers()
    run = sim.run(0.4)
    time, tau = run.time.values, run.tau.values[:, 0]
    ticks = np.arange(400)
    np.testing.assert_allclose(time, 1e-3 * ticks, atol=1e-12)
    np.testing.assert_allclose(clock.times, 0.01 * np.arange(40), atol=1e-12)
    np.testing.assert_allclose(tau, 1.0 + 0.01 * (ticks // 10), rtol=1e-12)
    # A frame shows the start of the last step of its stretch.
    np.testing.assert_allclose(viewer.times, 0.04 * np.arange(1, 11) - 1e-3, atol=1e-12)
    name = next(n for n in run.data_vars if n.startswith("sensor_encoder_pos"))
    reading = run[name].values[:, 0]
    changes = np.flatnonzero(np.diff(reading)) + 1
    assert set(changes % 5) == {2}
    # Sampled at tick 5 m, arrived 2 ticks later.
    np.testing.assert_allclose(reading[2 + 5 * 7], run.q.values[5 * 7, 0], atol=1e-12)


@pytest.mark.parametrize(
    ("keys", "message"),
    first(
        ({"rate": 300.0}, r"controller\.rate.*rate 300: .* 0\.001 s: 250 or 333\.333333 Hz is"),
        ({"rate": 2000.0}, r"controller\.rate.*1000 Hz is"),
        ({"rate": 0.0}, r"controller\.rate"),
        ({"delay": 0.0004}, r"controller\.delay.*0 or 0\.001 s is"),
        ({"delay": -0.001}, r"controller\.delay"),
        ({"rat": 100.0}, r"no key 'rat'|did you mean 'rate'"),
        names=2,
    ),
)
def test_a_pace_that_is_no_whole_number_of_steps_is_refused(keys, message):
    with pytest.raises(SceneError, match=message) as error:
        footfall.load("pendulum/swing", overrides={f"{NAME}.{k}": v for k, v in keys.items()})
    assert "\n" not in str(error.value)


def test_a_rate_as_printed_is_taken():
    sim, _ = clocked(rate=333.333333)
    tau = torques(sim, 30)
    assert len(set(tau)) == 10


def test_a_body_without_joints_has_no_pace():
    with pytest.raises(SceneError, match=r"bodies\.cube\.controller.*no joints"):
        footfall.load("cube/drop", overrides={"bodies.cube.controller.rate": 100.0})


def test_a_pace_outlives_the_controller_that_it_was_given_for():
    overrides = {f"{NAME}.rate": 100.0, f"{NAME}.plugin": "posture"}
    sim = footfall.load("pendulum/swing", overrides=overrides)
    table = sim.provenance.resolved["scene"]["bodies"]["pendulum"]["controller"]
    assert table["rate"] == 100.0
    assert "delay" not in table
    assert sim.participants.rates["pendulum"].period == 10
