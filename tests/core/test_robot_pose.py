"""Placements and roll-pitch-yaw angles."""

import numpy as np
from tests.cases import each

from footfall.spatial.pose import Pose, rotation_about, rotation_from_rpy, rpy_from_rotation


@each("pitch", [0.0, 0.3, np.pi / 2, -np.pi / 2, np.pi / 2 - 1e-9, 2.5, np.pi])
@each(("roll", "yaw"), [(0.0, 0.0), (0.4, -1.2), (np.pi, np.pi), (-2.9, 3.0)])
def test_angles_of_a_rotation_give_it_back_even_in_gimbal_lock(roll, pitch, yaw):
    R = rotation_from_rpy((roll, pitch, yaw))
    again = rotation_from_rpy(rpy_from_rotation(R))
    # A few roundings of numbers of size one.
    np.testing.assert_allclose(again, R, atol=5e-16)


def test_roll_pitch_yaw_turn_about_fixed_axes_in_that_order():
    roll = rotation_about(np.array([1.0, 0.0, 0.0]), 0.1)
    pitch = rotation_about(np.array([0.0, 1.0, 0.0]), 0.2)
    yaw = rotation_about(np.array([0.0, 0.0, 1.0]), 0.3)
    np.testing.assert_allclose(rotation_from_rpy((0.1, 0.2, 0.3)), yaw @ pitch @ roll, atol=2e-16)


def test_a_quarter_turn_about_z_takes_x_to_y():
    R = rotation_about(np.array([0.0, 0.0, 1.0]), np.pi / 2)
    np.testing.assert_allclose(R @ [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], atol=2.3e-16)


def test_poses_compose_and_invert():
    outer = Pose.from_rpy((1.0, 2.0, 3.0), (0.1, 0.2, 0.3))
    inner = Pose.from_rpy((-1.0, 0.5, 0.0), (1.0, -0.4, 2.0))
    points = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    np.testing.assert_allclose((outer @ inner).apply(points), outer.apply(inner.apply(points)))
    unmoved = (outer.inverse() @ outer).apply(points)
    np.testing.assert_allclose(unmoved, points, atol=1e-14)
    np.testing.assert_allclose(outer.apply(points)[0], outer.apply(points[0]))
