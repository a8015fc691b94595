"""A live run does what its viewers ask, and nothing else."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from tests.cases import each
from tests.live_viewers import live

import footfall
from footfall.errors import SimulationError
from footfall.interfaces import interactive_visualizer as ask
from footfall.recording.reader import open_segments
from footfall_hands.live_clock import LATE, LiveClock
from footfall_hands.live_run import LiveRun
from footfall_hands.live_scene import LiveScene
from footfall_stepper.simulation.run import Run
from footfall_stepper.simulation.simulator import StepperSimulator

BOX = ask.CreateObject("box", (0.1, 0.1, 0.1), (1.0, 0.0, 0.06))


def cube(**overrides: object) -> StepperSimulator:
    return footfall.load("cube/drop", {"visualizer.plugin": "none", **overrides})


def test_a_live_run_moves_as_a_plain_one() -> None:
    plain, watched = cube(), cube()
    plain.record(0.3)
    run, _ = live(watched, [], duration=0.3)
    run.record(None, False, False)
    assert watched.state.vector.tobytes() == plain.state.vector.tobytes()


def test_only_a_viewer_whose_users_can_act_makes_a_run_live() -> None:
    sim = cube()
    assert type(sim.prepare_run(0.1)) is Run
    with pytest.raises(SimulationError, match="needs a viewer"):
        sim.prepare_run(0.1, endless=True)
    live(sim, [])
    assert isinstance(sim.prepare_run(0.1), LiveRun)


def test_a_paused_run_makes_exactly_the_steps_that_are_asked() -> None:
    run, viewer = live(cube(), [25, 1], endless=True)
    with pytest.raises(KeyboardInterrupt):
        run.record(None, False, False)
    assert run.sim.state.tick == 26
    assert not any(status.playing for status in viewer.told)
    assert viewer.told[-1].ended


def test_frames_show_the_last_step_and_what_is_watched() -> None:
    names = ("kinetic_energy", "base_position[0].z", "contact_force[0,z]", "com[*]")
    run, viewer = live(cube(), [ask.WatchSignals(names)], duration=0.05)
    run.record(None, False, False)
    last, sim = viewer.frames[-1], run.sim
    assert last.time == pytest.approx(0.049)
    want = [
        sim.signal("kinetic_energy"),
        sim.signal("base_position")[0, 2],
        sim.signal("contact_force")[0, 2],
        *sim.signal("com"),
    ]
    np.testing.assert_array_equal(last.values, np.array(want, float))
    assert viewer.told[-1].watched == names
    signals = {name: (units, labels) for name, units, _, labels in viewer.told[-1].signals}
    places = tuple(f"cube/{place}" for place in ("x", "y", "z", "qx", "qy", "qz", "qw"))
    assert signals["q"] == ("m, 1 or rad", (places,))


def test_objects_that_come_and_go_are_segments(tmp_path: Path) -> None:
    script = [10, BOX, 20, ask.DeleteObject("box_1")]
    run, viewer = live(cube(), script, duration=0.04)
    report = run.record(tmp_path / "run.zarr", False, False)
    first, second, third = open_segments(tmp_path / "run.zarr")
    assert [s.sizes["time"] for s in (first, second, third)] == [10, 20, 10]
    assert [s.sizes["body"] for s in (first, second, third)] == [1, 2, 1]
    assert (first.attrs["ended_by"], second.attrs["began_by"]) == ("created box_1",) * 2
    np.testing.assert_array_equal(
        np.concatenate([s.time for s in (first, second, third)]), np.arange(40) * 1e-3
    )
    assert footfall.open_run(tmp_path / "run.zarr").sizes["time"] == 10
    assert len(viewer.graphs) == 3
    assert report.steps == 40


def test_the_energy_balance_counts_what_comes_and_goes() -> None:
    run, _ = live(cube(), [5, BOX, 100, ask.DeleteObject("box_1")], duration=0.3)
    report = run.record(None, False, False)
    gained = report.energy_end - report.energy_start
    # The box falls 1 cm and lands before it is taken away.
    assert report.dissipated > 0.0
    assert abs(gained - report.work + report.dissipated - report.integration_error) < 1e-9


@each(
    ("command", "problem"),
    [
        (ask.DeleteObject("nobody"), "no body 'nobody'"),
        (ask.DeleteObject("cube"), "is a robot"),
        (ask.CreateObject("box", (0.1,), (0.0, 0.0, 1.0)), "a box has 3 lengths, got 1"),
        (ask.CreateObject("sphere", (-0.1,), (0.0, 0.0, 1.0)), "must be >= 1e-09"),
        (ask.CreateObject("sphere", (0.1,), (0.0, 0.0, float("nan"))), "nan"),
        (ask.CreateObject("sphere", (0.1,), (1.0, 0.0, 0.0)), "100 mm deep"),
        (ask.CreateObject("sphere", (0.1,), (1.0, 0.0, 0.2), name="a b/c"), "bodies"),
        (ask.CreateObject("cube", (0.1,), (1.0, 0.0, 0.2)), "no kind 'cube'"),  # type: ignore[arg-type]
        (ask.CreateObject("mesh", (), (1.0, 0.0, 0.2), mesh="none.stl"), "none.stl"),
        (ask.Speed(-1.0), "0 or more"),
        (ask.Speed(float("inf")), "0 or more"),
        (ask.SingleStep(0), "from 1 to"),
        (ask.Tune("bodies.cube.frction", 1.0), "did you mean 'bodies.cube.friction'"),
        (ask.Tune("bodies.cube.friction", -1.0), "must be >= 0"),
        (ask.Tune("bodies.cube.friction", float("nan")), "finite"),
        (ask.WatchSignals(("energies",)), "no signal 'energies'"),
        (ask.WatchSignals(("q",)), "choose one"),
        (ask.WatchSignals(("q[99]",)), "no entry '99'"),
        ("nonsense", "no command"),
    ],
)
def test_what_cannot_be_done_is_refused_in_one_line_and_changes_nothing(
    command: ask.Command, problem: str
) -> None:
    plain = cube()
    plain.record(0.02)
    run, viewer = live(cube(), [10, command], duration=0.02)
    run.record(None, False, False)
    (said,) = viewer.problems
    assert problem in said
    assert "\n" not in said
    assert run.sim.state.vector.tobytes() == plain.state.vector.tobytes()


def test_a_refusal_stays_until_it_was_told() -> None:
    run, viewer = live(cube(), [ask.Speed(-1.0), ask.Pause()], duration=0.02)
    run.record(None, False, False)
    assert len(viewer.problems) == 1
    assert viewer.told[-1].problem == ""


def test_a_restart_goes_the_same_way_again(tmp_path: Path) -> None:
    sim = cube()
    for _ in range(40):
        sim.step()
    script = [10, BOX, 10, ask.Tune("bodies.cube.friction", 0.1), 10, ask.Restart()]
    run, viewer = live(sim, script, duration=0.06)
    report = run.record(tmp_path / "run.zarr", False, False)
    first, *_, again = open_segments(tmp_path / "run.zarr")
    assert again.attrs["began_by"] == "restarted"
    assert float(again.time[0]) == pytest.approx(0.04)
    assert again.sizes["time"] == report.steps == 60
    n = first.sizes["time"]
    np.testing.assert_array_equal(again.q[:n], first.q)
    assert viewer.told[-1].tunables[0].value == pytest.approx(0.5)
    assert not run.sim.provenance.tuned


def test_gravity_is_tuned_in_a_segment_of_its_own(tmp_path: Path) -> None:
    """The cube in flight falls with the gravity of the moon, from the state that it has."""
    up = {"bodies.cube.base_position": [0.0, 0.0, 5.0]}
    sim = footfall.load("cube/sliding", up)
    run, viewer = live(sim, [10, ask.Tune("world.gravity[2]", -1.62), 10], duration=0.02)
    run.record(tmp_path / "run.zarr", False, False)
    before, after = open_segments(tmp_path / "run.zarr")
    assert after.attrs["began_by"] == "gravity is 0, 0, -1.62 m/s^2"
    falls = [float(part.a.values[-1, 2]) for part in (before, after)]
    assert falls == pytest.approx([-9.81, -1.62], rel=1e-6)
    told = {one.path: one for one in viewer.told[-1].tunables}
    assert (told["world.gravity[2]"].value, told["world.gravity[2]"].start) == (-1.62, -9.81)


def test_sliders_of_held_positions_end_where_the_joints_do() -> None:
    sim = footfall.load("humanoid/standing", {"visualizer.plugin": "none"})
    told = {one.path: one for one in LiveScene(sim).tunables(sim)}
    target = "bodies.humanoid.controller.target"
    knee, roll = told[f"{target}.l_knee"], told[f"{target}.r_hip_roll"]
    assert (knee.low, knee.high) == (0.0, 2.4)  # as in the robot's model file
    assert (roll.low, roll.high) == (-0.8, 0.4)
    assert (knee.value, knee.start) == (0.4, 0.4)


def test_a_report_counts_steps_and_time_from_the_last_restart() -> None:
    run, _ = live(cube(), [3, ask.Restart(), 5], endless=True)
    restarted = run._scene.restarted

    def slowly() -> StepperSimulator:
        run._began -= 3600.0  # as if the run had gone on for an hour before
        return restarted()

    run._scene.restarted = slowly  # type: ignore[method-assign]
    with pytest.raises(KeyboardInterrupt):
        run.record(None, False, False)
    assert run.report is not None
    assert run.report.steps == 5
    assert run.report.wall < 3600.0
    assert memoryview(run.step_times).nbytes == 5 * 8  # no objects, of which hours would be full


def test_an_endless_run_that_fails_waits_for_a_restart(monkeypatch: pytest.MonkeyPatch) -> None:
    sim = cube()
    make = sim.make_steps

    def breaks(rows: np.ndarray, first: int, count: int) -> None:
        for k in range(first, first + count):
            if sim.state.tick == 20:
                raise SimulationError("the state is not finite")
            make(rows, k, 1)

    monkeypatch.setattr(sim, "make_steps", breaks)
    run, viewer = live(sim, [30, ask.Play(), ask.SingleStep(), ask.Restart(), 5], endless=True)
    with pytest.raises(KeyboardInterrupt):
        run.record(None, False, False)
    assert "restart to go on" in viewer.problems[0]
    assert run.sim is not sim
    assert run.sim.state.tick >= 5


def test_a_run_with_an_end_fails_as_a_plain_one_does(monkeypatch: pytest.MonkeyPatch) -> None:
    sim = cube()

    def breaks(rows: np.ndarray, first: int, count: int) -> None:
        raise SimulationError("the state is not finite")

    monkeypatch.setattr(sim, "make_steps", breaks)
    run, viewer = live(sim, [])
    with pytest.raises(SimulationError, match="not finite"):
        run.record(None, False, False)
    assert viewer.told[-1].problem == "the state is not finite"


def test_python_has_the_world_as_the_run_left_it() -> None:
    sim = cube()
    _, viewer = live(sim, [])
    seen: list[StepperSimulator] = []

    def commands() -> list[ask.Command]:
        seen.append(sim)
        return [BOX] if len(seen) == 1 else []

    viewer.commands = commands  # type: ignore[method-assign]
    sim.record(0.02)
    assert [body.name for body in sim.world.bodies] == ["cube", "box_1"]
    assert sim.state.tick == 20
    sim.step()
    assert sim.state.tick == 21


class TestClock:
    def test_steps_are_due_at_the_speed_that_is_asked(self) -> None:
        clock = LiveClock(1e-3, 2.0)
        clock.start(10.0)
        assert clock.due(10.0) == 0
        assert clock.due(10.005) == 10
        clock.count(10, 10.005)
        assert clock.due(10.005) == 0
        assert clock.next_due() == pytest.approx(10.0055)

    def test_a_run_that_is_held_up_does_not_rush_afterwards(self) -> None:
        clock = LiveClock(1e-3, 1.0)
        clock.start(0.0)
        assert clock.due(5.0) == round(LATE / 1e-3)
        clock.count(100, 5.0)
        assert clock.behind
        assert clock.rate == pytest.approx(0.02)
        assert clock.due(5.001) == 1

    def test_a_run_that_keeps_up_is_not_behind(self) -> None:
        clock = LiveClock(1e-3, 1.0)
        clock.start(0.0)
        for k in range(1, 700):
            clock.count(clock.due(k * 1e-3), k * 1e-3)
        assert clock.rate == pytest.approx(1.0, rel=1e-2)
        assert not clock.behind

    def test_a_single_slow_step_is_not_given_up(self) -> None:
        clock = LiveClock(0.05, 0.1)
        clock.start(0.0)
        assert clock.due(0.5) == 1


def test_a_live_run_tells_impacts_and_pushes_as_its_recording_has_them(tmp_path: Path) -> None:
    """A cube that falls from 5 cm and is pushed; a restart forgets what was."""
    push = {"link": "cube", "start": 0.11, "duration": 0.02, "force": [1.0, 0.0, 0.0]}
    low = {"bodies.cube.base_position": [0.0, 0.0, 0.1], "pushes": [push]}
    run, viewer = live(cube(**low), [150, ask.Pause(), ask.Restart(), 10], duration=0.2)
    run.record(tmp_path / "run.zarr", False, False)
    first, again = open_segments(tmp_path / "run.zarr")
    ended = [[one.events for one in viewer.told if one.segment == k][-1] for k in (0, 1)]
    for told, recorded in zip(ended, (first, again), strict=True):
        impacts = [event for event in told if event[0] == "impacts"]
        rows = np.flatnonzero(recorded.impacts.values)
        assert sum(count for *_, count in impacts) == recorded.impacts.values.sum() > 0
        assert impacts[0][1] == pytest.approx(float(recorded.time[rows[0]]))
        assert impacts[-1][2] == pytest.approx(float(recorded.time[rows[-1]]))
        assert told[0] == ("push on cube", 0.11, pytest.approx(0.13), 1)
    begun = next(one for one in viewer.told if one.segment == 1 and one.time < 0.03)
    assert begun.events == ()
