"""Every bundled robot is the same robot to every engine, however its base is held."""

import numpy as np
import pytest
from tests.robot_packages import need_package

from footfall.model.robot import list_robots, load_robot
from footfall.spatial.pose import Pose
from footfall_pinocchio.engine import Pinocchio

GRAVITY = np.array([0.3, -0.2, -9.81])
HELD = ("pendulum", "rrbot", "fourbar", "parallel_leg")
JOINTED = ("humanoid", "icub", "jvrc")
CASES = [
    *((name, "fixed") for name in (*HELD, *JOINTED)),
    *(
        (name, base)
        for name in list_robots()
        if name not in HELD
        for base in ("floating", "planar")
    ),
]


@pytest.mark.parametrize(("name", "base"), CASES)
def test_dynamics_and_frames_agree(name, base):
    pytest.importorskip("idyntree.bindings")
    need_package(name)
    from footfall_idyntree.engine import IDynTree

    robot = load_robot(name)
    placement = None if base == "floating" else Pose.from_rpy((1.0, 2.0, 3.0), (0.1, 0.2, 0.3))
    source = robot.source(name, GRAVITY, base=base, placement=placement)
    one, two = (engine().load(source) for engine in (Pinocchio, IDynTree))
    assert one.model.joint_names == two.model.joint_names == source.joints
    rng = np.random.default_rng(11)
    q, v = rng.uniform(-0.5, 0.5, one.model.nq), rng.normal(size=one.model.nv)
    if base == "floating":
        q[3:7] /= np.linalg.norm(q[3:7])
    for tree in (one, two):
        tree.evaluate(q, v)
    # Rounding of two recursions over some 30 links.
    np.testing.assert_allclose(two.M, one.M, atol=1e-12 * np.abs(one.M).max())
    np.testing.assert_allclose(two.h, one.h, atol=1e-12 * max(1.0, np.abs(one.h).max()))
    assert robot.urdf is not None
    for link in robot.urdf.links:
        places = [where(tree, link) for tree in (one, two)]
        np.testing.assert_allclose(places[1], places[0], atol=1e-12, err_msg=link)


def where(tree, link: str):
    """Return the world rotation and origin of a link of the URDF."""
    frame = tree.model.frames[link]
    row = tree.pose[frame.link]
    pose = Pose(row[:9].reshape(3, 3).T, row[9:]) @ Pose(frame.rotation, frame.translation)
    return np.vstack([pose.rotation, pose.translation])
