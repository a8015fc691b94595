"""Mass properties of what triangles enclose."""

import numpy as np
import pytest
from tests.core.collision_worlds import cube_hull, turned

from footfall.errors import RobotError
from footfall.geometry.convex_hull import convex_hull, hull_volume
from footfall.geometry.shapes import TriangleMesh
from footfall.geometry.triangles import solid_of, surface


def moved(mesh, rotation, away):
    return TriangleMesh(rotation.apply(mesh.vertices) + away, mesh.triangles)


def test_a_cuboid_anywhere_has_its_closed_form():
    size, away = np.array([0.2, 0.4, 0.6]), np.array([3.0, -2.0, 1.0])
    cuboid = surface(convex_hull(cube_hull(0.5).vertices * size))
    rotation = turned(0.4, -0.2, 1.0)
    solid = solid_of(moved(cuboid, rotation, away), "cuboid")
    volume = float(size.prod())
    own = volume / 12.0 * np.diag((size**2).sum() - size**2)
    turn = rotation.as_matrix()
    assert solid.volume == pytest.approx(volume)
    assert solid.com == pytest.approx(away)
    assert solid.inertia == pytest.approx(turn @ own @ turn.T, abs=1e-12)


def test_a_fine_ball_has_nearly_that_of_a_ball():
    rng = np.random.default_rng(0)
    points = rng.normal(size=(3000, 3))
    points /= np.linalg.norm(points, axis=1)[:, None]
    ball = convex_hull(points)
    solid = solid_of(surface(ball), "ball")
    assert solid.volume == pytest.approx(hull_volume(ball))
    assert solid.volume == pytest.approx(4.0 / 3.0 * np.pi, rel=0.01)
    assert solid.inertia == pytest.approx(0.4 * solid.volume * np.eye(3), abs=0.02)


def test_what_has_no_inside_is_refused():
    cube = surface(cube_hull())
    with pytest.raises(RobotError, match="cup: mesh is not closed"):
        solid_of(TriangleMesh(cube.vertices, cube.triangles[1:]), "cup")
    with pytest.raises(RobotError, match="cup: mesh is inside out"):
        solid_of(TriangleMesh(cube.vertices, cube.triangles[:, ::-1].copy()), "cup")
