"""Derivatives of steps in which redundant contacts slip: they share their load canonically.

References are central differences of steps, with ``contact.tolerance = 1e-12``.
"""

import numpy as np
from tests.cases import each
from tests.plugins.test_gradients import PRESSED, SLIP, STICK, at, errors

import footfall

MASS = '<mass value="2"/><inertia ixx="0.01" iyy="0.01" izz="0.015" ixy="0" ixz="0" iyz="0"/>'
LINK = f'<robot name="h"><link name="r"><inertial>{MASS}</inertial></link></robot>'
FEET = 'base = "floating"\nmodel.file = "model.urdf"\n[[contact_features]]\nframe = "r"\n'
GRID = [(x, y, -0.05) for x in np.linspace(-0.1, 0.1, 6) for y in np.linspace(-0.05, 0.05, 6)]
EDGE = [(0.1 + 0.02 * np.sin(t), 0.05, -0.05 + 0.02 * (1.0 - np.cos(t))) for t in (0.0, 0.3, 0.6)]
ROLLED = [(x, y, z) for x0, y0, z in EDGE for x in (x0, -0.1) for y in (-y0, y0)]


def cube(speed=1.0, spin=5.0, yaw=0.0, depth=PRESSED, **overrides):
    """Return a cube that stands, slides and spins on its four corners."""
    sim = at("cube/sliding", 0, **overrides)
    sim.q[:] = [0.0, 0.0, 0.05 + depth, 0.0, 0.0, np.sin(0.5 * yaw), np.cos(0.5 * yaw)]
    sim.v[:] = [speed, 0.1 * speed, 0.0, 0.0, 0.0, spin]
    return sim


def sole(folder, points):
    """Return a rigid body with points below it, 1 mm deep, where positions are not corrected."""
    (folder / "model.urdf").write_text(LINK)
    numbers = [[float(x) for x in point] for point in points]
    (folder / "robot.toml").write_text(f'{FEET}kind = "point"\npoints = {numbers}\n')
    table = {
        "simulation": {"time_step": 1e-3},
        "world": {"terrain": {"plugin": "plane", "friction": 0.3}},
        "contact": {"plugin": "coulomb", "tolerance": 1e-12, "position_gain": 0.0},
        "bodies": {"b": {"robot": str(folder / "robot.toml"), "base_position": [0.0, 0.0, 0.05]}},
    }
    plugins = footfall.discover()
    sim = footfall.assemble(footfall.scene_from_dict(table, plugins), plugins)
    sim.q[2] -= 1e-3
    return sim


@each("yaw", [0.0, 0.3, 2.0])
@each("depth", [PRESSED, -2e-5, 5e-6])
@each("speed, spin", [(1.0, 5.0), (0.3, 10.0), (0.0, 10.0)])
def test_a_cube_that_slides_and_spins(yaw, depth, speed, spin):
    found, wrong = errors(cube(speed, spin, yaw, depth), size=1e-6, speed=1e-4)
    assert set(found.mode) == {SLIP}
    assert max(wrong.values()) < 1e-6, wrong


@each("depth, tilt", [(4e-4, 0.0), (6e-4, 0.0), (3e-3, 0.0), (3e-3, 0.03)])
def test_depths_beyond_what_is_corrected_at_once(depth, tilt):
    """The largest speed of correction is reached at 2.5 mm."""
    sim = cube(0.2, 3.0)
    sim.q[2:5] = 0.05 - depth, 0.0, tilt
    sim.q[6] = np.sqrt(1.0 - tilt**2)
    start = sim.state.copy()
    found, wrong = errors(sim, size=3e-6, speed=1e-4)
    assert max(wrong.values()) < 1e-6, wrong
    sim.state.restore(start)
    rollout, g = footfall.Rollout(sim, 1), np.random.default_rng(3).normal(size=(2, 6))
    np.testing.assert_allclose(np.hstack(rollout.vjp(*g)[:2]), g.ravel() @ found.state, rtol=1e-9)


@each("points", [GRID, ROLLED])
@each("speed, spin", [(0.3, 4.0), (0.0, 4.0), (0.3, 0.0)])
def test_a_sole_of_many_points_and_one_with_a_rolled_edge(tmp_path, points, speed, spin):
    sim = sole(tmp_path, points)
    sim.v[[0, 5]] = speed, spin
    found, wrong = errors(sim, size=1e-4, speed=1e-4)
    assert SLIP in found.mode
    assert max(wrong.values()) < 1e-6, wrong


@each("scene", ["icub/standing", "icub/motors", "humanoid/standing", "quadruped/standing"])
@each("speed, spin", [(0.3, 0.5), (0.5, 2.0)])
def test_feet_that_slide_under_a_robot_with_friction_in_its_joints(scene, speed, spin):
    sim = at(scene, 20, PRESSED, **{"world.terrain.friction": 0.3})
    sim.v[[0, 5]] += speed, spin
    found, wrong = errors(sim)
    assert SLIP in found.mode
    assert max(wrong.values()) < 2e-6, wrong


def test_one_foot_slides_and_the_other_is_partly_held():
    sim = at("icub/standing", 20, PRESSED, **{"world.terrain.friction": 0.3})
    rng = np.random.default_rng(0)
    rng.normal(size=len(sim.v))
    sim.v[:] = sim.v + rng.normal(0.0, 0.04, len(sim.v))
    found, wrong = errors(sim)
    assert {SLIP, STICK} <= set(found.mode)
    assert max(wrong.values()) < 2e-6, wrong


def test_friction_of_a_cube_that_slides_and_spins():
    key, size, ends = "bodies.cube.friction", 1e-4, []
    for change in (size, -size):
        sim = cube(depth=-2e-5, **{key: 0.4 + change})
        sim.step()
        ends.append(sim.v.copy())
    sim = cube(depth=-2e-5, **{key: 0.4})
    rollout = footfall.Rollout(sim, 1, parameters=[key])
    expected = (ends[0] - ends[1]) / (2.0 * size)
    forward = np.split(rollout.jacobians().parameters[0, :, 0], 2)[1]
    back = [rollout.vjp(np.zeros(6), axis).parameters[0] for axis in np.eye(6)]
    assert abs(expected).max() > 0.03
    np.testing.assert_allclose(forward, expected, atol=1e-7)
    np.testing.assert_allclose(back, expected, atol=1e-7)


def test_a_hundred_steps_of_sliding_and_spinning():
    sim = cube(speed=1.0, depth=-2e-5)
    start, size, length = sim.state.copy(), 1e-5, 100
    rollout, ends = footfall.Rollout(sim, length), []
    for change in size * np.vstack([np.eye(6), -np.eye(6)]):
        sim.state.restore(start)
        sim.v[:] += change
        ends.append(footfall.Rollout(sim, length).v[-1])
    expected = (np.array(ends[:6]) - np.array(ends[6:])).T / (2.0 * size)
    found = np.array([rollout.vjp(np.zeros(6), axis).v for axis in np.eye(6)])
    in_steps = rollout.sensitivities(np.eye(6))[-1, 6:]
    np.testing.assert_allclose(found, in_steps, rtol=1e-9, atol=1e-12)
    assert np.abs(found - expected).max() < 1e-5 * np.abs(expected).max()
