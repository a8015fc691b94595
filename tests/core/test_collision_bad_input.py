"""Shapes that are none, and detectors that cannot be."""

import numpy as np
import pytest
from tests.cases import each
from tests.core.collision_worlds import detector, pose, shapes

from footfall.errors import RobotError, RobotWarning, SimulationError
from footfall.geometry.convex_hull import convex_hull, fault_of, tell_of_hull
from footfall.geometry.shapes import (
    Box,
    Capsule,
    Cylinder,
    HalfSpace,
    HeightField,
    Sphere,
    TriangleMesh,
)
from footfall.geometry.triangles import clean
from footfall.spatial.pose import Pose
from footfall_stepper.collision.detector import Detector
from footfall_stepper.collision.shape import CollisionShape

NAN = float("nan")
CORNERS = np.array([(0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)])
FACES = np.array([(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)])
LINE = np.array([0.0, 1.0])


@each(
    ("make", "said"),
    [
        (lambda: Sphere(0.0), "sphere: radius"),
        (lambda: Sphere(NAN), "sphere: radius"),
        (lambda: Box((1.0, -1.0, 1.0)), "box: y"),
        (lambda: Capsule(0.1, 0.0), "capsule: length"),
        (lambda: Cylinder(float("inf"), 1.0), "cylinder: radius"),
        (lambda: convex_hull(CORNERS[:3]), "3 points span no volume"),
        (lambda: convex_hull(CORNERS * (1, 1, 0)), "4 points span no volume"),
        (lambda: convex_hull(CORNERS * NAN), "must be finite"),
        (lambda: TriangleMesh(CORNERS, FACES[:0]), "no triangles"),
        (lambda: TriangleMesh(CORNERS, FACES + 1), "does not exist"),
        (lambda: TriangleMesh(CORNERS * NAN, FACES), "finite"),
        (lambda: TriangleMesh(CORNERS, np.array([(0, 1, 1)])), "1 of 1 triangles degenerate"),
        (lambda: clean(np.zeros((4, 3, 3)), "cup"), "cup: mesh has no triangle with an area"),
        (lambda: clean(np.full((4, 3, 3), NAN), "cup"), "cup: mesh has corners"),
        (lambda: HeightField(LINE, LINE, np.zeros((3, 2))), "(3, 2), expected (2, 2)"),
        (lambda: HeightField(LINE, LINE[::-1], np.zeros((2, 2))), "ascending"),
        (lambda: HeightField(LINE, LINE, np.full((2, 2), NAN)), "heights must be finite"),
        (
            lambda: CollisionShape(HalfSpace(), Pose.identity(), 0, 0, "a/b/c"),
            "a/b/c: a half-space cannot move",
        ),
        (lambda: CollisionShape(Sphere(1), Pose.identity(), 0, -1, "a/b/c"), "a/b/c: geometry"),
        (lambda: detector(Sphere(1.0), margin=-1.0), "margin must be finite and not negative"),
        (lambda: detector(Sphere(1.0), margin=NAN), "margin"),
        (lambda: detector(Sphere(1.0), max_points_per_pair=0), "at least 1"),
        (lambda: Detector(shapes(Sphere(1.0)) * 2), "both have number 0"),
    ],
)
def test_what_cannot_be_is_refused_in_one_line(make, said):
    with pytest.raises(RobotError) as caught:
        make()
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def test_degenerate_triangles_are_taken_out_and_counted():
    corners = np.concatenate([CORNERS[FACES], np.zeros((2, 3, 3)), [CORNERS[[0, 1, 1]]]])
    with pytest.warns(
        RobotWarning, match="cup: 3 of 7 triangles degenerate or given twice, left out"
    ):
        mesh = clean(corners, "cup")
    assert len(mesh.triangles) == 4
    assert len(mesh.vertices) == 4


def test_a_mesh_that_is_not_convex_says_what_is_used():
    tetrahedron = clean(CORNERS[FACES], "body")
    dented = np.concatenate([CORNERS[FACES[:3]], dent(CORNERS[FACES[3]])])
    assert len(hull_of_mesh(tetrahedron, "body").faces) == 4
    with pytest.warns(RobotWarning, match=r"cup: mesh is not convex \(fills 40 %.*convex hull"):
        hull = hull_of_mesh(clean(dented, "cup"), "cup")
    assert len(hull.vertices) == 4
    with pytest.warns(RobotWarning, match="bowl: mesh is not closed: its convex hull is used"):
        hull_of_mesh(clean(dented[1:], "bowl"), "bowl")


def hull_of_mesh(mesh, name):
    hull = convex_hull(mesh.vertices, name)
    tell_of_hull(name, fault_of(mesh, hull))
    return hull


def dent(triangle):
    """Return a triangle pressed in towards the origin, as three."""
    middle = 0.4 * triangle.mean(axis=0)
    return [np.array([middle, triangle[k], triangle[(k + 1) % 3]]) for k in range(3)]


def test_a_pose_that_is_not_finite_names_the_shape():
    ours = detector(HalfSpace(), Sphere(1.0), Sphere(1.0))
    with pytest.raises(SimulationError, match="body2/link/shape: pose is not finite"):
        ours.detect(np.array([pose((0, 0, 5)), pose((0, NAN, 5))]))
    assert ours.detect(np.array([pose((0, 0, 1)), pose((5, 0, 5))])).n == 1


def test_a_world_without_shapes_has_no_contacts():
    assert Detector([]).detect(np.zeros((0, 12))).n == 0


def test_room_grows_as_needed():
    count = 300
    ours = detector(HalfSpace(), *[Box((0.1, 0.1, 0.1))] * count)
    apart = np.array([pose((0.2 * k, 0, 0.05)) for k in range(count)])
    before = ours.found.version
    found = ours.detect(apart)
    assert found.n == 4 * count
    assert found.version > before
    assert len(found.arrays.key) >= found.n
    piled = np.array([pose((0.001 * k, 0, 0.05)) for k in range(count)])
    assert ours.detect(piled).n > 100 * count
