"""The hand of a viewer's user in a live run."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from tests.live_viewers import live

import footfall
from footfall.interfaces import interactive_visualizer as ask
from footfall.interfaces.input_device import Reading
from footfall.recording.reader import open_segments
from footfall.registry.discover import discover
from footfall.scene.load import load_scene
from footfall_run.command import mouse_of
from footfall_stepper.simulation.simulator import StepperSimulator

MOUSE = {"hands.mouse.device.plugin": "mouse", "visualizer.plugin": "none"}
BOX = ask.CreateObject("box", (0.1, 0.1, 0.1), (1.0, 0.0, 0.06))


def cube() -> StepperSimulator:
    return footfall.load("cube/drop", MOUSE)


def at(serial: int, height: float) -> ask.HandMove:
    where = np.array([0.0, 0.0, height])
    return ask.HandMove(serial, Reading(True, where, link="cube/cube", point=np.zeros(3)))


def test_a_move_acts_in_the_next_step_and_is_shown_with_its_poses() -> None:
    run, viewer = live(cube(), [5, at(7, 0.6), 1, 1, 3], endless=True)
    with pytest.raises(KeyboardInterrupt):
        run.record(None, False, False)
    held = [frame for frame in viewer.frames if np.isfinite(frame.hand[3])]
    # It is drawn before it acts, while time stands still.
    assert (held[0].time, held[0].serial) == (pytest.approx(4e-3), 0)
    pulled = [frame for frame in held if frame.time > 4.5e-3]
    # The force acts in the step from 5 ms; what it did is in the poses at 6 ms.
    assert pulled[0].time == pytest.approx(5e-3)
    assert pulled[0].hand[8] > 0.0
    assert next(f.time for f in viewer.frames if f.serial == 7) == pytest.approx(6e-3)
    status = viewer.told[-1]
    assert (status.hand.held, status.serial) == ("cube/cube", 7)
    assert status.hand.size == pytest.approx(np.linalg.norm(status.hand.force))


def test_the_recorded_force_is_the_springs_and_goes_on_over_a_new_object(tmp_path: Path) -> None:
    script = [5, at(1, 0.55), 20, BOX, 20, ask.DeleteObject("box_1"), 10, ask.HandRelease(2), 5]
    run, viewer = live(cube(), script, endless=True)
    with pytest.raises(KeyboardInterrupt):
        run.record(tmp_path / "run.zarr", False, False)
    plain = cube()
    mouse = plain.hands["mouse"].device
    segments = open_segments(tmp_path / "run.zarr")
    force = np.concatenate([s.hand_force.values[:, 0] for s in segments])
    for k, height in enumerate([0.0] * 5 + [0.55] * 50 + [0.0] * 5):
        if k == 5:
            mouse.put(at(1, height).reading)  # type: ignore[attr-defined]
        if k == 55:
            mouse.put(None)  # type: ignore[attr-defined]
        plain.step()
        np.testing.assert_array_equal(force[k], plain.signal("hand_force")[0])
    assert np.abs(force[5:55, 2]).min() > 0.0
    for run_ in segments:
        held = run_.hand_mass.notnull()
        wanted = run_.hand_stiffness * (
            run_.hand_target - run_.hand_position - 1e-3 * run_.hand_velocity
        ) + run_.hand_damping * (run_.hand_target_velocity - run_.hand_velocity)
        limited = run_.hand_stiffness.isnull() & held
        error = np.abs(wanted - run_.hand_force).where(held & ~limited)
        assert float(error.fillna(0.0).max()) < 1e-9
    assert viewer.told[-1].hand.held is None
    assert viewer.problems == []


def test_a_restart_lets_go() -> None:
    run, viewer = live(cube(), [5, at(1, 0.6), 5, ask.Restart(), 5], endless=True)
    with pytest.raises(KeyboardInterrupt):
        run.record(None, False, False)
    plain = cube()
    for _ in range(5):
        plain.step()
    assert run.sim.q.tobytes() == plain.q.tobytes()
    assert viewer.told[-1].hand.held is None


def test_what_a_hand_holds_may_be_deleted() -> None:
    grab = Reading(True, np.array([1.0, 0.0, 0.2]), link="box_1/object", point=np.zeros(3))
    script = [5, BOX, 5, ask.HandMove(1, grab), 5, ask.DeleteObject("box_1"), 5]
    run, viewer = live(cube(), script, endless=True)
    with pytest.raises(KeyboardInterrupt):
        run.record(None, False, False)
    assert any(status.hand.held == "box_1/object" for status in viewer.told)
    assert viewer.told[-1].hand.held is None
    assert "box_1" in viewer.problems[-1]
    assert run.sim.state.tick == 20


def test_a_scene_without_a_hand_says_how_to_get_one() -> None:
    sim = footfall.load("cube/drop", {"visualizer.plugin": "none"})
    run, viewer = live(sim, [at(1, 0.6)], duration=0.01)
    run.record(None, False, False)
    assert "[hands.mouse]" in viewer.problems[0]


def test_scenes_before_a_viewer_get_a_mouse_where_it_can_act() -> None:
    registry = discover()
    shown = {"visualizer.plugin": "meshcat"}
    mouse = mouse_of(load_scene("cube/drop", shown), registry)
    assert list(load_scene("cube/drop", {**shown, **mouse}).hands) == ["mouse"]
    assert not mouse_of(load_scene("cube/drop"), registry)
    smooth = {"integrator.plugin": "rk4", "contact.plugin": "compliant"}
    assert not mouse_of(load_scene("cube/drop", {**shown, **smooth}), registry)
    other = {"hands.own.device.plugin": "mouse"}
    assert not mouse_of(load_scene("cube/drop", {**shown, **other}), registry)
