"""Derivatives of steps on ground that is not a plane, and of rims, against central differences."""

import numpy as np
from tests.cases import each
from tests.plugins.test_gradients import DEEP, OPEN, PRESSED, SLIP, STICK, at, errors, refused

import footfall

EULER = {"integrator.plugin": "semi_implicit_euler"}
HILLS = {
    "world.terrain.plugin": "heightmap",
    "world.terrain.function": "tests.plugins.test_gradients_of_ground:waves",
    "world.terrain.cells": (7, 7),
    "world.terrain.base": -0.05,
}


def waves(x, y):
    return 0.02 * np.sin(3.0 * x) * np.cos(2.0 * y)


def lowest(sim, gap):
    """Lift the base until the lowest contact point has a gap."""
    for _ in range(3):
        sim.stepper.observe(0.0)
        sim.q[2] += gap - sim.world.candidates.gap.min()
    return sim


@each(
    "scene, steps, shift, mode",
    [
        ("ball/hills", 300, PRESSED, STICK),
        ("ball/hills", 600, DEEP, STICK),
        ("ball/hills", 600, 3e-4, OPEN),
        ("ball/stairs", 400, -2e-5, STICK),
    ],
)
def test_a_ball_on_hills_and_stairs(scene, steps, shift, mode):
    found, wrong = errors(at(scene, steps, shift), size=1e-7)
    assert list(found.mode) == [mode]
    assert max(wrong.values()) < 1e-6, wrong


@each("gap", [PRESSED, DEEP, 1e-4])
@each("speed", [0.0, 0.5])
def test_points_of_a_cube_on_curved_ground(gap, speed):
    """Bilinear patches are curved within a cell: normals turn with the place of a point."""
    sim = at("cube/sliding", 0, **HILLS)
    sim.q[:2], sim.q[3:] = (0.31, 0.17), np.array([0.03, -0.05, 0.1, 1.0]) / np.sqrt(1.0134)
    sim.v[:] = speed, 0.2, -0.05, 0.3, -0.2, 0.1
    found, wrong = errors(lowest(sim, gap), size=1e-6)
    assert max(wrong.values()) < 1e-6, wrong
    assert OPEN not in found.mode or gap > 0.0


def test_a_ball_strikes_a_hill():
    sim = at("ball/hills", 0)
    sim.q[:2] = 0.131, 0.073  # inside a cell
    sim.v[:] = 0.4, 0.1, -0.3, 1.0, 2.0, 3.0
    _, wrong = errors(lowest(sim, 1e-4), size=1e-7)
    assert sim.signal("impact_splits") == 1
    assert max(wrong.values()) < 1e-6, wrong


@each("shift", [PRESSED, DEEP, 2e-3])
@each("scene", ["coin/rolling", "coin/sliding"])
def test_a_rim_that_rolls_or_slides(scene, shift):
    sim = at("coin/rolling", 200, shift, **EULER)
    if scene == "coin/sliding":
        sim.v[:3] += 0.5, 0.3, 0.0
    found, wrong = errors(sim, size=1e-7)
    modes = {SLIP if scene == "coin/sliding" else STICK}
    assert set(found.mode) == (set() if shift > 0.0 else modes)
    assert max(wrong.values()) < 1e-6, wrong


def test_a_rim_that_lies_flat_is_refused():
    sim = at("coin/rolling", 0, **EULER)
    sim.q[3:], sim.v[:] = (0.0, 0.0, 0.0, 1.0), 0.0
    if abs(sim.world.candidates.axis[0, 1]) > 0.5:
        sim.q[3:] = np.sqrt(0.5), 0.0, 0.0, np.sqrt(0.5)
    lowest(sim, PRESSED).step()
    refused(sim, "a rim that lies flat")


@each("scene, overrides", [("ball/hills", {}), ("coin/rolling", EULER)])
def test_the_gradient_of_a_run_is_that_of_its_jacobians(scene, overrides):
    run, rng = footfall.Rollout(at(scene, 200, **overrides), 12), np.random.default_rng(0)
    dq, dv = rng.normal(size=(2, 6))
    found, expected = run.vjp(dq, dv), np.concatenate([dq, dv])
    for state in run.jacobians().state[::-1]:
        expected = expected @ state
    scale = np.abs(expected).max()
    np.testing.assert_allclose(np.concatenate([found.q, found.v]), expected, atol=1e-9 * scale)
