"""A hand that moves while the run is paused is drawn at once, and nothing else happens."""

from __future__ import annotations

import numpy as np
import pytest
from tests.live_viewers import ScriptedViewer, live

import footfall
from footfall.interfaces import interactive_visualizer as ask
from footfall.interfaces.input_device import Reading
from footfall_hands.live_run import LiveRun

MOUSE = {"hands.mouse.device.plugin": "mouse", "visualizer.plugin": "none"}
STIFFNESS, LIMIT = 300.0, 40.0
PLAIN = {**MOUSE, "hands.mouse.stiffness": STIFFNESS, "hands.mouse.force_limit": LIMIT}
BALL = {"shape": {"type": "sphere", "radius": 0.1}, "friction": 0.5}


def held(serial: int, where: tuple[float, ...], link: str = "cube/cube") -> ask.HandMove:
    return ask.HandMove(serial, Reading(True, np.array(where), link=link, point=np.zeros(3)))


def tip(serial: int, where: tuple[float, ...]) -> ask.HandMove:
    return ask.HandMove(serial, Reading(True, np.array(where), mode="touch"))


def drawn(*script: ask.Command | int) -> tuple[LiveRun, ScriptedViewer]:
    """Pause, do what the script says, and draw; then end."""
    run, viewer = live(footfall.load("cube/sliding", PLAIN), script, endless=True)
    with pytest.raises(KeyboardInterrupt):
        run.record(None, False, False)
    assert viewer.problems == []
    return run, viewer


def test_a_grab_is_drawn_with_the_force_of_its_spring_before_anything_moves() -> None:
    run, viewer = drawn(5, held(1, (0.0, 0.0, 0.15)))
    plain = footfall.load("cube/sliding", PLAIN)
    for _ in range(5):
        plain.step()
    assert run.sim.q.tobytes() == plain.q.tobytes()
    assert run.sim.state.tick == 5
    target, point, force, moment = viewer.frames[-1].hand.reshape(4, 3)
    np.testing.assert_allclose(target, [0.0, 0.0, 0.15])
    np.testing.assert_array_equal(point, run.sim.world.dynamics.pose[0, 9:])
    np.testing.assert_allclose(force, STIFFNESS * (target - point))
    assert not moment.any()
    hand = viewer.told[-1].hand
    assert (hand.held, hand.mode) == ("cube/cube", "drag")
    assert hand.mass == pytest.approx(1.0)
    assert hand.size == pytest.approx(np.linalg.norm(force))


def test_moves_and_the_release_are_drawn_too_and_the_limit_is_kept() -> None:
    _, viewer = drawn(5, held(1, (0.0, 0.0, 0.15)), held(2, (0.0, 0.0, 0.9)), ask.HandRelease(3))
    sizes = [np.linalg.norm(frame.hand[6:9]) for frame in viewer.frames]
    assert max(size for size in sizes if np.isfinite(size)) == pytest.approx(LIMIT)
    assert np.isnan(viewer.frames[-1].hand).all()
    assert viewer.told[-1].hand.held is None


def test_what_is_held_already_stays_held_where_it_was_taken() -> None:
    _, viewer = drawn(5, held(1, (0.0, 0.0, 0.15)), 20, held(2, (0.2, 0.0, 0.12), link="cube"))
    before, after = viewer.frames[-2].hand, viewer.frames[-1].hand
    np.testing.assert_allclose(after[:3], [0.2, 0.0, 0.12])
    np.testing.assert_allclose(after[3:6], before[3:6], atol=1e-3)  # of the next step
    np.testing.assert_allclose(after[6:9], STIFFNESS * (after[:3] - after[3:6]))


def test_the_ball_of_a_touch_is_drawn_where_it_presses() -> None:
    depth, top = 2e-3, 0.1
    run, viewer = drawn(5, tip(1, (0.0, 0.0, top + 0.01 - depth)))
    target, point, force, _ = viewer.frames[-1].hand.reshape(4, 3)
    np.testing.assert_allclose(target, [0.0, 0.0, top - depth], atol=1e-4)
    np.testing.assert_allclose(point[2], top, atol=1e-4)
    np.testing.assert_allclose(force, STIFFNESS * (target - point), atol=1e-9)
    assert viewer.told[-1].hand.held == "cube/cube"
    assert run.sim.state.tick == 5


def test_a_free_ball_is_drawn_without_a_force() -> None:
    _, viewer = drawn(5, tip(1, (2.0, 0.0, 0.5)))
    np.testing.assert_allclose(viewer.frames[-1].hand[:3], [2.0, 0.0, 0.5])
    assert np.isnan(viewer.frames[-1].hand[3:]).all()


def test_who_lets_go_and_takes_something_else_while_paused_holds_that() -> None:
    sim = footfall.with_object(
        footfall.load("cube/sliding", PLAIN), "ball", {**BALL, "base_position": [1.0, 0.0, 0.1]}
    )
    script = [
        *(5, held(1, (0.0, 0.0, 0.15)), 5, ask.HandRelease(2)),
        *(held(3, (1.0, 0.0, 0.3), "ball/object"), 2),
    ]
    run, viewer = live(sim, script, endless=True)
    with pytest.raises(KeyboardInterrupt):
        run.record(None, False, False)
    names = [status.hand.held for status in viewer.told]
    assert names[-1] == "ball/object"
    frame = next(f for f in viewer.frames if f.time > 8.5e-3 and f.hand[0] == 1.0)
    np.testing.assert_allclose(frame.hand[3:6], [1.0, 0.0, 0.1], atol=1e-3)
    assert viewer.problems == []


def test_a_grab_that_makes_no_sense_is_not_drawn() -> None:
    run, viewer = live(
        footfall.load("cube/sliding", PLAIN), [5, held(1, (0, 0, 0.2), "nobody/x")], endless=True
    )
    with pytest.raises(KeyboardInterrupt):
        run.record(None, False, False)
    assert np.isnan(viewer.frames[-1].hand).all()
