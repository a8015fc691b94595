"""JVRC-1 takes a box from a table with the flat of its palms, lifts it and holds it."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from tests.robot_packages import need_package

import footfall
from footfall.recording.reader import open_run

pytestmark = pytest.mark.long  # tests/physics/test_grasping.py does the same in every run
CLOSED, UP, END = 3.4, 6.8, 28.0
"""When both hands lie flat on the box, by 5 N, when it is up, and when the run ends, [s]."""
HALF = np.array([0.08, 0.15, 0.10])
"""Half the box's lengths, [m]."""
HANDS = ("l_wrist", "r_wrist")


@pytest.fixture(scope="module")
def held(tmp_path_factory):
    """Return recording and report of the whole scene; every 20th step is recorded."""
    need_package("jvrc/grasp")
    poses = [f"jvrc/frame.{hand}.pose" for hand in HANDS]
    sim = footfall.load("jvrc/grasp", {"recorder.interval": 20, "recorder.signals": poses})
    path = tmp_path_factory.mktemp("grasp") / "run.zarr"
    report = sim.record(END, path)
    return open_run(path), report


def test_the_box_is_lifted_and_held_for_twenty_seconds(held):
    run, _ = held
    height = run.base_position.values[:, 1, 2]
    assert height[run.time.values >= UP].min() - height[0] >= 0.1
    assert END - UP >= 20.0


@pytest.mark.parametrize("hand", HANDS)
def test_no_corner_of_it_moves_by_a_millimetre_in_the_hand(held, hand):
    run, _ = held
    run = run.isel(time=run.time.values >= CLOSED - 1e-9)
    signs = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
    R = Rotation.from_quat(run.base_quaternion.values[:, 1]).as_matrix()
    corners = run.base_position.values[:, 1, None] + (signs * HALF) @ R.transpose(0, 2, 1)
    poses = run[f"signal_jvrc_frame_{hand}_pose"].values
    seen = (corners - poses[:, None, :3, 3]) @ poses[:, :3, :3]
    assert np.linalg.norm(seen - seen[0], axis=2).max() < 1e-3


def test_the_residual_is_kept_in_every_step(held):
    _, report = held
    assert report.natural_map_worst <= 1e-5
    assert report.natural_map_median <= 1e-7


def test_feet_stay_and_the_box_weighs_on_the_hands(held):
    run, _ = held
    places = run.contact_position.values[:, :8]
    assert np.linalg.norm(places - places[0], axis=2).max() < 1e-4
    wrench = run.collision_wrench.values[run.time.values >= END - 1.0, 1]
    np.testing.assert_allclose(wrench[:, 2], 2.0 * 9.81, atol=1e-2)
