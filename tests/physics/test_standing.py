"""Standing robots: forces, feet and residuals, as the project promises them."""

import numpy as np
import pytest

import footfall

ROBOTS = ["icub", "humanoid"]


def load(robot, scene, **overrides):
    if robot == "icub":
        pytest.importorskip("icub_models")
    return footfall.load(f"{robot}/{scene}", overrides=overrides)


def tilt(run):
    """Largest angle of the base from where it started, [rad]."""
    q = run.base_quaternion.values[:, 0]
    return 2.0 * np.arccos(np.clip(np.abs(q @ q[0]), 0.0, 1.0)).max()


@pytest.mark.parametrize("robot", ROBOTS)
@pytest.mark.parametrize("scene", ["standing", "drop"])
def test_it_stands_for_five_seconds(robot, scene, tmp_path):
    run = load(robot, scene).run(5.0, tmp_path / "run.zarr")
    last = run.isel(time=slice(-1000, None))
    lifted = last.contact_force.sel(axis="z").sum("contact").values
    np.testing.assert_allclose(lifted, run.attrs["weight"], rtol=5e-3)
    moved = np.ptp(last.contact_position.values, axis=0).max()
    assert moved <= 1e-6
    residual = run.residual_natural_map.values
    assert residual.max() <= 1e-5
    assert np.median(residual) <= 1e-7
    assert (last.contact_status == 1).all()  # every point sticks


@pytest.mark.slow
@pytest.mark.parametrize("robot", ROBOTS)
def test_it_keeps_standing_for_a_minute(robot, tmp_path):
    run = load(robot, "standing", **{"recorder.interval": 10}).run(60.0, tmp_path / "run.zarr")
    base = run.base_position.values[:, 0]
    assert np.linalg.norm(base - base[0], axis=1).max() < 0.01
    assert tilt(run) < np.radians(2.0)
    settled = run.contact_position.values[200:]
    assert np.abs(settled - settled[0]).max() < 1e-6
    assert run.residual_natural_map.max() <= 1e-5


@pytest.mark.parametrize("robot", ROBOTS)
def test_it_lands_and_stays_up(robot, tmp_path):
    run = load(robot, "drop").run(3.0, tmp_path / "run.zarr")
    assert run.gap.values[0].min() == pytest.approx(0.05, abs=1e-3)
    assert (run.gap.values[-1] < 1e-5).all()
    assert tilt(run) < np.radians(5.0)
    assert run.penetration.max() < 1e-4
    # It came down by the height that it was dropped from, within what the gains give way.
    fallen = run.base_position.values[0, 0, 2] - run.base_position.values[-1, 0, 2]
    assert fallen == pytest.approx(0.05, abs=5e-3)


@pytest.mark.parametrize("scene", ["icub/drop", "humanoid/drop"])
def test_engines_agree_in_free_flight(scene):
    """One second of flight without ground: 1e-8 in every coordinate."""
    pytest.importorskip("idyntree")
    ends = []
    for engine in ("pinocchio", "idyntree"):
        overrides = {"engine.plugin": engine, "world.terrain.offset": -100.0}
        sim = load(*scene.split("/"), **overrides)
        rng = np.random.default_rng(0)
        sim.v[:] += rng.normal(size=len(sim.v)) * 0.5
        for _ in range(1000):
            sim.step()
        ends.append(sim.q.copy())
    np.testing.assert_allclose(ends[1], ends[0], atol=1e-8)


@pytest.mark.parametrize("robot", ROBOTS)
def test_engines_agree_in_standing(robot):
    """1e-9 in q over the first 50 steps, 1e-6 over a second."""
    pytest.importorskip("idyntree")
    pair = [load(robot, "standing", **{"engine.plugin": e}) for e in ("pinocchio", "idyntree")]
    for step in range(1000):
        for sim in pair:
            sim.step()
        bound = 1e-9 if step < 50 else 1e-6
        assert np.abs(pair[0].q - pair[1].q).max() <= bound
