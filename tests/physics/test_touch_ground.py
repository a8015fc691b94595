"""The ball of a hand meets the ground, whatever terrain it is, and what stands on it."""

import numpy as np
import pytest
from tests.cases import first
from tests.physics.hand_scenes import at, light_box, teach

from footfall import assemble
from footfall.scene.load import scene_from_dict

STIFFNESS, RADIUS, DEPTH = 500.0, 0.01, 3e-3
HAND = {
    "mode": "touch",
    "stiffness": STIFFNESS,
    "force_limit": 100.0,
    "tip_radius": RADIUS,
    "tip_friction": 0.0,
}


def tip(where):
    return at(where, link=None, point=None)


def on(terrain, tip_friction=0.0, **collisions):
    """Return the floating box over another ground."""
    tables = dict(light_box({**HAND, "tip_friction": tip_friction}).provenance.resolved["scene"])
    tables["world"] = {**tables["world"], "terrain": terrain}
    if collisions:
        tables["collisions"] = collisions
    return assemble(scene_from_dict(tables))


TILT = 0.3
GROUNDS = {
    "plane": ({"plugin": "plane"}, (0.0, 0.0, 1.0)),
    "tilted": (
        {"plugin": "plane", "normal": (np.sin(TILT), 0.0, np.cos(TILT))},
        (np.sin(TILT), 0.0, np.cos(TILT)),
    ),
}


@pytest.mark.parametrize("ground", GROUNDS)
def test_the_ground_pushes_back_along_its_normal_with_the_spring_of_the_depth(ground):
    terrain, normal = GROUNDS[ground]
    n, foot = np.array(normal), np.cross(normal, (0.0, 1.0, 0.0))
    sim = on({"friction": 0.5, **terrain})
    device = teach(sim, lambda t: tip(foot + (RADIUS - DEPTH) * n))
    run = sim.run(0.02)
    np.testing.assert_allclose(device.felt[-1][1], STIFFNESS * DEPTH * n, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(run.hand_support.values[-1, 0], -STIFFNESS * DEPTH * n, atol=1e-9)
    np.testing.assert_allclose(run.hand_position.values[-1, 0], foot, atol=1e-12)
    assert run.hand_link.values[-1, 0] == -2
    sim.step()
    assert sim.hands["right"].status.held == "fixed"
    assert not run.base_velocity.values.any()


def test_a_ball_above_the_ground_feels_nothing():
    sim = on({"plugin": "plane", "friction": 0.5})
    device = teach(sim, lambda t: tip((1.0, 0.0, RADIUS + 1e-6)))
    run = sim.run(0.02)
    assert not any(force.any() for _, force, _ in device.felt)
    assert (run.hand_link.values == -1).all()


STAIR = {
    "plugin": "steps",
    "friction": 0.5,
    "boxes": [{"position": (1.5, 0.0, 0.0), "size": (1.0, 2.0, 0.2)}],
}
BESIDE = {
    "top": ((1.5, 0.0, 0.2 + RADIUS - DEPTH), (0.0, 0.0, 1.0)),
    "side": ((1.0 - RADIUS + DEPTH, 0.0, 0.1), (-1.0, 0.0, 0.0)),
    "floor": ((0.5, 0.0, RADIUS - DEPTH), (0.0, 0.0, 1.0)),
}


@pytest.mark.parametrize("ground", first("points", "shapes", runs=2))
@pytest.mark.parametrize("face", first(*BESIDE, runs=2))
def test_a_ball_feels_the_faces_of_steps_once(face, ground):
    where, normal = BESIDE[face]
    sim = on(STAIR, detect=True, ground=ground)
    device = teach(sim, lambda t: tip(where))
    sim.run(0.003)
    expected = STIFFNESS * DEPTH * np.array(normal)
    np.testing.assert_allclose(device.felt[-1][1], expected, rtol=1e-9, atol=1e-12)


def test_a_ball_feels_the_slope_of_a_height_map(tmp_path):
    slope, x = 0.25, np.linspace(-2.0, 2.0, 41)
    heights = np.broadcast_to(slope * x[:, None], (41, 41))
    np.save(tmp_path / "slope.npy", heights)
    sim = on({"plugin": "heightmap", "file": str(tmp_path / "slope.npy"), "friction": 0.5})
    n = np.array([-slope, 0.0, 1.0]) / np.hypot(slope, 1.0)
    foot = np.array([0.73, 0.11, slope * 0.73])
    device = teach(sim, lambda t: tip(foot + (RADIUS - DEPTH) * n))
    sim.run(0.003)
    np.testing.assert_allclose(device.felt[-1][1], STIFFNESS * DEPTH * n, rtol=1e-6, atol=1e-9)


def test_a_ground_that_moves_pushes_deeper_and_takes_the_ball_along():
    def felt(friction, **amplitude):
        axis = {"kind": "sine", "frequency": 1.0, **amplitude}
        sim = on({"plugin": "moving", "friction": 0.5, "motion": axis}, tip_friction=friction)
        device = teach(sim, lambda t: tip((1.0, 0.0, RADIUS - DEPTH)))
        run = sim.run(0.1)
        return run.time.values + 1e-3, np.array([force for _, force, _ in device.felt])

    rise = 2e-3
    t, force = felt(0.0, amplitude=(0.0, 0.0, rise))
    depth = DEPTH + rise * np.sin(2.0 * np.pi * t)
    # The spring is asked at the end of the step, with the ground's velocity at its start.
    bend = 0.5 * (2.0 * np.pi) ** 2 * rise * 1e-6
    np.testing.assert_allclose(force[:, 2], STIFFNESS * depth, atol=1.1 * STIFFNESS * bend)
    t, force = felt(2.0, amplitude=(rise, 0.0, 0.0))
    gone = rise * np.sin(2.0 * np.pi * t)
    # The anchor adds up what each step has missed.
    missed = bend * len(t)
    np.testing.assert_allclose(force[:, 0], STIFFNESS * gone, atol=STIFFNESS * missed)
    assert force[-1, 0] > 0.5 * STIFFNESS * rise


def test_a_ball_pushes_a_box_along_the_ground_and_feels_both():
    hand = {**HAND, "stiffness": 2e3}
    tables = light_box(hand, mass=0.2, gravity=(0.0, 0.0, -9.81)).provenance.resolved["scene"]
    box = {**tables["bodies"]["box"], "base_position": (0.0, 0.0, 0.05), "friction": 0.5}
    sim = assemble(scene_from_dict({**tables, "bodies": {"box": box}}))
    device = teach(sim, lambda t: tip((-0.07 + 0.05 * t, 0.0, RADIUS - DEPTH)))
    run = sim.run(1.0)
    # Below its middle, so that it does not tip; it goes as far as the ball does.
    assert run.base_position.values[-1, 0, 0] > 0.025
    last = run.isel(time=-1)
    assert last.hand_link.values[0] == 0
    np.testing.assert_allclose(last.hand_support.values[0], [0.0, 0.0, -2e3 * DEPTH], atol=1e-9)
    total = last.hand_force.values[0] + last.hand_support.values[0]
    np.testing.assert_allclose(device.felt[999][1], -total, atol=1e-12)
    # Steady: the ball pushes as hard as friction holds, a quarter of the weight for each 0.5 kg.
    np.testing.assert_allclose(last.hand_force.values[0, 0], 0.5 * 0.2 * 9.81, rtol=0.02)


def test_what_a_force_sensor_measures_acts_once():
    hand = {**HAND, "force_scale": 1.0, "force_limit": 10.0}
    tables = light_box(hand, mass=0.2, gravity=(0.0, 0.0, -9.81)).provenance.resolved["scene"]
    box = {**tables["bodies"]["box"], "base_position": (0.0, 0.0, 0.05), "friction": 0.5}
    sim = assemble(scene_from_dict({**tables, "bodies": {"box": box}}))
    force = np.array([0.3, 0.0, -0.1])
    where = (-0.05 - RADIUS + 1e-3, 0.0, RADIUS - DEPTH)
    device = teach(sim, lambda t: at(where, link=None, point=None, force=force))
    sim.run(0.003)
    np.testing.assert_allclose(device.felt[-1][1], -force, atol=1e-12)
