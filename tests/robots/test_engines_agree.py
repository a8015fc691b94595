"""Every bundled robot is the same robot to every engine, however its base is held."""

import numpy as np
import pytest
from tests.cases import first
from tests.robot_packages import need_package

from footfall.model.robot import list_robots, load_robot
from footfall.registry.discover import discover
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


STATES = 12
TURNS = np.array(
    [
        *([0.0, 0.0, 0.0, 1.0], [0.0, 0.0, 0.0, -1.0], [1.0, 0.0, 0.0, 0.0], [0.0, -1.0, 0.0, 0.0]),
        *([1e-9, 0.0, 0.0, 1.0], [0.0, 1.0, 0.0, 1e-160], [0.5, -0.5, 0.5, -0.5]),
    ]
)
"""Quaternions of floating bases beside random ones: whole and half turns, all but none."""


@pytest.fixture(scope="module", params=["idyntree", "featherstone", "mujoco"])
def other(request):
    entry = discover().engine[request.param]
    if entry.missing:
        pytest.skip(entry.install_hint)
    return entry.load()()


@pytest.mark.parametrize(("name", "base"), first(*CASES, runs=30, names=2))
def test_dynamics_and_frames_agree(name, base, other):
    need_package(name)
    robot = load_robot(name)
    placement = None if base == "floating" else Pose.from_rpy((1.0, 2.0, 3.0), (0.1, 0.2, 0.3))
    source = robot.source(name, GRAVITY, base=base, placement=placement)
    one, two = (engine.load(source) for engine in (Pinocchio(), other))
    assert one.model.joint_names == two.model.joint_names == source.joints
    assert robot.urdf is not None
    for q, v in states(one.model):
        for tree in (one, two):
            tree.evaluate(q, v)
        for field in ("M", "h", "S", "pose"):
            a, b = getattr(one, field), getattr(two, field)
            # Rounding of two recursions over some 30 links.
            np.testing.assert_allclose(b, a, rtol=0.0, atol=1e-12 * max(1.0, np.abs(a).max()))
        for link in robot.urdf.links:
            places = [where(tree, link) for tree in (one, two)]
            np.testing.assert_allclose(places[1], places[0], atol=1e-12, err_msg=link)


def states(model):
    """Yield positions and velocities: random ones, floating bases in all attitudes."""
    rng = np.random.default_rng(11)
    for k in range(STATES):
        q, v = rng.uniform(-np.pi, np.pi, model.nq), rng.normal(size=model.nv)
        if model.base == "floating":
            q[3:7] = TURNS[k] if k < len(TURNS) else rng.normal(size=4)
            q[3:7] /= np.linalg.norm(q[3:7])
        yield q, v


def where(tree, link: str):
    """Return the world rotation and origin of a link of the URDF."""
    frame = tree.model.frames[link]
    row = tree.pose[frame.link]
    pose = Pose(row[:9].reshape(3, 3).T, row[9:]) @ Pose(frame.rotation, frame.translation)
    return np.vstack([pose.rotation, pose.translation])
