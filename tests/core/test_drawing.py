"""What a visualizer is told of a simulator before the first frame."""

import numpy as np
import pytest

import footfall
from footfall.world.arrays import Energy


def pose(drawing, link):
    """Return the rotation (3, 3) and the origin (3,) of a link, world."""
    x, y, z, *turn = drawing.poses[link]
    a, b, c, w = turn
    R = np.array(
        [
            [1 - 2 * (b * b + c * c), 2 * (a * b - c * w), 2 * (a * c + b * w)],
            [2 * (a * b + c * w), 1 - 2 * (a * a + c * c), 2 * (b * c - a * w)],
            [2 * (a * c - b * w), 2 * (b * c + a * w), 1 - 2 * (a * a + b * b)],
        ]
    )
    return R, np.array([x, y, z])


@pytest.mark.parametrize("scene", ["humanoid/standing", "panda/pushing"])
def test_a_joint_moves_its_link_by_the_twist_that_is_told(scene):
    """Central differences of the pose by the joint's coordinate, in the link's own frame."""
    sim = footfall.load(scene)
    drawing = sim.drawing()
    robot = sim.world.bodies[0]
    first = 7 if robot.model.base == "floating" else 0
    joints = [joint for joint in drawing.graph().joints if joint[0].startswith(f"{robot.name}/")]
    assert [name.split("/")[1] for name, _, _ in joints] == list(robot.model.joint_names)
    h = 1e-5
    for k, (name, link, told) in enumerate(joints):
        sides = []
        for step in (-h, h):
            sim.q[first + k] += step
            sim.stepper.observe(0.0)
            drawing.place(0.0)
            sides.append(pose(drawing, link))
            sim.q[first + k] -= step
        (R0, p0), (R1, p1) = sides
        turned = (R0.T @ R1 - R1.T @ R0) / (4 * h)  # skew part
        found = [*(R0.T @ (p1 - p0) / (2 * h)), turned[2, 1], turned[0, 2], turned[1, 0]]
        np.testing.assert_allclose(found, told, atol=1e-5, err_msg=name)


def test_links_tell_their_masses_and_contact_points_their_friction():
    sim = footfall.load("humanoid/standing")
    graph = sim.drawing().graph()
    assert graph.inertias[:, 0].sum() == pytest.approx(sim.world.mass)
    sim.look()
    drawing = sim.drawing()
    drawing.place(sim.time)
    moment = np.zeros(3)
    for link, (mass, *com) in enumerate(graph.inertias[:, :4]):
        R, p = pose(drawing, link)
        moment += mass * (p + R @ com)
    own = sim.world.dynamics.energy[Energy.MASS_MOMENT : Energy.MASS_MOMENT + 3]
    np.testing.assert_allclose(moment, own, atol=1e-9)
    assert [name for name, *_ in graph.points] == list(sim.world.contact_names)
    assert {ground for _, _, ground, _ in graph.points} == {0.6}  # the scene's
