"""Derivatives of steps on moving ground and on prescribed bodies, against central differences."""

from dataclasses import replace

import numpy as np
from tests.cases import each
from tests.plugins.gradient_scenes import CORRECTED, TIGHT, Case
from tests.plugins.test_gradients import DEEP, PRESSED, SLIP, STICK, at, errors, refused
from tests.plugins.test_gradients_kit import compare_state

import footfall

SHAPES = {
    "box": {"type": "box", "size": [0.3, 0.2, 0.15]},
    "sphere": {"type": "sphere", "radius": 0.075},
}
TURNING = {"kind": "constant", "angular_velocity": (0.0, 0.0, 1.0)}


def on_tray(shape, steps, gap, belt=None, **motion):
    """Return a simulator of a body a gap above a fixed object that moves, and its velocities."""
    tray = {"shape": {"type": "box", "size": [1.0, 1.0, 0.1]}, "fixed": True, "friction": 0.5}
    body = {"shape": SHAPES[shape], "mass": 1.0, "friction": 0.3}
    table = {
        "simulation": {"time_step": 1e-3},
        "world": {"terrain": {"plugin": "plane", "friction": 0.4}},
        "contact": {"plugin": "coulomb", "tolerance": 1e-12},
        "collisions": {"detect": True},
        "bodies": {
            "tray": {**tray, "base_position": [0.0, 0.0, 0.5], **(belt or {"motion": motion})},
            "body": {**body, "base_position": [0.01, 0.02, 0.625]},
        },
    }
    plugins = footfall.discover()
    sim = footfall.assemble(footfall.scene_from_dict(table, plugins), plugins)
    for _ in range(steps):
        sim.step()
    first = sim.world.index("body")
    sim.q[sim.world.q_slice(first)][2] += gap
    return sim, np.arange(6) + sim.world.v_slice(first).start


@each(
    "scene, steps, shift, mode",
    [
        ("cube/conveyor", 50, PRESSED, SLIP),
        ("cube/conveyor", 50, DEEP, SLIP),
        ("cube/conveyor", 500, PRESSED, STICK),
        ("cube/shaken", 333, PRESSED, STICK),
    ],
)
def test_a_cube_on_moving_ground(scene, steps, shift, mode):
    found, wrong = errors(at(scene, steps, shift), size=1e-7)
    assert set(found.mode) == {mode}
    assert max(wrong.values()) < 1e-6, wrong


@each(
    "shape, steps, gap, rise, modes",
    [
        ("box", 3, PRESSED, 0.0, {SLIP}),
        ("box", 300, PRESSED, 0.0, {STICK}),
        ("box", 300, DEEP, 0.2, {STICK}),
        ("sphere", 300, DEEP, 0.2, {STICK}),
        ("sphere", 0, 1e-4, 0.3, {SLIP}),
    ],
)
def test_a_body_on_a_prescribed_one(shape, steps, gap, rise, modes):
    """Rows and columns of the prescribed body are zero: time alone moves it."""
    sim, body = on_tray(shape, steps, gap, velocity=[0.4, 0.1, rise])
    reference, nv = footfall.step_differences(sim, size=1e-7).state, sim.world.nv
    sim.step()
    found = sim.derivatives()
    assert set(found.mode) == modes
    assert sim.signal("impact_splits") == (steps == 0)
    own = np.concatenate([body, nv + body])
    expected, mine = reference[np.ix_(own, own)], found.state.copy()
    np.testing.assert_allclose(
        mine[np.ix_(own, own)], expected, atol=1e-6 * np.abs(expected).max(), rtol=0.0
    )
    mine[np.ix_(own, own)] = 0.0
    assert not mine.any()


@each("shape, gap, fall", [("box", PRESSED, 0.0), ("sphere", DEEP, 0.0), ("sphere", 1e-4, -0.4)])
def test_a_body_on_a_belt(shape, gap, fall):
    sim, body = on_tray(shape, 2, gap, {"surface_velocity": {"top": [0.7, 0.2, 0.0]}})
    sim.v[2] += fall
    found, wrong = errors(sim, size=1e-7)
    assert set(found.mode) == {SLIP}
    assert sim.signal("impact_splits") == (fall < 0.0)
    assert max(wrong.values()) < 1e-6, wrong
    assert len(body) == sim.world.nv


def test_prescribed_bodies_that_turn_are_refused():
    sim, _ = on_tray("box", 3, PRESSED, angular_velocity=[0.0, 0.0, 1.0])
    sim.step()
    refused(sim, "prescribed bodies that turn")


ABOUT = {
    "constant": {**TURNING, "velocity": (0.3, 0.0, 0.0)},
    "sine": {"kind": "sine", "frequency": 2.0, "rotation_amplitude": (0.0, 0.0, 0.5)},
}
TURNS = {
    "slides": Case("cube/conveyor", steps=5, depth=PRESSED, v={0: 0.5, 5: 2.0}),
    "rides": Case("cube/conveyor", steps=300, depth=PRESSED),
    "ball": Case("ball/rolling", change={}, steps=5, depth=CORRECTED, v={0: 0.5}),
}


@each("name", TURNS)
@each("motion", ABOUT)
def test_ground_that_turns(tmp_path, name, motion):
    case, total = TURNS[name], np.zeros(2, int)
    scene = footfall.load(case.scene).provenance.resolved["scene"]
    ground = {"plugin": "moving", "friction": 0.5, "motion": ABOUT[motion]}
    case = replace(
        case, scene={**scene, "world": {**scene["world"], "terrain": ground}}, change=TIGHT
    )
    compare_state(case, tmp_path, 0, total)
    assert total[0] == 0


@each("tilt, v", [((0.3, 0.2, 0.1), {2: -0.5}), ((0.2, -0.1, 0.0), {0: 0.4, 2: -0.5, 4: 1.0})])
def test_a_cube_that_strikes_a_belt(tmp_path, tilt, v):
    total = np.zeros(2, int)
    case = Case("cube/conveyor", steps=0, depth=-2e-4, tilt=tilt, v=v)
    compare_state(case, tmp_path, 0, total)
    assert case.load(tmp_path).world.ground.velocity.any()


@each(
    "change", [{"world.terrain.motion": TURNING}, {"world.terrain.motion.velocity": (1.0, 0, 0.1)}]
)
def test_an_impact_on_ground_that_rises_or_turns_is_refused(change):
    sim = at("cube/conveyor", 0, **change)
    sim.q[2], sim.v[2] = 0.0501, -0.5
    sim.step()
    refused(sim, "impacts on ground that rises, turns")


def test_the_gradient_of_a_run_is_that_of_its_jacobians():
    sim, _ = on_tray("sphere", 100, PRESSED, velocity=[0.4, 0.1, 0.0])
    for start in sim, at("cube/shaken", 330):
        run, rng = footfall.Rollout(start, 9), np.random.default_rng(0)
        dq, dv = rng.normal(size=(2, start.world.nv))
        found, expected = run.vjp(dq, dv), np.concatenate([dq, dv])
        for state in run.jacobians().state[::-1]:
            expected = expected @ state
        scale = np.abs(expected).max()
        np.testing.assert_allclose(np.concatenate([found.q, found.v]), expected, atol=1e-9 * scale)
