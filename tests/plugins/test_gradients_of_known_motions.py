"""Derivatives of steps on moving ground and on prescribed bodies, against central differences."""

from dataclasses import replace

import numpy as np
from tests.cases import each
from tests.plugins.differences import Differences
from tests.plugins.gradient_scenes import CORRECTED, TIGHT, Case
from tests.plugins.test_gradients import DEEP, PRESSED, SLIP, STICK, at, errors
from tests.plugins.test_gradients_kit import compare_state, misses

import footfall

SHAPES = {
    "box": {"type": "box", "size": [0.3, 0.2, 0.15]},
    "sphere": {"type": "sphere", "radius": 0.075},
}
TURNING = {"kind": "constant", "angular_velocity": (0.0, 0.0, 1.0)}


def bodies(**tables):
    """Return a simulator of objects whose contacts are detected."""
    table = {
        "simulation": {"time_step": 1e-3},
        "world": {"terrain": {"plugin": "plane", "friction": 0.4}},
        "contact": {"plugin": "coulomb", "tolerance": 1e-12},
        "collisions": {"detect": True},
        "bodies": tables,
    }
    plugins = footfall.discover()
    return footfall.assemble(footfall.scene_from_dict(table, plugins), plugins)


def on_tray(shape, steps, gap, belt=None, **motion):
    """Return a simulator of a body a gap above a fixed object that moves, and its velocities."""
    tray = {"shape": {"type": "box", "size": [1.0, 1.0, 0.1]}, "fixed": True, "friction": 0.5}
    body = {"shape": SHAPES[shape], "mass": 1.0, "friction": 0.3}
    sim = bodies(
        tray={**tray, "base_position": [0.0, 0.0, 0.5], **(belt or {"motion": motion})},
        body={**body, "base_position": [0.01, 0.02, 0.625]},
    )
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


ABOUT = {
    "constant": {**TURNING, "velocity": (0.3, 0.0, 0.0)},
    "sine": {"kind": "sine", "frequency": 2.0, "rotation_amplitude": (0.0, 0.0, 0.5)},
}
TURNS = {
    "slides": Case("cube/conveyor", steps=5, depth=PRESSED, v={0: 0.5, 5: 2.0}),
    "rides": Case("cube/conveyor", steps=300, depth=PRESSED),
    "ball": Case("ball/rolling", change={}, steps=5, depth=CORRECTED, v={0: 0.5}),
}


def on_ground(case, change, **ground):
    """Return a case on ground that moves, with changes of its scene."""
    scene = footfall.load(case.scene).provenance.resolved["scene"]
    terrain = {"plugin": "moving", "friction": 0.5, **ground}
    scene = {**scene, "world": {**scene["world"], "terrain": terrain}}
    return replace(case, scene=scene, change=change)


def compare_all(case, folder):
    """Compare all columns with differences; none is left out."""
    total = np.zeros(2, int)
    compare_state(case, folder, 0, total)
    assert total[0] == 0


@each("name", TURNS)
@each("motion", ABOUT)
def test_ground_that_turns(tmp_path, name, motion):
    compare_all(on_ground(TURNS[name], TIGHT, motion=ABOUT[motion]), tmp_path)


@each("tilt, v", [((0.3, 0.2, 0.1), {2: -0.5}), ((0.2, -0.1, 0.0), {0: 0.4, 2: -0.5, 4: 1.0})])
def test_a_cube_that_strikes_a_belt(tmp_path, tilt, v):
    case = Case("cube/conveyor", steps=0, depth=-2e-4, tilt=tilt, v=v)
    compare_state(case, tmp_path, 0, np.zeros(2, int))
    assert case.load(tmp_path).world.ground.velocity.any()


MOTIONS = {
    "rises": {"kind": "constant", "velocity": (0.3, 0.1, 0.2)},
    "turns": {**TURNING, "velocity": (0.3, 0.1, 0.0)},
    "tilts": {"kind": "constant", "velocity": (0.3, 0.1, -0.1), "angular_velocity": (0.4, -0.3, 1)},
    "shakes": {"kind": "sine", "frequency": 20.0, "amplitude": (0.004, 0.0, 0.004)},
    "rocks": {
        **{"kind": "sine", "frequency": 8.0, "amplitude": (0.01, 0.005, 0.01)},
        "rotation_amplitude": (0.05, 0.1, 0.3),
    },
}
UP = {"base_position": [0.0, 0.0, 0.6]}
"""Start in the air: points that have touched the ground do not strike it."""
STRIKES = {
    "a cube slides": Case("cube/conveyor", steps=5, depth=PRESSED, v={0: 0.5, 5: 2.0}),
    "a cube strikes": Case(
        "cube/conveyor",
        change={"bodies.cube": UP},
        steps=25,
        depth=-2e-4,
        tilt=(0.2, -0.1, 0.0),
        v={0: 0.4, 2: -2.0, 4: 1.0},
    ),
    "a ball bounces": Case("ball/bounce", steps=7, depth=-3e-4, v={0: 0.5, 2: -2.0, 4: 3.0}),
    "a quadruped lands": Case(
        "quadruped/standing",
        change={"bodies.quadruped": UP},
        steps=25,
        depth=-1e-4,
        v={2: -2.0},
        spread=0.1,
    ),
}


@each("motion", MOTIONS)
@each("name", STRIKES)
def test_what_slides_on_and_strikes_ground_that_moves_in_any_way(tmp_path, name, motion):
    """Place, normal and speed of the ground change until the impact, whose time changes too."""
    case, more = STRIKES[name], {"restitution": 0.6} if name == "a ball bounces" else {}
    lifted = {f"{body}.{k}": x for body, start in case.change.items() for k, x in start.items()}
    case = on_ground(case, {**TIGHT, **lifted}, motion=MOTIONS[motion], **more)
    compare_all(case, tmp_path)
    sim = case.load(tmp_path)
    sim.step()
    assert sim.signal("impact_splits") > 0 or name == "a cube slides"


def of_body(sim, body, **sizes):
    """Return derivatives of the next step, and the relative error of a body's own rows."""
    reference, nv = footfall.step_differences(sim, **sizes).state, sim.world.nv
    sim.step()
    found, own = sim.derivatives(), np.concatenate([body, nv + body])
    expected, mine = reference[np.ix_(own, own)], found.state[np.ix_(own, own)]
    halves = abs(mine - expected).reshape(2, -1).max(axis=1)
    return found, (halves / abs(expected).reshape(2, -1).max(axis=1)).max()


@each("turning", [(0.0, 0.0, 1.0), (0.5, 0.3, 0.0), (0.2, -0.8, 2.0)])
@each(
    "shape, steps, gap",
    [("box", 3, PRESSED), ("sphere", 3, PRESSED), ("sphere", 40, DEEP), ("sphere", 0, 1e-4)],
)
def test_a_body_on_a_tray_that_turns(shape, steps, gap, turning):
    """It moves along chords of the tray, which change with its place and with the step's length."""
    rise = 0.0 if steps else 0.3
    sim, body = on_tray(
        shape,
        steps,
        gap,
        angular_velocity=turning,
        velocity=[0.4, 0.1, rise] if rise else (0, 0, 0),
    )
    found, error = of_body(sim, body, size=1e-7)
    assert (sim.signal("impact_splits") > 0) == (steps == 0)
    assert found.mode.any()
    assert error < 1e-6


def compared(sim):
    """Step; return derivatives, of which no column differs from converged differences."""
    step = Differences(sim, Case(""))
    found = sim.derivatives()
    wrong, skipped, _ = misses(step.columns(), [found])
    assert not wrong + skipped
    sim.state.restore(step.start)
    step.step(sim)
    return found


ROLLER = {"shape": {"type": "capsule", "radius": 0.1, "length": 0.3}, "friction": 0.4}


@each("own", [{"fixed": True}, {"mass": 1.0}])
@each("gap", [PRESSED, 1e-4])
def test_a_ball_on_a_roller_whose_surface_moves(own, gap):
    """The normal turns with the place of the ball, and with it the direction of the surface."""
    roller = {
        **ROLLER,
        **own,
        "base_position": [0.0, 0.0, 0.3],
        "base_orientation": [0.2, 1.3, 0.1],
    }
    roller["surface_velocity"] = [0.5, 0.3, 0.2]
    ball = {"shape": {"type": "sphere", "radius": 0.1}, "mass": 1.0, "friction": 0.3}
    sim = bodies(ball={**ball, "base_position": [0.02, 0.03, 0.55]}, roller=roller)
    at = sim.world.v_slice(sim.world.index("ball")).start
    for _ in range(9):
        sim.stepper.observe(0.0)
        shapes = sim.world.collider.detector.found
        lowest = shapes.gap[: shapes.n].min() if shapes.n else 0.01
        sim.q[sim.world.q_slice(sim.world.index("ball"))][2] -= lowest - gap
    sim.v[at : at + 6] = 0.0, 0.1, -0.3 if gap > 0.0 else -0.02, 1.0, 2.0, 3.0
    found = compared(sim)
    assert SLIP in found.mode
    assert sim.signal("impact_splits") == (gap > 0.0)


@each("faces", [{"bottom": [0.7, 0.2, 0.0]}, [0.7, 0.2, 0.0]])
@each("gap", [PRESSED, DEEP])
def test_a_tracked_body(faces, gap):
    box = {"shape": SHAPES["box"], "mass": 1.0, "friction": 0.3, "surface_velocity": faces}
    sim = bodies(box={**box, "base_position": [0.0, 0.0, 0.075 + gap]})
    sim.v[:2], sim.v[5] = (0.1, 0.05), 0.8
    assert set(compared(sim).mode) == {SLIP}


def test_the_gradient_of_a_run_is_that_of_its_jacobians():
    turning = {"velocity": [0.4, 0.1, 0.0], "angular_velocity": [0.2, -0.8, 2.0]}
    sim, _ = on_tray("sphere", 100, PRESSED, **turning)
    for start in sim, at("cube/shaken", 330):
        run, rng = footfall.Rollout(start, 9), np.random.default_rng(0)
        dq, dv = rng.normal(size=(2, start.world.nv))
        found, expected = run.vjp(dq, dv), np.concatenate([dq, dv])
        for state in run.jacobians().state[::-1]:
            expected = expected @ state
        scale = np.abs(expected).max()
        np.testing.assert_allclose(np.concatenate([found.q, found.v]), expected, atol=1e-9 * scale)
