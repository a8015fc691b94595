"""Meshes as solids: the depths of the same solid as a hull, insides, corners of rooms, sheets."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from tests.cases import each, long
from tests.core.collision_worlds import Coal, cube_hull, detector, pose, yaw

from footfall.errors import RobotError
from footfall.geometry.convex_hull import convex_hull
from footfall.geometry.shapes import Box, Capsule, Cylinder, Sphere, TriangleMesh
from footfall.geometry.triangles import clean, is_closed, level, surface, thick, volume

BLOCK = convex_hull(cube_hull(0.5).vertices * (0.3, 0.3, 0.1))
ROCK = convex_hull(
    (lambda p: 0.1 * p / np.linalg.norm(p, axis=1)[:, None])(
        np.random.default_rng(0).normal(size=(40, 3))
    )
)
WEDGE = convex_hull(
    np.array(
        [(x, y, -0.02) for x in (-0.1, 0.1) for y in (-0.1, 0.1)]
        + [(0, -0.1, 0.03), (0, 0.1, 0.03)]
    )
)
SHAPES = {
    "box": Box((0.1, 0.06, 0.04)),
    "sphere": Sphere(0.05),
    "capsule": Capsule(0.03, 0.08),
    "cylinder": Cylinder(0.04, 0.08),
    "hull": convex_hull(0.5 * ROCK.vertices),
}
CONVEX = [(solid, shape) for solid in (BLOCK, ROCK, WEDGE) for shape in SHAPES.values()]


@pytest.mark.parametrize("count", [4, long(300)])
def test_a_convex_solid_of_triangles_is_as_deep_as_its_hull(count):
    """Coal's depth of the two convex solids is the least way out; the contacts' is the same."""
    rng = np.random.default_rng(1)
    for solid, shape in CONVEX:
        ours, hull = (
            detector(surface(solid), shape, max_points_per_pair=64),
            Coal(solid, shape, 0.5),
        )
        jumps = 0
        for _ in range(count):
            one, two = Rotation.random(2, random_state=rng)
            away = rng.normal(size=3)
            depth = 10.0 ** rng.uniform(-5.0, -2.5)
            poses = touching(hull, one, two, away, depth)
            right, told = -hull.ask(poses)[0], -ours.detect(poses).gap.min(initial=1.0)
            if right < 2.0 * depth:
                assert told == pytest.approx(right, rel=0.01, abs=1e-6)
            else:  # where Coal fails its depth jumps, to 0.3 m or infinity
                jumps += 1
        assert jumps <= 0.05 * count


def touching(hull, one, two, away, depth):
    """Return poses in which the second shape is pressed into the first, found by bisection."""
    near, far = 0.0, 1.0 / np.linalg.norm(away)
    for _ in range(50):
        middle = 0.5 * (near + far)
        poses = np.array([pose((0, 0, 0), one), pose(middle * away, two)])
        answer = hull.ask(poses)
        near, far = (middle, far) if answer is not None and answer[0] < -depth else (near, middle)
    return poses


@each("shape", SHAPES.values(), ids=SHAPES)
def test_what_starts_inside_is_pushed_out_by_the_nearest_way(shape):
    """5 cm below the top of a block of 1 m, no triangle is near: out of the top."""
    poses = np.array([pose((0, 0, -0.5)), pose((0.1, 0.05, -0.2), yaw(0.4))])
    found = detector(surface(cube_hull(0.5)), shape).detect(poses)
    assert found.n == 1
    assert found.normal[0] == pytest.approx((0.0, 0.0, 1.0))
    low = Coal(Box((9, 9, 2)), shape, 9.0)  # how far the shape reaches down
    below = low.ask(np.array([pose((0, 0, -6.0)), poses[1]]))[0] - 5.0 + 0.2
    assert found.gap[0] == pytest.approx(-0.2 + below, abs=1e-6)


def test_a_mesh_inside_another_is_pushed_out():
    poses = np.array([pose((0, 0, -0.5)), pose((0.1, 0.05, -0.2))])
    cube = surface(cube_hull(0.05))
    found = detector(surface(cube_hull(0.5)), cube).detect(poses)
    assert found.n == 1
    assert found.gap[0] == pytest.approx(-0.25)
    assert found.normal[0] == pytest.approx((0.0, 0.0, 1.0))
    found = detector(cube, surface(cube_hull(0.5))).detect(poses[::-1].copy())
    assert found.normal[0] == pytest.approx((0.0, 0.0, -1.0))


def test_an_open_mesh_has_no_inside():
    cube = surface(cube_hull(0.5))
    cup = TriangleMesh(cube.vertices, cube.triangles[1:])
    poses = np.array([pose((0, 0, -0.5)), pose((0.1, 0.05, -0.2))])
    assert detector(cup, Sphere(0.05)).detect(poses).n == 0


def test_a_corner_in_a_corner_of_a_room_touches_both_walls():
    """A box in a room that is one mesh: its lower corners touch the floor and a wall."""
    cube = surface(cube_hull(1.0))
    room = TriangleMesh(cube.vertices, cube.triangles[:, ::-1])
    poses = np.array([pose((0, 0, 0)), pose((0.9001, 0.0, -0.90005))])
    found = detector(room, Box((0.2, 0.2, 0.2))).detect(poses)
    walls = found.normal @ (-1.0, 0.0, 0.0) > 0.99
    floor = found.normal @ (0.0, 0.0, 1.0) > 0.99
    assert (walls.sum(), floor.sum(), found.n) == (4, 4, 8)
    assert found.gap[walls] == pytest.approx(np.full(4, -1e-4), abs=1e-7)
    assert found.gap[floor] == pytest.approx(np.full(4, -5e-5), abs=1e-7)
    assert len(set(found.key.tolist())) == 8


def test_the_triangles_of_a_flat_face_are_one_face():
    """A box across the diagonals of a floor touches with its corners alone."""
    floor = surface(convex_hull(cube_hull(0.5).vertices * (2, 2, 0.1)))
    edge, corner = level(floor)
    assert (edge.sum(), corner.sum()) == (12, 0)  # six diagonals, each seen from both sides
    for turn in (0.0, 0.3, 0.25 * np.pi):
        poses = np.array([pose((0, 0, -0.05)), pose((0, 0, 0.0999), yaw(turn))])
        for shape in (Box((0.2, 0.2, 0.2)), cube_hull(0.1), surface(cube_hull(0.1))):
            found = detector(floor, shape, max_points_per_pair=64).detect(poses)
            assert found.n == 4
            assert found.gap == pytest.approx(np.full(4, -1e-4), abs=1e-9)


SQUARE = np.array([(0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (1.0, 1.0, 0.0), (0.0, 1.0, 0.0)])


def test_a_sheet_with_a_thickness_is_a_solid():
    sheet = TriangleMesh(SQUARE, np.array([(0, 1, 2), (0, 2, 3)]))
    plate = thick(sheet, 0.02, "sheet")
    assert is_closed(plate)
    assert volume(plate) == pytest.approx(0.02)
    roof = TriangleMesh(
        np.concatenate([SQUARE, SQUARE[1:3] + np.array((0.7, 0.0, -1.0))]),
        np.array([(0, 1, 2), (0, 2, 3), (1, 4, 5), (1, 5, 2)]),
    )
    bent = thick(roof, 0.1, "roof")
    planes = bent.vertices[6:] @ np.array([(0.0, 0.0, 1.0), (1.0, 0.0, 0.7) / np.hypot(1.0, 0.7)]).T
    assert planes[[0, 1, 2, 3], 0] == pytest.approx(np.full(4, -0.1))
    assert planes[[1, 2, 4, 5], 1] == pytest.approx(np.full(4, 1.0 / np.hypot(1.0, 0.7) - 0.1))


@each(
    ("make", "said"),
    [
        (lambda: thick(surface(cube_hull()), 0.01, "cube"), "the mesh is closed"),
        (lambda: thick(TriangleMesh(SQUARE, np.array([(0, 1, 2)])), 1.5, "bit"), "larger than the"),
        (
            lambda: thick(
                TriangleMesh(
                    SQUARE + np.eye(4)[:, :3] * (0, 0, 1),
                    np.array([(0, 1, 2), (0, 1, 3), (1, 0, 2)]),
                ),
                0.1,
                "fan",
            ),
            "fan: ",
        ),
    ],
)
def test_a_sheet_that_cannot_be_is_refused_in_one_line(make, said):
    with pytest.raises(RobotError, match=said) as caught:
        make()
    assert "\n" not in str(caught.value)


def test_a_triangle_given_twice_counts_once():
    corners = SQUARE[[(0, 1, 2), (1, 2, 0), (0, 2, 3)]]
    with pytest.warns(UserWarning, match="sheet: 1 of 3 triangles degenerate or given twice"):
        assert len(clean(corners, "sheet").triangles) == 2
