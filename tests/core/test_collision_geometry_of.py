"""Shapes of model files as collision geometry."""

import numpy as np
import pytest
from tests.mesh_bytes import binary_stl

from footfall.errors import RobotError, RobotWarning
from footfall.geometry.convex_hull import hull_volume
from footfall.geometry.shapes import Box, Capsule, Convex, Cylinder, Shape, Sphere, TriangleMesh
from footfall.geometry.triangles import volume
from footfall.model.collision_shapes import geometry_of


@pytest.fixture
def tetrahedron(tmp_path):
    path = tmp_path / "tetrahedron.stl"
    path.write_bytes(binary_stl())
    return str(path)


def test_primitives_keep_their_sizes():
    assert geometry_of(Shape("box", (1.0, 2.0, 3.0)), "a/b") == Box((1.0, 2.0, 3.0))
    assert geometry_of(Shape("sphere", (1.0,)), "a/b") == Sphere(1.0)
    assert geometry_of(Shape("cylinder", (1.0, 2.0)), "a/b") == Cylinder(1.0, 2.0)
    assert geometry_of(Shape("capsule", (1.0, 2.0)), "a/b") == Capsule(1.0, 2.0)


@pytest.mark.parametrize("scale", [(1.0, 1.0, 1.0), (0.5, -2.0, 1.0)])
def test_a_mesh_becomes_its_hull_or_its_triangles_scaled(tetrahedron, scale):
    shape = Shape("mesh", scale, tetrahedron)
    hull, mesh = geometry_of(shape, "a/b"), geometry_of(shape, "a/b", meshes="triangles")
    assert isinstance(hull, Convex)
    assert isinstance(mesh, TriangleMesh)
    assert volume(mesh) == pytest.approx(abs(np.prod(scale)), rel=1e-6)
    assert hull_volume(hull) == pytest.approx(volume(mesh))


def test_a_mesh_that_many_bodies_share_is_read_once(tetrahedron):
    shape = Shape("mesh", (1.0, 1.0, 1.0), tetrahedron)
    assert geometry_of(shape, "a/b") is geometry_of(shape, "c/d")


def test_an_open_mesh_says_that_its_hull_is_used(tmp_path):
    path = tmp_path / "open.obj"
    path.write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\n")
    with pytest.warns(RobotWarning, match="not closed: its convex hull is used for collisions"):
        geometry_of(Shape("mesh", (1.0, 1.0, 1.0), str(path)), "a/b")


@pytest.mark.parametrize(
    ("shape", "said"),
    [
        (Shape("box", (1.0, 0.0, 1.0)), "arm/hand: box: y must be positive"),
        (Shape("mesh", (1.0, 1.0, 1.0), "nowhere.stl"), "arm/hand: nowhere.stl: mesh cannot be"),
        (Shape("cone", (1.0, 1.0)), "arm/hand: no collision geometry for a cone"),
    ],
)
def test_what_cannot_be_made_is_refused_with_its_place(shape, said):
    with pytest.raises(RobotError) as caught:
        geometry_of(shape, "arm/hand")
    assert str(caught.value).startswith(said)
