"""Gravity of a live simulator: another from now on, with the same state."""

import numpy as np
import pytest

import footfall
from footfall.errors import FootfallError


@pytest.fixture
def sim():
    sim = footfall.load("cube/drop")
    for _ in range(100):
        sim.step()
    return sim


@pytest.mark.parametrize("gravity", [(0.0, 0.0, -1.62), (1.0, -2.0, 3.0), np.zeros(3)])
def test_a_free_body_falls_with_the_new_gravity_from_now_on(sim, gravity):
    """dv = R' g dt for a body that does not turn: base velocities are along its own axes."""
    before = sim.state.copy()
    other = footfall.with_gravity(sim, gravity)
    for name in ("q", "v", "tick"):
        assert other.state[name].tobytes() == before[name].tobytes()
    start = sim.signals("cube").nu.copy()
    assert np.linalg.norm(other.signals("cube").nu - start) == 0.0
    for _ in range(50):
        other.step()
    change = other.signals("cube").nu[:3] - start[:3]
    np.testing.assert_allclose(change, 50 * 1e-3 * np.asarray(gravity), rtol=0, atol=1e-12)
    assert sim.state["q"].tobytes() == before["q"].tobytes()
    assert sim.state["v"].tobytes() == before["v"].tobytes()


def test_none_of_the_jump_in_energy_is_work_or_an_error(sim):
    other = footfall.with_gravity(sim, (0.0, 0.0, -1.62))
    report = other.record(0.05)
    assert report.work == 0.0
    assert report.dissipated == pytest.approx(0.0, abs=1e-12)
    assert report.energy_end == pytest.approx(report.energy_start, rel=1e-3)


def test_what_goes_on_is_saved_and_restored_with_its_gravity(sim, tmp_path):
    other = footfall.with_gravity(sim, (0.0, 0.0, -1.62))
    other.save(tmp_path / "a.state")
    again = footfall.restore(tmp_path / "a.state")
    for _ in range(20):
        other.step()
        again.step()
    assert again.state.vector.tobytes() == other.state.vector.tobytes()
    np.testing.assert_array_equal(again.world.topology.gravity, (0.0, 0.0, -1.62))


@pytest.mark.parametrize("gravity", [3, "x", (1, 2), (1, 2, np.nan), None, (0, 0, 1e30)])
def test_what_is_no_gravity_is_one_error(sim, gravity):
    with pytest.raises(FootfallError):
        footfall.with_gravity(sim, gravity)


def test_a_scene_needs_no_duration():
    bodies = {"ball": {"robot": "ball", "base_position": [0.0, 0.0, 0.5]}}
    world = {"terrain": {"friction": 0.4}}
    scene = footfall.scene_from_dict({"world": world, "bodies": bodies}, footfall.discover())
    assert scene.simulation.duration == 1.0


def test_gravity_is_assigned_in_place_and_goes_on_as_the_other_simulator_does(sim):
    other = footfall.with_gravity(sim, (0.0, 0.0, -1.62))
    sim.gravity = (0.0, 0.0, -1.62)
    assert sim.gravity.tolist() == [0.0, 0.0, -1.62]
    for each in (sim, other):
        each.step()
        each.record(0.02)
    assert sim.state.vector.tobytes() == other.state.vector.tobytes()
    with pytest.raises(FootfallError, match="gravity must be numbers"):
        sim.gravity = "up"


def test_gravity_is_not_assigned_where_a_push_or_a_grip_would_be_lost(sim):
    sim.push("cube", force=(0.0, 100.0, 0.0))
    with pytest.raises(FootfallError, match="a push or a grip would be lost"):
        sim.gravity = (0.0, 0.0, -9.0)
    sim.step()
    sim.gravity = (0.0, 0.0, -9.0)
    grip = sim.grab("cube")
    with pytest.raises(FootfallError, match="a push or a grip would be lost"):
        sim.gravity = (0.0, 0.0, -9.81)
    grip.release()
    sim.gravity = (0.0, 0.0, -9.81)
    sim.step()


def test_no_entry_of_gravity_is_written_in_vain(sim):
    with pytest.raises(ValueError, match="read-only"):
        sim.gravity[2] = -1.62


def test_an_entry_of_gravity_is_tuned_by_its_key_as_derivatives_name_it(sim, tmp_path):
    other = footfall.with_gravity(sim, (0.0, 0.0, -1.62))
    sim.tune("world.gravity.2", -1.62)
    (noted,) = sim.provenance.tuned
    assert (noted.path, noted.old, noted.new) == ("world.gravity.2", -9.81, -1.62)
    sim.save(tmp_path / "a.state")
    again = footfall.restore(tmp_path / "a.state")
    for each in (sim, other, again):
        each.step()
    assert sim.state.vector.tobytes() == other.state.vector.tobytes()
    assert again.state.vector.tobytes() == other.state.vector.tobytes()
    assert sim.derivatives(parameters=["world.gravity.2"]).parameters.any()
    with pytest.raises(FootfallError, match=r"world.gravity\[2\]: must be <= 1e\+06"):
        sim.tune("world.gravity.2", 1e9)
    with pytest.raises(FootfallError, match=r"'world.gravity.3' cannot be tuned"):
        sim.tune("world.gravity.3", 1.0)
