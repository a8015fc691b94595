"""Manifolds: enough points to stand on, named the same from step to step, thinned out well."""

import numpy as np
import pytest
from scipy.spatial import ConvexHull
from tests.cases import each
from tests.core.collision_worlds import cube_hull, detector, pose, turned, yaw

from footfall.geometry.shapes import Box, Capsule, Cylinder, HalfSpace
from footfall_stepper.world.collision_arrays import unpack_key

CUBE = Box((0.2, 0.2, 0.2))
YAWS = np.linspace(0.0, np.pi, 61)


def holds(points, place, slack=0.0):
    """Return whether a place (2,) is inside the hull of points (n, 2), at least ``-slack`` deep."""
    hull = ConvexHull(points)
    return bool((hull.equations[:, :2] @ place + hull.equations[:, 2] <= slack).all())


STANDING = {
    "box on box": (Box((1.0, 1.0, 0.2)), CUBE),
    "box on equal box": (CUBE, CUBE),
    "box on smaller box": (Box((0.1, 0.1, 0.2)), CUBE),
    "hull on box": (Box((1.0, 1.0, 0.2)), cube_hull()),
    "hull on equal hull": (cube_hull(), cube_hull()),
    "cylinder on box": (Box((1.0, 1.0, 0.2)), Cylinder(0.1, 0.2)),
    "box on cylinder": (Cylinder(0.2, 0.2), CUBE),
    "cylinder on cylinder": (Cylinder(0.2, 0.2), Cylinder(0.1, 0.2)),
}


@each("most", [4, 8])
@each(("lower", "upper"), STANDING.values(), ids=STANDING)
def test_what_stands_level_is_held_under_its_centre_at_every_yaw(lower, upper, most):
    ours = detector(lower, upper, max_points_per_pair=most)
    for angle in YAWS:
        tilt = turned(2e-5, -1e-5, 0.0)
        poses = np.array([pose((0, 0, -0.1)), pose((0.02, 0.01, 0.0999), tilt * yaw(angle))])
        found = ours.detect(poses)
        assert 3 <= found.n <= most
        assert holds(found.position[:, :2], np.array([0.02, 0.01]))
        assert (found.normal @ (0, 0, 1) > 1.0 - 1e-8).all()
        assert np.abs(found.gap + 1e-4).max() < 1e-5


def test_the_manifold_of_boxes_is_the_intersection_of_their_faces():
    """A face turned by 45 degrees on an equal one: a regular octagon, exact."""
    poses = np.array([pose((0, 0, 0)), pose((0, 0, 0.2), yaw(np.pi / 4))])
    found = detector(CUBE, CUBE).detect(poses)
    inset = 0.1 * (np.sqrt(2.0) - 1.0)
    signs = [(s, t) for s in (1, -1) for t in (1, -1)]
    expected = {(x * s, y * t) for x, y in ((0.1, inset), (inset, 0.1)) for s, t in signs}
    assert {(round(x, 12), round(y, 12)) for x, y, _ in found.position} == {
        (round(x, 12), round(y, 12)) for x, y in expected
    }


def test_each_point_has_its_own_gap():
    """A cube tilted by 3 mrad: the gap grows along the tilt, as its bottom does."""
    tilt = 3e-3
    poses = np.array([pose((0, 0, -0.1)), pose((0, 0, 0.1), turned(0, tilt, 0))])
    found = detector(Box((1.0, 1.0, 0.2)), CUBE, margin=1e-2).detect(poses)
    bottom = 0.1 - 0.1 * np.cos(tilt) - np.tan(tilt) * (found.position[:, 0] + 0.1 * np.sin(tilt))
    assert found.gap == pytest.approx(bottom, abs=1e-6)
    assert found.n == 4


def test_names_stay_while_bodies_hardly_move():
    """Jitter of a micrometre and a microradian, equal cubes stacked flush: always the same keys."""
    rng, ours = np.random.default_rng(3), detector(HalfSpace(), *[CUBE] * 4)
    at_rest = np.array([pose((0, 0, 0.1 + 0.2 * k)) for k in range(4)])
    names = ours.detect(at_rest).key.tolist()
    assert len(names) == 16
    for _ in range(100):
        moved = [
            pose(p[9:] + 1e-6 * rng.normal(size=3), turned(*(1e-6 * rng.normal(size=3))))
            for p in at_rest
        ]
        assert ours.detect(np.array(moved)).key.tolist() == names


@pytest.mark.parametrize("upper", [CUBE, cube_hull(), Cylinder(0.1, 0.2)])
def test_points_move_little_while_they_keep_their_names(upper):
    """A body slides and turns on a box by up to 0.6 mm a step: most names survive a step.

    Where edges cross at a small angle their crossing runs ahead of the body: up to 10 mm allowed.
    """
    ours, last, kept, seen = detector(CUBE, upper), {}, 0, 0
    for k in range(200):
        poses = np.array([pose((0, 0, -0.1)), pose((3e-4 * k, 1e-4 * k, 0.1), yaw(0.2 + 2e-3 * k))])
        found = ours.detect(poses)
        now = dict(zip(found.key.tolist(), found.position.copy(), strict=True))
        for key in now.keys() & last.keys():
            assert np.linalg.norm(now[key] - last[key]) < 1e-2
        kept, seen, last = kept + len(now.keys() & last.keys()), seen + len(last), now
    assert kept > 0.95 * seen


def test_a_stack_is_symmetric():
    """Cubes on top of each other touch in mirrored points, the same at each level."""
    ours = detector(HalfSpace(), *[CUBE] * 10)
    found = ours.detect(np.array([pose((0, 0, 0.1 + 0.2 * k)) for k in range(10)]))
    assert found.n == 40
    for level in range(10):
        points = found.position[found.geometry_b == level + 1]
        expected = {(x, y) for x in (-0.1, 0.1) for y in (-0.1, 0.1)}
        assert {(round(x, 12), round(y, 12)) for x, y, _ in points} == expected
        assert points[:, 2] == pytest.approx(np.full(4, 0.2 * level), abs=1e-12)
    assert np.abs(found.position.mean(axis=0)[:2]).max() < 1e-15


def test_turning_the_world_turns_the_contacts_and_keeps_their_names():
    rotation, away = turned(0.3, -0.5, 1.1), np.array([3.0, -1.0, 2.0])
    ours = detector(CUBE, CUBE, Capsule(0.05, 0.2), cube_hull())
    poses = np.array(
        [
            pose((0, 0, 0)),
            pose((0.03, 0.01, 0.1999), yaw(0.4)),
            pose((-0.05, 0.0, 0.3499), turned(np.pi / 2, 0, 0)),
            pose((0.1999, 0.02, 0.03), turned(0.5, 0, 0)),
        ]
    )
    level = ours.detect(poses)
    key, gap, position, normal = (
        a.copy() for a in (level.key, level.gap, level.position, level.normal)
    )
    placed = np.array([pose_of(rotation, away, p) for p in poses])
    other = ours.detect(placed)
    assert other.key.tolist() == key.tolist()
    assert other.gap == pytest.approx(gap, abs=1e-12)
    assert other.position == pytest.approx(rotation.apply(position) + away, abs=1e-12)
    assert other.normal == pytest.approx(rotation.apply(normal), abs=1e-12)


def pose_of(rotation, away, inner):
    from scipy.spatial.transform import Rotation

    own = Rotation.from_matrix(inner[:9].reshape(3, 3).T)
    return pose(rotation.apply(inner[9:]) + away, rotation * own)


def test_keys_are_ascending_and_unique_and_name_the_shapes():
    rng = np.random.default_rng(5)
    ours = detector(HalfSpace(), *[CUBE, cube_hull(), Cylinder(0.1, 0.2)] * 6, margin=0.02)
    poses = [pose(0.25 * rng.uniform(size=3), turned(*rng.normal(size=3))) for _ in range(18)]
    found = ours.detect(np.array(poses))
    assert found.n > 100
    assert (np.diff(found.key) > 0).all()
    for key, a, b in zip(found.key, found.geometry_a, found.geometry_b, strict=True):
        assert unpack_key(int(key))[:2] == (a, b)
    assert (found.gap <= 0.02).all()


def test_the_answer_depends_on_the_poses_alone():
    """A detector with a past and a new one agree bit for bit: nothing needs saving."""
    rng = np.random.default_rng(6)
    kinds = [HalfSpace(), *[CUBE, cube_hull(), Cylinder(0.1, 0.2), Capsule(0.05, 0.2)] * 3]
    old = detector(*kinds, margin=0.01)
    for _ in range(5):
        poses = np.array(
            [pose(0.4 * rng.uniform(size=3), turned(*rng.normal(size=3))) for _ in range(12)]
        )
        found = old.detect(poses)
        fresh = detector(*kinds, margin=0.01).detect(poses)
        assert fresh.n == found.n > 0
        for before, now in zip(found.arrays, fresh.arrays, strict=True):
            assert np.array_equal(before[: found.n], now[: found.n])


def test_thinning_out_keeps_the_deepest_point_and_the_widest():
    found = detector(HalfSpace(), Cylinder(0.1, 0.2), max_points_per_pair=3).detect(
        np.array([pose((0, 0, 0.1), turned(1e-3, 0, 0))])
    )
    assert found.n == 3
    whole = detector(HalfSpace(), Cylinder(0.1, 0.2)).detect(
        np.array([pose((0, 0, 0.1), turned(1e-3, 0, 0))])
    )
    assert whole.n == 8
    assert found.gap.min() == whole.gap.min()
    areas = [ConvexHull(f.position[:, :2]).volume for f in (found, whole)]
    # A right triangle on the diameter: 0.354 of the octagon; the largest triangle has 0.46.
    assert areas[0] > 0.35 * areas[1]
