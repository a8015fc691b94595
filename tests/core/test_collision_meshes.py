"""Triangle meshes and height fields: no catching on inner edges, nothing from behind."""

import numpy as np
import pytest
from scipy.spatial import ConvexHull
from tests.cases import each
from tests.core.collision_worlds import cube_hull, detector, features, pose, turned, yaw

from footfall.errors import RobotWarning
from footfall.geometry.shapes import Box, Capsule, Cylinder, HeightField, Sphere, TriangleMesh
from footfall.geometry.triangles import clean, fans, is_closed, opposite, volume

GRID = np.linspace(-2.0, 2.0, 21)
LEVEL = HeightField(GRID, GRID, np.zeros((21, 21)))
GROOVE = HeightField(GRID, GRID, np.tile(0.5 * np.abs(GRID)[:, None], (1, 21)))
RIDGE = HeightField(GRID, GRID, np.tile(-0.5 * np.abs(GRID)[:, None], (1, 21)))
CUBE = Box((0.3, 0.3, 0.3))
STANDING = {
    "box": (CUBE, 0.15),
    "hull": (cube_hull(0.15), 0.15),
    "sphere": (Sphere(0.15), 0.15),
    "capsule": (Capsule(0.1, 0.1), 0.15),
    "cylinder": (Cylinder(0.1, 0.3), 0.15),
}


def box_mesh(size=1.0):
    """Return a cube's surface as triangles."""
    hull = cube_hull(0.5 * size)
    corners = [
        hull.vertices[[face[0], face[k], face[k + 1]]] for face in hull.faces for k in (1, 2)
    ]
    return clean(np.array(corners), "box")


@each(("shape", "height"), STANDING.values(), ids=STANDING)
def test_on_level_triangles_all_normals_are_vertical(shape, height):
    """Wherever a body stands, also across edges of the grid: no sideways push."""
    ours, rng = detector(LEVEL, shape, max_points_per_pair=4), np.random.default_rng(4)
    for depth in 15 * [2e-2, 1e-4, -5e-4]:
        x, y = rng.uniform(-0.5, 0.5, 2)
        poses = np.array([pose((0, 0, 0)), pose((x, y, height - depth), yaw(3 * rng.uniform()))])
        found = ours.detect(poses)
        assert found.normal == pytest.approx(np.tile((0.0, 0.0, 1.0), (found.n, 1)), abs=1e-6)
        assert found.gap == pytest.approx(np.full(found.n, -depth), abs=1e-7)
        assert found.n == (1 if isinstance(shape, Sphere) or shape.__class__ is Capsule else 4)
        if found.n == 4:
            hull = ConvexHull(found.position[:, :2])
            inside = hull.equations[:, :2] @ (x, y) + hull.equations[:, 2]
            assert (inside < 0.0).all()


def test_the_corners_of_a_box_on_triangles_keep_their_names():
    ours, names = detector(LEVEL, CUBE, max_points_per_pair=4), set()
    for k in range(40):
        poses = np.array([pose((0, 0, 0)), pose((0.013 * k, 0.007 * k, 0.15), yaw(0.3))])
        names.add(tuple(features(ours.detect(poses))))
    assert len(names) == 1


def test_a_ball_in_a_groove_touches_both_sides():
    height = 0.3 * np.hypot(1.0, 0.5)
    found = detector(GROOVE, Sphere(0.3)).detect(
        np.array([pose((0, 0, 0)), pose((0, 0.02, height))])
    )
    slope = np.array([0.5, 0.0, -1.0]) / np.hypot(1.0, 0.5)
    assert found.n == 2
    assert sorted(map(tuple, found.normal.round(9))) == sorted(
        map(tuple, np.array([-slope, -slope * (-1, 1, 1)]).round(9))
    )
    assert found.gap == pytest.approx([0.0, 0.0], abs=1e-9)


@pytest.mark.parametrize(("shape", "height"), STANDING.values(), ids=STANDING)
def test_on_a_ridge_the_normal_is_between_the_slopes(shape, height):
    found = detector(RIDGE, shape).detect(
        np.array([pose((0, 0, 0)), pose((0, 0.02, height - 1e-4))])
    )
    assert found.normal == pytest.approx(np.tile((0.0, 0.0, 1.0), (found.n, 1)), abs=1e-5)
    assert np.abs(found.position[:, 0]).max() < 1e-9
    assert found.gap == pytest.approx(np.full(found.n, -1e-4), abs=1e-6)


def test_a_body_beyond_a_sheet_is_not_pulled_through():
    beyond = np.array([pose((0, 0, 0)), pose((0, 0, -0.16))])
    assert detector(LEVEL.mesh(), CUBE).detect(beyond).n == 0


def test_a_cube_of_triangles_stands_on_a_box_as_a_box_does():
    below = pose((0, 0, -0.5))
    poses = np.array([below, pose((0.1, 0.05, 0.4999), yaw(0.3))])
    found = detector(Box((2, 2, 1)), box_mesh()).detect(poses)
    assert found.n >= 4
    assert found.gap == pytest.approx(np.full(found.n, -1e-4), abs=1e-7)
    assert found.normal == pytest.approx(np.tile((0.0, 0.0, 1.0), (found.n, 1)), abs=1e-6)
    boxes = detector(Box((2, 2, 1)), Box((1, 1, 1))).detect(poses)
    assert ConvexHull(found.position[:, :2]).volume == pytest.approx(
        ConvexHull(boxes.position[:, :2]).volume, rel=1e-6
    )


def test_two_meshes_stand_on_each_other():
    poses = np.array([pose((0, 0, -0.5)), pose((0.1, 0.05, 0.4999), yaw(0.3))])
    found = detector(box_mesh(), box_mesh()).detect(poses)
    assert found.n == 8
    assert found.gap == pytest.approx(np.full(8, -1e-4), abs=1e-6)
    assert found.normal @ (0, 0, 1) == pytest.approx(np.ones(8), abs=1e-6)


def test_a_small_cube_on_a_large_slab_is_as_deep_as_it_is_pressed():
    """Corners of the slab below the planes of the cube's sides, 1 m away, are no contacts."""
    slab, cube = box_mesh(), box_mesh(0.02)
    slab = TriangleMesh(slab.vertices * (2.0, 1.0, 0.05), slab.triangles)
    found = detector(slab, cube).detect(
        np.array([pose((0, 0, -0.025)), pose((-0.0101, 0.0, 0.01 - 2e-6))])
    )
    assert found.n >= 4
    assert np.abs(found.gap + 2e-6).max() < 1e-9
    assert np.abs(found.normal - (0.0, 0.0, 1.0)).max() < 1e-9


def test_triangles_beyond_the_largest_number_are_told(monkeypatch):
    monkeypatch.setattr("footfall_stepper.collision.coal_pairs.MOST_TRIANGLES", 4)
    pair = detector(box_mesh(), box_mesh(0.4))
    with pytest.warns(RobotWarning, match="more than 4 triangles meet, others are left out"):
        pair.detect(np.array([pose((0, 0, 0)), pose((0.1, 0.2, 0.69))]))


def test_a_tilted_body_touches_a_field_with_its_corner():
    found = detector(LEVEL, CUBE).detect(
        np.array([pose((0, 0, 0)), pose((0.03, 0.04, 0.15 * np.sqrt(3.0)), diagonal())])
    )
    assert found.n == 1
    assert found.gap[0] == pytest.approx(0.0, abs=1e-9)
    assert found.position[0] == pytest.approx((0.03, 0.04, 0.0), abs=1e-7)


def diagonal():
    """Return the rotation that stands a cube on its corner."""
    return turned(np.arctan(np.sqrt(0.5)), 0, 0) * turned(0, np.pi / 4, 0)


def test_neighbours_of_edges_and_vertices():
    mesh = box_mesh()
    assert is_closed(mesh)
    assert volume(mesh) == pytest.approx(1.0)
    for edge, far in enumerate(opposite(mesh)):
        triangle = mesh.triangles[edge // 3]
        ends = {triangle[edge % 3], triangle[(edge + 1) % 3]}
        others = [t for t in mesh.triangles if ends <= set(t) and set(t) != set(triangle)]
        assert len(others) == 1
        assert set(others[0]) - ends == {far}
    start, fan = fans(mesh)
    for vertex in range(8):
        beside = {v for t in mesh.triangles if vertex in t for v in t} - {vertex}
        assert set(fan[start[vertex] : start[vertex + 1]]) == beside
    open_mesh = TriangleMesh(mesh.vertices, mesh.triangles[1:])
    assert not is_closed(open_mesh)
