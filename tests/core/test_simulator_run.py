"""Runs: their length, their continuation, what is recorded and reported."""

import json

import numpy as np
import pytest
from tests.physics.composed import ball, box, simulator, steps

import footfall
from footfall.errors import SimulationError
from footfall_stepper.world.state import load_state, save_state

TILTED = (0.1, 0.2, 0.0, np.sqrt(0.95))


def tumbling(**options):
    return simulator(box().at((0, 0, 0.2), TILTED, (0.5, 0, 0), (3, 2, 1)), e=0.3, **options)


def test_two_runs_are_one():
    """The second goes on where the first ended, bit for bit."""
    whole, parts = tumbling(), tumbling()
    run = whole.run(0.8)
    first, second = parts.run(0.3), parts.run(0.5)
    assert parts.state.vector.tobytes() == whole.state.vector.tobytes()
    assert (first.attrs["first_tick"], second.attrs["first_tick"]) == (0, 300)
    for name in ("time", "q", "v", "contact_force", "dissipated_energy"):
        joined = np.concatenate([first[name].values, second[name].values])
        np.testing.assert_array_equal(joined, run[name].values, err_msg=name)


def test_steps_and_runs_are_the_same():
    """Bit for bit; the end of a run books the integrator's error, the next step would."""
    stepped, run = tumbling(), tumbling()
    steps(stepped, 500)
    run.record(0.5)
    for name in ("q", "v", "impulse", "touching", "tick"):
        np.testing.assert_array_equal(stepped.state[name], run.state[name], err_msg=name)
    for sim in (stepped, run):
        sim.step()
    assert stepped.state.vector.tobytes() == run.state.vector.tobytes()


def test_a_coarse_recording_holds_every_nth_row():
    fine = footfall.load("cube/drop").run(0.5)
    coarse = footfall.load("cube/drop", {"recorder.interval": 7}).run(0.5)
    assert coarse.sizes["time"] == 72
    for name in ("time", "q", "v", "contact_force", "gap"):
        np.testing.assert_array_equal(coarse[name].values, fine[name].values[::7], err_msg=name)


def test_a_coarse_recording_does_not_change_the_motion():
    fine, coarse = footfall.load("cube/drop"), footfall.load("cube/drop", {"recorder.interval": 7})
    for sim in (fine, coarse):
        sim.run(0.5)
    assert fine.state.vector.tobytes() == coarse.state.vector.tobytes()


@pytest.mark.parametrize("duration", [0.0, 4e-4, -1.0, np.nan, np.inf])
def test_a_duration_that_is_no_step_is_refused(duration):
    sim = tumbling()
    with pytest.raises(SimulationError, match="duration"):
        sim.record(duration)
    assert sim.state.tick == 0


def test_a_run_lasts_as_long_as_its_scene_says():
    sim = footfall.load("cube/sliding", {"simulation.duration": 0.25})
    assert sim.record().steps == 250
    assert sim.time == 0.25


def test_the_report_counts_its_own_run_only():
    sim = tumbling()
    whole = tumbling().record(0.6)
    first, second = sim.record(0.3), sim.record(0.3)
    assert first.steps == second.steps == 300
    assert first.impacts + second.impacts == whole.impacts
    assert first.dissipated + second.dissipated == pytest.approx(whole.dissipated, rel=1e-12)
    assert second.energy_start == pytest.approx(first.energy_end, rel=1e-15)
    assert max(first.penetration_worst, second.penetration_worst) == whole.penetration_worst
    assert abs(second.energy_balance) <= 1e-9 * second.energy_start


def test_the_last_row_can_be_read_after_a_run():
    sim = tumbling()
    run = sim.run(0.2)
    np.testing.assert_array_equal(sim.signal("q"), run.q.values[-1])


def test_the_attributes_say_what_was_run():
    sim = footfall.load("cube/drop")
    run = sim.run(0.1)
    assert run.attrs["scene"] == "cube/drop"
    assert run.attrs["mass"] == 1.0
    assert run.attrs["weight"] == pytest.approx(9.81)
    assert run.attrs["time_step"] == 1e-3
    assert run.attrs["resolved_scene"]["scene"]["contact"]["plugin"] == "coulomb"


def test_names_are_those_of_bodies_joints_and_points():
    bodies = {"a": {"robot": "rrbot"}, "b": {"robot": "cube", "base_position": [2.0, 0.0, 0.05]}}
    registry = footfall.discover()
    table = {"simulation": {"duration": 0.1}, "bodies": bodies}
    run = footfall.assemble(footfall.scene_from_dict(table, registry), registry).run()
    assert list(run.joint.values) == ["a/joint1", "a/joint2"]
    assert list(run.body.values) == ["a", "b"]
    assert list(run.contact.values) == [f"b/cube/{k}" for k in range(8)]
    assert list(run.position.values)[:3] == ["a/joint1", "a/joint2", "b/x"]


def test_a_state_of_another_version_is_refused(tmp_path):
    sim = footfall.load("cube/drop")
    sim.save(tmp_path / "state.npz")
    state, header = load_state(tmp_path / "state.npz")
    header["resolved"]["footfall"] = "0.0.1"
    save_state(tmp_path / "old.npz", state, header, overwrite=False)
    with pytest.raises(SimulationError, match=r"another scene or version.*\"0\.0\.1\" there"):
        sim.resume(tmp_path / "old.npz")


def test_a_state_of_another_format_is_refused(tmp_path):
    sim = footfall.load("cube/drop")
    sim.save(tmp_path / "state.npz")
    state, header = load_state(tmp_path / "state.npz")
    header["footfall_state"] = 99
    np.savez(tmp_path / "new.npz", vector=state.vector, header=np.array(json.dumps(header)))
    with pytest.raises(SimulationError, match="state format 99, this version reads 2"):
        sim.resume(tmp_path / "new.npz")


def test_a_refused_state_changes_nothing(tmp_path):
    footfall.load("cube/drop").save(tmp_path / "state.npz")
    sim = footfall.load("cube/sliding")
    steps(sim, 10)
    before = sim.state.vector.copy()
    with pytest.raises(SimulationError):
        sim.resume(tmp_path / "state.npz")
    np.testing.assert_array_equal(sim.state.vector, before)


def test_a_truncated_state_is_refused(tmp_path):
    footfall.load("cube/drop").save(tmp_path / "state.npz")
    data = (tmp_path / "state.npz").read_bytes()
    for size in (10, len(data) // 2, len(data) - 10):
        (tmp_path / "part.npz").write_bytes(data[:size])
        with pytest.raises(SimulationError, match="not a saved Footfall state"):
            load_state(tmp_path / "part.npz")


def test_a_state_can_be_resumed_for_another_duration_or_recording(tmp_path):
    """What the motion does not depend on may differ."""
    sim = footfall.load("cube/drop")
    steps(sim, 300)
    sim.save(tmp_path / "state.npz")
    other = footfall.load("cube/drop", {"simulation.duration": 9.0, "recorder.interval": 3})
    other.resume(tmp_path / "state.npz")
    assert other.time == 0.3
    assert other.state.vector.tobytes() == sim.state.vector.tobytes()


def test_rolling_back_in_memory_repeats_the_motion():
    sim = tumbling()
    steps(sim, 250)
    kept = sim.state.copy()
    steps(sim, 250)
    end = sim.state.vector.copy()
    sim.state.restore(kept)
    assert sim.time == 0.25
    steps(sim, 250)
    np.testing.assert_array_equal(sim.state.vector, end)


def test_a_simulator_without_contact_points_runs():
    sim = simulator(ball().at((0, 0, 1)))
    bare = footfall.load("pendulum/swing")
    assert bare.world.n_contacts == 0
    run = bare.run(0.1)
    assert run.contact_force.shape == (100, 0, 3)
    assert sim.run(0.01).sizes["time"] == 10
