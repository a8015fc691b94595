"""Pairs that go through Coal: known distances, penetrations against support functions."""

from itertools import combinations_with_replacement

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.spatial.transform import Rotation
from tests.cases import each
from tests.core.collision_worlds import cube_hull, detector, pose, random_poses, turned, yaw

from footfall.geometry.convex_hull import convex_hull, hull_volume
from footfall.geometry.shapes import Box, Capsule, Cylinder, HeightField, Sphere

BOX, CAPSULE, CYLINDER = Box((0.5, 0.6, 0.8)), Capsule(0.2, 0.7), Cylinder(0.25, 0.6)
ACCURACY = 2e-6
"""Of Coal's penetrations of curved shapes, whose last digits it finds by iteration, [m]."""
ROUND = {"cylinder-cylinder", "capsule-cylinder"}
"""Both sides curved: closest points are known to the root of the accuracy of the gap only."""
NEARLY = 6e-5
"""What taking a normal within 0.57 degrees of a face's as the face's adds to a gap, relative."""
SLABS = convex_hull(np.random.default_rng(2).normal(size=(24, 3)) * 0.3)
PAIRS = {
    "cylinder-box": (CYLINDER, BOX),
    "capsule-box": (CAPSULE, BOX),
    "cylinder-cylinder": (CYLINDER, CYLINDER),
    "capsule-cylinder": (CAPSULE, CYLINDER),
    "hull-box": (SLABS, BOX),
    "hull-hull": (SLABS, SLABS),
    "hull-capsule": (SLABS, CAPSULE),
    "hull-cylinder": (CYLINDER, SLABS),
    "hull-sphere": (SLABS, Sphere(0.3)),
}


def reach(shape, axes, direction):
    """Return the support function of a shape about its centre."""
    local = axes.T @ direction
    match shape:
        case Sphere(radius):
            return radius
        case Box(size):
            return 0.5 * np.abs(local) @ np.array(size)
        case Capsule(radius, length):
            return radius + 0.5 * length * abs(local[2])
        case Cylinder(radius, length):
            return radius * np.hypot(local[0], local[1]) + 0.5 * length * abs(local[2])
        case _:
            return (shape.vertices @ local).max()


def separation(first, second, poses):
    """Return the gap: the greatest separation over all directions, searched for."""
    axes = [p[:9].reshape(3, 3).T for p in poses]
    away = poses[1, 9:] - poses[0, 9:]

    def apart(direction):
        unit = direction / np.linalg.norm(direction)
        return away @ unit - reach(first, axes[0], unit) - reach(second, axes[1], -unit)

    tried = np.random.default_rng(0).normal(size=(400, 3))
    starts = sorted(tried, key=apart)[-4:]
    options = {"xatol": 1e-9, "fatol": 1e-12, "maxiter": 2000}
    return max(
        -minimize(lambda n: -apart(n), start, method="Nelder-Mead", options=options).fun
        for start in starts
    )


@pytest.mark.parametrize("poses_of_a_pair", [3, pytest.param(8, marks=pytest.mark.long)])
@each(("first", "second"), PAIRS.values(), ids=PAIRS)
def test_the_gap_is_the_greatest_separation(first, second, poses_of_a_pair):
    rng, ours, compared = np.random.default_rng(11), detector(first, second, margin=0.1), 0
    while compared < poses_of_a_pair:
        poses = random_poses(rng, 0.35, 1.0)
        found = ours.detect(poses)
        if not found.n or not -0.1 < found.gap.min() < 0.09:
            continue
        compared += 1
        expected = separation(first, second, poses)
        assert found.gap.min() == pytest.approx(expected, abs=ACCURACY, rel=NEARLY)


@each("name", PAIRS)
def test_exchanging_the_shapes_turns_the_normals(name):
    first, second = PAIRS[name]
    slack = 1e-3 if name in ROUND else 1e-5
    poses = random_poses(np.random.default_rng(12), 0.5, 0.5)
    one = detector(first, second, margin=0.1).detect(poses)
    two = detector(second, first, margin=0.1).detect(poses[::-1].copy())
    assert one.n == two.n > 0
    for position, normal, gap in zip(one.position, one.normal, one.gap, strict=True):
        other = int(np.argmin(np.linalg.norm(two.position - position, axis=1)))
        assert two.position[other] == pytest.approx(position, abs=slack)
        assert two.normal[other] == pytest.approx(-normal, abs=10 * slack)
        assert two.gap[other] == pytest.approx(gap, abs=ACCURACY)


@pytest.mark.parametrize(("angle", "points"), [(0.0, 1), (np.pi / 2, 2)])
def test_a_capsule_on_a_box_touches_with_an_end_or_along_its_side(angle, points):
    height = 0.4 + (0.2 if points == 2 else 0.55)
    poses = np.array([pose((0, 0, 0)), pose((0, 0, height - 1e-4), turned(0, angle, 0.3))])
    found = detector(BOX, CAPSULE).detect(poses)
    assert found.n == points
    assert found.gap == pytest.approx(np.full(points, -1e-4), abs=1e-12)
    assert found.normal == pytest.approx(np.tile((0.0, 0.0, 1.0), (points, 1)), abs=1e-12)


def test_a_lying_cylinder_touches_a_box_along_a_line():
    poses = np.array([pose((0, 0, 0)), pose((0, 0, 0.65), turned(0, np.pi / 2, 0))])
    found = detector(BOX, CYLINDER).detect(poses)
    assert found.n == 2
    assert sorted(found.position[:, 0]) == pytest.approx([-0.25, 0.25])
    assert found.gap == pytest.approx([0.0, 0.0], abs=1e-12)


def test_a_cube_as_a_hull_touches_as_a_box_does():
    cube = Box((0.2, 0.2, 0.2))
    poses = np.array([pose((0, 0, 0)), pose((0.05, 0.02, 0.1999), yaw(0.7))])
    hulls = detector(cube_hull(), cube_hull()).detect(poses)
    boxes = detector(cube, cube).detect(poses)
    by_place = [
        sorted(map(tuple, np.column_stack([f.position, f.gap]).round(9))) for f in (hulls, boxes)
    ]
    assert by_place[0] == by_place[1]


def test_a_hull_has_polygons_for_faces():
    hull = cube_hull(0.1)
    assert sorted(len(face) for face in hull.faces) == [4] * 6
    assert hull_volume(hull) == pytest.approx(0.008)
    for face, normal in zip(hull.faces, hull.normals, strict=True):
        a, b, c = hull.vertices[list(face[:3])]
        assert np.cross(b - a, c - b) @ normal > 0.0


@pytest.mark.long
def test_where_surfaces_touch_exactly_the_depth_is_right_all_the_same():
    """The axis of a capsule on the face of a box, the centre of a ball on a triangle."""
    poses = np.array([pose((0, 0, 0)), pose((0.0, 0.0, 0.4), turned(0, np.pi / 2, 0))])
    found = detector(BOX, CAPSULE).detect(poses)
    assert found.gap.min() == pytest.approx(-0.2, abs=1e-6)
    grid = np.linspace(-1.0, 1.0, 5)
    field = HeightField(grid, grid, np.zeros((5, 5)))
    found = detector(field, Sphere(0.3)).detect(np.array([pose((0, 0, 0)), pose((0.1, 0.2, 0))]))
    assert found.n == 1
    assert found.gap[0] == pytest.approx(-0.3, abs=1e-6)
    assert found.normal[0] == pytest.approx((0, 0, 1))


def test_degenerate_placements_give_sound_contacts():
    """Multiples of a right angle and of 5 cm: edges and faces meet exactly, or are flush."""
    rng, kinds = np.random.default_rng(1), [Box((0.2, 0.2, 0.2)), cube_hull(), Capsule(0.1, 0.2)]
    turns = Rotation.create_group("O")
    for one, two in combinations_with_replacement([*kinds, Cylinder(0.1, 0.2)], 2):
        ours = detector(one, two, margin=0.01)
        for _ in range(60):
            place = 0.05 * rng.integers(-4, 5, 3)
            first, second = turns[rng.integers(24)], turns[rng.integers(24)]
            found = ours.detect(np.array([pose((0, 0, 0), first), pose(place, second)]))
            assert np.isfinite(found.position).all()
            assert np.linalg.norm(found.normal, axis=1) == pytest.approx(np.ones(found.n))
            assert ((found.gap <= 0.01) & (found.gap > -0.45)).all()
            assert len(set(found.key.tolist())) == found.n
