"""What an import says of the mesh files of a model."""

import numpy as np
import pytest
from tests.core.walker_urdf import walker
from tests.mesh_bytes import FACES, VERTICES, binary_stl, obj

from footfall.formats.urdf_file import read_urdf
from footfall.model.mesh_file import MeshFile
from footfall_import.meshes.checks import check_meshes, facts_of


def told(folder, content, scale="1 1 1", name="part.obj"):
    """Findings of a robot of which one part is drawn as a mesh."""
    (folder / name).write_bytes(content)
    drawn = f'<visual><geometry><mesh filename="{name}" scale="{scale}"/></geometry></visual>'
    (folder / "walker.urdf").write_text(
        walker().replace('<link name="trunk">', f'<link name="trunk">{drawn}')
    )
    return check_meshes(read_urdf(folder / "walker.urdf"))


def faces(rows):
    return "".join(f"f {' '.join(str(k + 1) for k in row)}\n" for row in rows).encode()


def test_a_whole_mesh_is_a_note(tmp_path):
    (note,) = told(tmp_path, obj())
    assert (note.level, note.subject, note.text) == ("note", "1 mesh file", "4 triangles")


def test_facts_are_those_of_the_tetrahedron(tmp_path):
    (tmp_path / "part.stl").write_bytes(binary_stl())
    facts = facts_of(MeshFile.read(tmp_path / "part.stl"), (2.0, 2.0, 2.0))
    legs = np.array(VERTICES[1:]).max(axis=0) * 2.0
    x, y, z = legs
    slanted = 0.5 * np.linalg.norm(np.cross([-x, y, 0], [-x, 0, z]))
    assert facts.area == pytest.approx(0.5 * (x * y + y * z + z * x) + slanted, rel=1e-6)
    np.testing.assert_allclose(facts.box, legs)
    assert facts.closed
    assert (facts.triangles, facts.flat) == (4, 0)


def test_a_hole_is_told(tmp_path):
    content = obj().replace(faces(FACES), faces(FACES[:-1]))
    (note,) = told(tmp_path, content)
    assert note.text == "3 triangles; 1 not closed (part.obj)"


def test_a_face_turned_inside_out_is_not_closed(tmp_path):
    content = obj().replace(faces(FACES), faces([FACES[0][::-1], *FACES[1:]]))
    (note,) = told(tmp_path, content)
    assert "1 not closed" in note.text


def test_vertices_of_no_triangle_and_triangles_without_area_are_told(tmp_path):
    (note,) = told(tmp_path, obj() + b"v 1 1 1\nf 1 2 2\n")
    assert "1 with triangles that have no area (part.obj)" in note.text
    assert "1 with vertices of no triangle (part.obj)" in note.text
    assert "not closed" not in note.text


@pytest.mark.parametrize("scale", ["1000 1000 1000", "1e-6 1e-6 1e-6"])
def test_a_part_of_another_unit_is_a_warning(tmp_path, scale):
    warning, _ = told(tmp_path, obj(), scale)
    assert (warning.level, warning.subject) == ("warning", "part.obj")
    assert "is its unit the metre" in warning.text


def test_garbled_faces_are_a_warning(tmp_path):
    """Many triangles across the whole box, as where indices point at wrong vertices."""
    rng = np.random.default_rng(1)
    points = rng.uniform(-0.1, 0.1, (100, 3))
    rows = [rng.choice(100, 3, replace=False) for _ in range(2000)]
    content = "".join(f"v {x} {y} {z}\n" for x, y, z in points).encode() + faces(rows)
    warning, _ = told(tmp_path, content)
    assert "times the area of the box around it" in warning.text


def test_a_mesh_that_cannot_be_read_is_a_warning(tmp_path):
    (warning,) = told(tmp_path, obj() + b"f 1 2 9\n")
    assert warning.level == "warning"
    assert "none of 4 vertices" in warning.text
