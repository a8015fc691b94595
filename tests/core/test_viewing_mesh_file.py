"""Meshes of every format that URDFs name come in as the same triangles; broken ones are named."""

import numpy as np
import pytest
from tests.cases import each
from tests.mesh_bytes import TETRAHEDRON, ascii_stl, binary_stl, dae, obj

from footfall.errors import RobotError
from footfall.geometry.mesh_file import read_triangles

FILES = {
    "binary.stl": binary_stl(),
    "ascii.stl": ascii_stl(),
    "upper.STL": binary_stl(),
    "mesh.obj": obj(),
    "mesh.dae": dae(),
    "centimetres.dae": dae(unit=0.01),
    "y_up.dae": dae("Y_UP"),  # ignored, as every URDF tool does
}


def canonical(triangles):
    """Triangles in an order that does not depend on the file: winding is kept."""
    rolled = [np.roll(t, -int(np.lexsort(t.T[::-1])[0]), axis=0) for t in triangles]
    return np.array(sorted(np.array(rolled).reshape(len(rolled), 9).tolist()))


@pytest.mark.parametrize("name", FILES)
def test_every_format_gives_the_same_triangles(tmp_path, name):
    file = tmp_path / name
    file.write_bytes(FILES[name])
    triangles = read_triangles(file)
    assert np.allclose(canonical(triangles), canonical(TETRAHEDRON), atol=1e-6)


@each(
    ("name", "content"),
    [
        ("cut.stl", binary_stl()[:-7]),
        ("empty.stl", b""),
        ("none.stl", bytes(84)),
        ("words.stl", b"these are words, not a mesh"),
        ("words.obj", b"these are words, not a mesh"),
        ("words.dae", b"these are words, not a mesh"),
        ("cut.dae", dae()[:600]),
        ("unit.dae", dae(unit=1.0).replace(b'meter="1.0"', b'meter="one"')),
        ("nan.stl", binary_stl()[:96] + np.float32(np.nan).tobytes() + binary_stl()[100:]),
    ],
)
def test_a_broken_file_is_one_error_that_names_it(tmp_path, name, content):
    file = tmp_path / name
    file.write_bytes(content)
    with pytest.raises(RobotError, match=name) as caught:
        read_triangles(file)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("name", ["absent.stl", "absent.dae"])
def test_an_absent_file_is_one_error_that_names_it(tmp_path, name):
    with pytest.raises(RobotError, match=f"{name}.*[Nn]o such file"):
        read_triangles(tmp_path / name)
