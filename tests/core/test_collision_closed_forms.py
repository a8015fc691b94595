"""Pairs with a closed form: known distances, and agreement with Coal on random poses."""

import numpy as np
import pytest
from tests.cases import each
from tests.core.collision_worlds import Coal, detector, features, pose, random_poses, turned, yaw

from footfall.geometry.shapes import Box, Capsule, Cylinder, HalfSpace, Sphere
from footfall_stepper.world.collision_arrays import unpack_key

GROUND = HalfSpace()
BALL, BOX, CAPSULE = Sphere(0.3), Box((0.5, 0.6, 0.8)), Capsule(0.2, 0.7)
CYLINDER, SLAB = Cylinder(0.25, 0.6), Box((0.3, 0.9, 0.4))
EXACT = 1e-14
"""Rounding of a few operations on lengths of about a metre."""
ALMOST_A_FACE = 0.0101
"""Angle [rad] up to which the common normal of two edges counts as a face's normal."""
PAIRS = {
    "sphere-sphere": (BALL, Sphere(0.2)),
    "sphere-box": (BALL, BOX),
    "box-sphere": (BOX, BALL),
    "sphere-capsule": (BALL, CAPSULE),
    "capsule-sphere": (CAPSULE, BALL),
    "sphere-cylinder": (BALL, CYLINDER),
    "cylinder-sphere": (CYLINDER, BALL),
    "capsule-capsule": (CAPSULE, Capsule(0.1, 0.9)),
    "box-box": (BOX, SLAB),
}


@each(("first", "second"), PAIRS.values(), ids=PAIRS)
def test_closed_forms_agree_with_coal(first, second):
    """Distance and normal to 1e-9, except where edges nearly make a face (known, bounded)."""
    margin, rng, compared = 0.1, np.random.default_rng(7), 0
    ours, coal = detector(first, second, margin=margin), Coal(first, second, margin)
    for _ in range(300):
        poses = random_poses(rng, 0.35, 1.1)
        found, theirs = ours.detect(poses), coal.ask(poses)
        assert (found.n == 0) == (theirs is None)
        if theirs is None:
            continue
        compared += 1
        closest = int(np.argmin(found.gap))
        off = float(np.linalg.norm(found.normal[closest] - theirs[1]))
        both_boxes = first is BOX and second is SLAB
        if both_boxes and 1e-9 < off < ALMOST_A_FACE:
            assert found.gap[closest] == pytest.approx(theirs[0], rel=ALMOST_A_FACE**2, abs=1e-9)
        else:
            assert off < 1e-9
            assert found.gap[closest] == pytest.approx(theirs[0], abs=1e-9)
    assert compared > 100


def only(found):
    assert found.n == 1
    return found.position[0], found.normal[0], float(found.gap[0])


@pytest.mark.parametrize("gap", [-0.01, 0.0, 5e-4])
def test_two_spheres_touch_between_their_centres(gap):
    axis = np.array([2.0, -1.0, 2.0]) / 3.0
    away = (0.3 + 0.2 + gap) * axis
    position, normal, found = only(
        detector(BALL, Sphere(0.2)).detect(
            np.array([pose((0, 0, 1)), pose(away + np.array([0, 0, 1]))])
        )
    )
    assert found == pytest.approx(gap, abs=EXACT)
    assert normal == pytest.approx(axis, abs=EXACT)
    assert position == pytest.approx((0, 0, 1) + (0.3 + gap / 2) * axis, abs=EXACT)


def test_spheres_of_one_centre_have_a_contact_all_the_same():
    _, normal, gap = only(detector(BALL, Sphere(0.2)).detect(np.array([pose((0, 0, 0))] * 2)))
    assert gap == pytest.approx(-0.5)
    assert np.linalg.norm(normal) == pytest.approx(1.0)


def test_a_sphere_meets_the_corner_of_a_box_along_the_diagonal():
    corner, axis = np.array([0.25, 0.3, 0.4]), np.array([1.0, 2.0, 2.0]) / 3.0
    poses = np.array([pose((0, 0, 0)), pose(corner + 0.2995 * axis)])
    position, normal, gap = only(detector(BOX, BALL).detect(poses))
    assert gap == pytest.approx(-5e-4, abs=EXACT)
    assert normal == pytest.approx(axis, abs=1e-12)
    assert position == pytest.approx(corner - 2.5e-4 * axis, abs=EXACT)


def test_a_sphere_deep_in_a_box_leaves_by_the_nearest_face():
    poses = np.array([pose((0, 0, 0)), pose((0.0, 0.25, 0.1))])
    _, normal, gap = only(detector(BOX, BALL).detect(poses))
    assert normal == pytest.approx((0, 1, 0))
    assert gap == pytest.approx(-0.05 - 0.3)


def test_a_sphere_meets_the_rim_of_a_cylinder():
    rim, axis = np.array([0.25, 0.0, 0.3]), np.array([0.6, 0.0, 0.8])
    poses = np.array([pose((0, 0, 0)), pose(rim + 0.3 * axis)])
    _, normal, gap = only(detector(CYLINDER, BALL).detect(poses))
    assert gap == pytest.approx(0.0, abs=EXACT)
    assert normal == pytest.approx(axis, abs=1e-12)


def test_crossed_capsules_touch_in_one_point():
    poses = np.array([pose((0, 0, 0)), pose((0.399, 0, 0), turned(np.pi / 2, 0, 0))])
    position, normal, gap = only(detector(CAPSULE, CAPSULE).detect(poses))
    assert gap == pytest.approx(-1e-3, abs=EXACT)
    assert normal == pytest.approx((1, 0, 0), abs=EXACT)
    assert position == pytest.approx((0.1995, 0, 0), abs=EXACT)


def test_capsules_side_by_side_touch_at_both_ends_of_their_overlap():
    poses = np.array([pose((0, 0, 0)), pose((0.4, 0, 0.2))])
    found = detector(CAPSULE, CAPSULE).detect(poses)
    assert sorted(found.position[:, 2]) == pytest.approx([-0.15, 0.35])
    assert found.gap == pytest.approx([0.0, 0.0], abs=EXACT)


def test_boxes_meet_edge_on_edge():
    """Two cubes, one turned about x and one about y by 45 degrees: their edges cross."""
    reach = 0.5 * np.sqrt(2.0)
    one, two = turned(np.pi / 4, 0, 0), turned(0, np.pi / 4, 0)
    cube = Box((1.0, 1.0, 1.0))
    poses = np.array([pose((0, 0, 0), one), pose((0.1, 0.2, 2 * reach - 0.01), two)])
    position, normal, gap = only(detector(cube, cube).detect(poses))
    assert gap == pytest.approx(-0.01, abs=EXACT)
    assert normal == pytest.approx((0, 0, 1), abs=EXACT)
    assert position == pytest.approx((0.1, 0.0, reach - 0.005), abs=EXACT)


def test_boxes_apart_meet_corner_to_corner():
    cube, axis = Box((1.0, 1.0, 1.0)), np.array([1.0, 2.0, 2.0]) / 3.0
    poses = np.array([pose((0, 0, 0)), pose((1.0, 1.0, 1.0) + 5e-4 * axis)])
    _, normal, gap = only(detector(cube, cube).detect(poses))
    assert gap == pytest.approx(5e-4, abs=EXACT)
    assert normal == pytest.approx(axis, abs=1e-11)


TILTED = turned(0.4, -0.3, 0.9)
ON_THE_GROUND = {
    "sphere": (BALL, 0.3, 1),
    "box": (Box((0.4, 0.4, 0.4)), 0.2, 4),
    "lying capsule": (CAPSULE, 0.2, 2),
    "standing cylinder": (CYLINDER, 0.3, 8),
}


@pytest.mark.parametrize(("shape", "height", "points"), ON_THE_GROUND.values(), ids=ON_THE_GROUND)
def test_shapes_stand_on_the_ground(shape, height, points):
    rotation = turned(np.pi / 2, 0, 0.3) if shape is CAPSULE else yaw(0.3)
    found = detector(GROUND, shape).detect(np.array([pose((5, 6, height - 1e-4), rotation)]))
    assert found.n == points
    assert found.gap == pytest.approx(np.full(points, -1e-4), abs=EXACT)
    assert found.normal == pytest.approx(np.tile((0.0, 0.0, 1.0), (points, 1)), abs=EXACT)
    assert found.position[:, 2] == pytest.approx(np.full(points, -5e-5), abs=EXACT)
    assert unpack_key(int(found.key[0]))[:2] == (0, 1)
    assert (found.link_a == -1).all()
    assert (found.link_b == 0).all()


def test_a_tilted_cylinder_touches_the_ground_with_the_lowest_point_of_its_rim():
    tilt, spin = 0.3, 0.123
    lowest = 0.25 * np.sin(tilt) + 0.3 * np.cos(tilt)
    rotation = turned(0, tilt, 0) * yaw(spin)
    ours = detector(GROUND, CYLINDER)
    found = ours.detect(np.array([pose((0, 0, lowest - 1e-4), rotation)]))
    assert found.gap.min() == pytest.approx(-1e-4, abs=EXACT)
    x = 0.25 * np.cos(tilt) - 0.3 * np.sin(tilt)
    assert abs(found.position[np.argmin(found.gap)][0]) == pytest.approx(x, abs=1e-12)


def test_the_environment_comes_first_whatever_its_number():
    from footfall.spatial.pose import Pose
    from footfall_stepper.collision.detector import Detector
    from footfall_stepper.collision.shape import FIXED, CollisionShape

    table = CollisionShape(BOX, Pose.identity(), FIXED, 9, "terrain/table/0")
    ball = CollisionShape(BALL, Pose.identity(), 0, 2, "ball/link/0")
    found = Detector([ball, table], margin=1e-3).detect(np.array([pose((0, 0, 0.7))]))
    assert found.geometry_a.tolist() == [9]
    assert found.geometry_b.tolist() == [2]
    assert found.normal[0] == pytest.approx((0, 0, 1))
    assert features(found) == [0]
