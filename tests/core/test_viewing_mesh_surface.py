"""Surfaces of mesh files are made once, and anew when the file changes."""

import os
from dataclasses import replace

import numpy as np
import pytest
from tests.mesh_bytes import VERTICES, binary_stl, obj

from footfall.errors import RobotError
from footfall.geometry.shapes import Shape
from footfall_meshcat.drawing.surface import mesh_surface


@pytest.fixture
def shape(tmp_path):
    """A tetrahedron in a file."""
    path = tmp_path / "a.stl"
    path.write_bytes(binary_stl())
    return Shape("mesh", (1.0, 1.0, 1.0), str(path))


def extent(surface):
    """Lengths of the surface's bounding box, [m]."""
    return surface.step * surface.position.max(axis=0)


def test_a_surface_is_made_once(shape):
    assert mesh_surface(shape) is mesh_surface(replace(shape))
    assert np.allclose(extent(mesh_surface(shape)), np.max(VERTICES, axis=0), rtol=1e-4)


def test_another_scale_is_another_surface(shape):
    twice = mesh_surface(replace(shape, size=(2.0, 2.0, 2.0)))
    assert np.allclose(extent(twice), 2.0 * extent(mesh_surface(shape)), rtol=1e-4)


def test_a_file_that_has_changed_is_read_again(shape, tmp_path):
    before = mesh_surface(shape)
    three, five = np.float32(3.0).tobytes(), np.float32(5.0).tobytes()
    (tmp_path / "a.stl").write_bytes(binary_stl().replace(three, five))
    os.utime(tmp_path / "a.stl", ns=(1, 1))
    assert extent(mesh_surface(shape))[2] == pytest.approx(5.0, rel=1e-4)
    assert extent(before)[2] == pytest.approx(3.0, rel=1e-4)


def test_a_file_that_cannot_be_read_is_tried_again(tmp_path):
    path = tmp_path / "a.obj"
    shape = Shape("mesh", (1.0, 1.0, 1.0), str(path))
    for _ in range(2):
        with pytest.raises(RobotError, match="cannot be read"):
            mesh_surface(shape)
    path.write_bytes(obj())
    assert len(mesh_surface(shape).index) == 4
