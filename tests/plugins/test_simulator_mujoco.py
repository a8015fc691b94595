"""MuJoCo as a simulator: what only it does."""

import numpy as np
import pytest

import footfall
from footfall.errors import SceneError, SimulationError

mujoco = pytest.importorskip("mujoco", reason="needs the extra mujoco")

SIMULATOR = {"simulator.plugin": "mujoco", "visualizer.plugin": "none"}
G = 9.81


def test_contacts_between_shapes_are_recorded_and_carry_the_weight():
    sim = footfall.load("cube/stack", SIMULATOR)
    run = sim.run(2.0)
    bodies = sim.world.bodies
    masses = np.array([b.model.mass for b in bodies])
    start = len(run.time) - 1
    total = np.asarray(run.collision_wrench)[start, :, 2] if "collision_wrench" in run else None
    assert total is not None
    grounded = run.contact_force.sel(axis="z").sum("contact")[-1] if "contact_force" in run else 0.0
    assert float(grounded) + total.sum() == pytest.approx(masses.sum() * G, rel=0.05)


def test_a_saved_state_goes_on_with_and_without_its_scene(tmp_path):
    sim = footfall.load("cube/stack", SIMULATOR)
    for _ in range(300):
        sim.step()
    sim.save(tmp_path / "a.state")
    scene = footfall.load_scene("cube/stack", overrides=SIMULATOR)
    others = [
        footfall.restore(tmp_path / "a.state"),
        footfall.restore(tmp_path / "a.state", scene=scene),
    ]
    for _ in range(20):
        sim.step()
    for other in others:
        for _ in range(20):
            other.step()
        assert np.array_equal(other.q, sim.q)


def test_a_cone_that_is_none_is_refused():
    with pytest.raises(SceneError, match="cone"):
        footfall.load("cube/drop", {**SIMULATOR, "simulator.cone": "round"})


@pytest.mark.parametrize("value", [[-0.02, 1.0], [0.0, 0.0], [0.02, 0.0]])
def test_a_reference_of_two_forms_is_refused(value):
    with pytest.raises(SceneError, match=r"simulator.solref: must be a time constant .*both > 0"):
        footfall.load("cube/drop", {**SIMULATOR, "simulator.solref": value})


def test_what_mujoco_warns_of_ends_the_run_and_leaves_no_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    sim = footfall.load("cube/drop", SIMULATOR)
    sim.stepper.guest.model.opt.gravity[2] = np.nan
    with pytest.raises(SimulationError, match=r"step 0|not finite"):
        sim.step()
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("key", "start", "component", "slowed"),
    [
        ("torsional_friction", (0.0, 0.0, 10.0), 5, 5.0 * G * 0.002 / (2.0 * 0.1**2)),
        ("rolling_friction", (0.0, 10.0, 0.0), 0, 5.0 * G * 0.002 / (7.0 * 0.1)),
    ],
)
def test_moments_of_friction_slow_a_ball(key, start, component, slowed):
    """By 5 g b / (2 r^2) where it spins, and by 5 g c / (7 r) where it rolls."""
    change = {
        "simulator.cone": "elliptic",
        "world.terrain.friction": 0.5,
        "bodies.ball.base_linear_velocity": (0.1 * start[1], 0.0, 0.0),
        "bodies.ball.base_angular_velocity": start,
        f"bodies.ball.{key}": 0.002,
    }
    run = footfall.load("ball/rolling", {**SIMULATOR, **change}).run(0.5)
    speed = run.base_velocity.values.reshape(len(run.time), 6)[:, component]
    assert (speed[200] - speed[-1]) / 0.299 == pytest.approx(slowed, rel=0.01)
    moments = np.linalg.norm(run.contact_moment.values[200:, 0], axis=1)
    weight = run.attrs["weight"]
    assert moments.mean() == pytest.approx(0.002 * weight, rel=0.1)
