"""The humanoid holds a box that somebody pulls about: the grasp holds, and it stands."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import footfall
from footfall.recording.reader import open_run

pytestmark = pytest.mark.long  # a shorter one: tests/physics/test_grasping.py

LIFTED, EVERY, PULL = 6.9, 10, 0.05
"""When the box is up [s], steps from one recorded row to the next, how far the hand goes [m]."""
PULLS = {
    name: (7.9 + 1.5 * k, np.array(way, float))
    for k, (name, way) in enumerate(
        {
            "forward": (1, 0, 0),
            "back": (-1, 0, 0),
            "left": (0, 1, 0),
            "right": (0, -1, 0),
            "up": (0, 0, 1),
            "down": (0, 0, -1),
        }.items()
    )
}
"""When the hand is farthest in each direction, [s]."""
HALF = np.array([0.08, 0.15, 0.10])
"""Half the box's lengths, [m]."""
PALMS = ("l_palm", "r_palm")


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """Return the recording of the whole scene."""
    poses = [f"humanoid/frame.{palm}.pose" for palm in PALMS]
    sim = footfall.load(
        "humanoid/collaboration", {"recorder.interval": EVERY, "recorder.signals": poses}
    )
    path = tmp_path_factory.mktemp("collaboration") / "run.zarr"
    sim.record(None, path)
    return open_run(path)


def row(run, time):
    return run.isel(time=int(np.searchsorted(run.time.values, time - 1e-9)))


@pytest.mark.parametrize("name", PULLS)
def test_it_is_pulled_in_every_direction_and_follows(run, name):
    time, way = PULLS[name]
    before, there = row(run, LIFTED), row(run, time)
    force = there.hand_force.values[0]
    assert force @ way > 5.0
    moved = there.base_position.values[1] - before.base_position.values[1]
    assert moved @ way > 5e-3
    # As a spring does, the hand takes up the rest of its way; the box has all but come to rest.
    assert force @ way == pytest.approx(300.0 * (PULL - moved @ way), rel=0.15)


@pytest.mark.parametrize("palm", PALMS)
def test_no_corner_of_the_box_moves_by_a_millimetre_in_the_hands(run, palm):
    held = run.isel(time=run.time.values >= LIFTED)
    signs = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
    R = Rotation.from_quat(held.base_quaternion.values[:, 1]).as_matrix()
    corners = held.base_position.values[:, 1, None] + (signs * HALF) @ R.transpose(0, 2, 1)
    poses = held[f"signal_humanoid_frame_{palm}_pose"].values
    seen = (corners - poses[:, None, :3, 3]) @ poses[:, :3, :3]
    assert np.linalg.norm(seen - seen[0], axis=2).max() < 1e-3


def test_the_robot_stands_where_it_stood(run):
    places = run.contact_position.values[:, :8]
    assert np.linalg.norm(places - places[0], axis=2).max() < 1e-4
    # Three corners of a foot can carry what its four do: which is for the law to choose.
    assert run.gap.values[:, :8].max() < 1e-6
    before, after = row(run, LIFTED), run.isel(time=-1)
    np.testing.assert_allclose(after.base_position, before.base_position, atol=2e-3)


def test_the_recorded_force_is_that_of_the_spring_damper(run):
    held = run.isel(time=run.hand_link.values[:, 0] >= 0)
    dt = float(run.attrs["time_step"])
    get = {
        name: held[f"hand_{name}"].values[:, 0]
        for name in ("target", "target_velocity", "position", "velocity", "stiffness", "damping")
    }
    force = get["stiffness"][:, None] * (get["target"] - get["position"] - dt * get["velocity"])
    force += get["damping"][:, None] * (get["target_velocity"] - get["velocity"])
    np.testing.assert_allclose(held.hand_force.values[:, 0], force, rtol=1e-9, atol=1e-9)
    assert len(held.time) == pytest.approx(9.5 / (EVERY * dt), abs=2)


def test_the_box_alone_counts_for_the_effective_mass(run):
    held = run.hand_mass.values[run.hand_link.values[:, 0] >= 0, 0]
    np.testing.assert_allclose(held, 2.0, rtol=1e-9)


def test_the_residual_is_kept(run):
    assert run.residual_natural_map.values.max() <= 1e-5
