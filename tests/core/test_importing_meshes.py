"""What an import says of the mesh files of a model, and what meshes of an MJCF weigh."""

import numpy as np
import pytest
from tests.core.test_importing_mjcf import assert_weighs_as_in_mujoco, model_of
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
    assert "1 with triangles of zero area (part.obj)" in note.text
    assert "1 with unused vertices (part.obj)" in note.text
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
    assert "not one of the 4" in warning.text


def test_a_pointer_of_git_lfs_is_called_so(tmp_path):
    (warning,) = told(
        tmp_path, b"version https://git-lfs.github.com/spec/v1\noid sha256:1\nsize 9\n"
    )
    assert "it is a pointer of Git LFS: run git lfs pull" in warning.text


@pytest.mark.parametrize(
    "attributes",
    [
        'refquat="1 2 3 4" scale="2 2 2"',
        'refquat="1 -1 0 0" refpos="0.1 0.2 0.3" scale="1 -2 3"',
        'refpos="0.1 0.2 0.3" scale="3 2 1"',
    ],
)
def test_the_reference_of_a_mesh_is_mujocos(tmp_path, attributes):
    (tmp_path / "tetra.obj").write_bytes(obj())
    text = (
        f'<mujoco><asset><mesh name="t" file="{tmp_path}/tetra.obj" inertia="exact" {attributes}/>'
        '</asset><worldbody><body name="a"><freejoint/><geom type="mesh" mesh="t" pos="1 0 0" '
        'euler="10 0 0"/></body></worldbody></mujoco>'
    )
    assert_weighs_as_in_mujoco(tmp_path, text, 1e-6, 1e-6, 1e-5)


@pytest.mark.parametrize("origin", [(0.0, 0.0, 0.0), (5.0, -3.0, 2.0)])
def test_an_open_mesh_weighs_as_in_mujoco_wherever_its_origin_is(tmp_path, origin):
    """A box of which one side and half of another are missing; MuJoCo keeps single precision."""
    corners = np.array([[x, y, z] for x in (0, 0.3) for y in (0, 0.2) for z in (0, 0.1)]) + origin
    faces = "124 143 137 175 156 162 578 586 348"
    lines = [f"v {x} {y} {z}" for x, y, z in corners] + [f"f {' '.join(f)}" for f in faces.split()]
    (tmp_path / "open.obj").write_text("\n".join(lines) + "\n")
    text = (
        f'<mujoco><asset><mesh name="t" file="{tmp_path}/open.obj" inertia="exact"/></asset>'
        '<worldbody><body name="a"><freejoint/><geom type="mesh" mesh="t"/></body></worldbody>'
        "</mujoco>"
    )
    assert_weighs_as_in_mujoco(tmp_path, text, 2e-5, 2e-6, 1e-4)


def test_a_mesh_that_encloses_no_body_weighs_as_its_hull_and_is_told(tmp_path):
    """A tetrahedron inside out, and one of which a face is turned."""
    corners = [(0, 0, 0), (0.3, 0, 0), (0, 0.2, 0), (0, 0, 0.1)]
    vertices = [f"v {x} {y} {z}" for x, y, z in corners]
    for name, faces in {"out": "123 142 134 243", "turned": "132 124 341 234"}.items():
        lines = vertices + [f"f {' '.join(face)}" for face in faces.split()]
        (tmp_path / f"{name}.obj").write_text("\n".join(lines) + "\n")
        text = (
            f'<mujoco><asset><mesh name="t" file="{tmp_path}/{name}.obj"/></asset><worldbody>'
            '<body name="a"><freejoint/><geom name="g" type="mesh" mesh="t" mass="2"/></body>'
            "</worldbody></mujoco>"
        )
        model = model_of(tmp_path, text)
        inertial = model.urdf.links["a"].inertial
        assert inertial.mass == pytest.approx(2.0)
        np.testing.assert_allclose(inertial.com, [0.075, 0.05, 0.025], rtol=1e-6)
        # A tetrahedron with legs a, b, c along the axes: m (b^2 + c^2) 3 / 80 about x.
        legs = np.array([0.3, 0.2, 0.1]) ** 2
        expected = 2.0 * 3.0 / 80.0 * (legs.sum() - legs)
        np.testing.assert_allclose(np.diag(inertial.inertia), expected, rtol=1e-6)
        (told,) = [finding for finding in model.findings if "convex hull" in finding.text]
        assert (told.level, told.subject, told.lost) == ("warning", 'geom "g" of "a"', True)
