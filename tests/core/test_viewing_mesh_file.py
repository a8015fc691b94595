"""Meshes of every format that URDFs name come in as the same triangles; broken ones are named."""

import numpy as np
import pytest
from tests.cases import each
from tests.mesh_bytes import (
    TETRAHEDRON,
    VERTICES,
    ascii_stl,
    binary_stl,
    dae,
    dae_of_two_materials,
    msh,
    obj,
)

from footfall.errors import RobotError
from footfall.model.mesh_file import MeshFile, read_triangles

FILES = {
    "binary.stl": binary_stl(),
    "ascii.stl": ascii_stl(),
    "upper.STL": binary_stl(),
    "mesh.obj": obj(),
    "mesh.dae": dae(),
    "centimetres.dae": dae(unit=0.01),
    "y_up.dae": dae("Y_UP"),  # ignored, as every URDF tool does
    "mesh.msh": msh(),
    "from_the_end.obj": obj()
    .replace(b"f 1 3 2", b"f -4//1 -2//1 \\\n-3//1")
    .replace(b"# a comment", b"mtllib none.mtl\nusemtl red\no one\nl 1 2"),
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
        ("cut.msh", msh()[:-4]),
        ("beyond.msh", msh()[:-4] + (4).to_bytes(4, "little")),
        ("beyond.obj", obj() + b"f 1 2 5\n"),
        ("cut.stl", ascii_stl()[:300]),
        ("cut_between_facets.stl", ascii_stl().rpartition(b"facet normal")[0]),
        ("without_a_corner.stl", ascii_stl().replace(b"vertex", b"vortex", 1)),
        ("underscores.stl", ascii_stl().replace(b"vertex 0.0", b"vertex 1_0.0", 1)),
        ("underscores.obj", obj() + b"v 1_0 0 0\n"),
        ("arabic.obj", obj() + "v \u0661 0 0\n".encode()),
        ("beyond_in_a_quad.obj", obj() + b"f 1 2 3 5\n"),
        ("before.obj", b"f 1 2 3\n"),
        ("unknown.ply", b"ply"),
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


def test_each_material_of_a_collada_file_has_its_own_triangles(tmp_path):
    """Assimp gives each a mesh with vertices of its own, whose indices count from zero again."""
    file = tmp_path / "two.dae"
    file.write_bytes(dae_of_two_materials())
    triangles = read_triangles(file)
    both = np.concatenate([TETRAHEDRON, TETRAHEDRON + np.array([10.0, 0.0, 0.0])])
    assert np.allclose(canonical(triangles), canonical(both), atol=1e-6)


def areas(triangles):
    a, b, c = (triangles[:, k].astype(float) for k in range(3))
    return 0.5 * np.cross(b - a, c - a)


SHAPES = {
    "an L": ([(0, 0), (2, 0), (2, 1), (1, 1), (1, 3), (0, 3)], 4.0),
    "a comb": (
        [(0, 0), (5, 0), (5, 2), (4, 2), (4, 1), (3, 1), (3, 2), (2, 2), (2, 1), (0, 1)],
        7.0,
    ),
    "a pentagon": ([(0, 0), (2, 0), (2, 1), (1, 2), (0, 1)], 3.0),
    "corners in a line": ([(0, 0), (1, 0), (2, 0), (2, 1), (0, 1)], 2.0),
    "a quadrangle": ([(0, 0), (3, 0), (3, 2), (0, 1)], 4.5),
}


@pytest.mark.parametrize("start", [0, 1, 3])
@pytest.mark.parametrize("name", SHAPES)
def test_a_face_of_more_corners_is_covered_once(tmp_path, name, start):
    """All triangles look along the face's normal, and their areas sum up to its own."""
    corners, area = SHAPES[name]
    corners = corners[start:] + corners[:start]
    lines = [f"v {x} {0.6 * y} {0.8 * y}" for x, y in corners]  # in a slanted plane
    lines.append("f " + " ".join(str(k + 1) for k in range(len(corners))))
    file = tmp_path / "face.obj"
    file.write_text("\n".join(lines))
    triangles = read_triangles(file)
    along = areas(triangles) @ [0.0, -0.8, 0.6]
    assert len(triangles) == len(corners) - 2
    assert (along >= -1e-6).all()
    assert along.sum() == pytest.approx(area, rel=1e-6)
    assert np.linalg.norm(areas(triangles), axis=1).sum() == pytest.approx(area, rel=1e-6)


def test_a_quadrangle_is_cut_along_its_shorter_diagonal(tmp_path):
    file = tmp_path / "quad.obj"
    file.write_text("v 0 0 0\nv 1 0 0\nv 3 3 1\nv 0 1 0\nf 1 2 3 4\n")
    assert {frozenset(t) for t in MeshFile.read(file).indices.tolist()} == {
        frozenset({0, 1, 3}),
        frozenset({1, 2, 3}),
    }


def test_vertices_of_no_triangle_are_kept(tmp_path):
    file = tmp_path / "more.obj"
    file.write_bytes(obj() + b"v 9 9 9\n")
    assert len(MeshFile.read(file).vertices) == len(VERTICES) + 1
