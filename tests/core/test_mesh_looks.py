"""Materials of mesh files, read and laid over the right triangles; what is missing is told."""

import numpy as np
import pytest
from PIL import Image
from tests.mesh_bytes import FACES, VERTICES, dae_of_two_materials, msh

from footfall.model.mesh_file import MeshFile

CORNERS = "v 0 0 0\nv 2 0 0\nv 2 1 0\nv 0 1 0\n"
PLACES = "vt 0 0\nvt 1 0\nvt 1 1\nvt 0 1\n"


def picture(path, color=(255, 0, 0)):
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.new("RGB", (4, 4), color).save(path)
    return path


def read(folder, text, name="part.obj"):
    (folder / name).write_text(text)
    return MeshFile.read(folder / name)


def test_each_face_of_an_obj_has_its_material(tmp_path):
    (tmp_path / "a.mtl").write_text(
        "newmtl red\nKd 1 0 0\n\nnewmtl glass\nKd 0 1 0\nd 0.25\nnewmtl other\nTr 0.5\n"
    )
    faces = "usemtl glass\nf 1 2 3 4\nusemtl red\nf 1 2 3\nusemtl none\nf 1 3 4\n"
    mesh = read(tmp_path, f"mtllib a.mtl\n{CORNERS}f 1 2 4\n{faces}")
    colors = [None if k < 0 else mesh.materials[k][0] for k in mesh.material_of]
    green, red = (0.0, 1.0, 0.0, 0.25), (1.0, 0.0, 0.0, 1.0)
    assert colors == [None, green, green, red, None]
    assert mesh.companions == (tmp_path / "a.mtl",)
    assert mesh.lost == ()


def test_a_texture_lies_on_the_corners_that_the_file_says(tmp_path):
    """The place of a corner is its position, stretched; also where a face is cut into two."""
    image = picture(tmp_path / "pictures" / "a b.png")
    (tmp_path / "a.mtl").write_text("newmtl m\nmap_Kd -s 1 1 1 pictures/a b.png\n")
    faces = "f 3/3 4/4/1 1/1 2/2\nf -4/-4 -3/-3 -2/-2\n"
    mesh = read(tmp_path, f"mtllib a.mtl\n{CORNERS}{PLACES}usemtl m\n{faces}")
    assert mesh.materials == (((1.0, 1.0, 1.0, 1.0), str(image)),)
    corners = mesh.vertices[mesh.indices]
    np.testing.assert_array_equal(mesh.coordinates, corners[..., :2] / np.array([2.0, 1.0]))
    assert len(mesh.indices) == 3
    assert set(mesh.companions) == {tmp_path / "a.mtl", image}


def test_an_obj_without_materials_has_none(tmp_path):
    mesh = read(tmp_path, f"{CORNERS}f 1 2 3\n")
    assert (mesh.materials, mesh.material_of, mesh.coordinates) == ((), None, None)


def test_what_is_missing_is_told(tmp_path):
    (tmp_path / "a.mtl").write_text("newmtl m\nKd 0 0 1\nmap_Kd lost.png\nmap_bump relief.png\n")
    mesh = read(tmp_path, f"mtllib a.mtl\nmtllib b.mtl\n{CORNERS}usemtl m\nf 1 2 3\n")
    assert mesh.materials == (((0.0, 0.0, 1.0, 1.0), None),)
    assert mesh.lost == (
        "map_bump of a.mtl is not drawn",
        "texture lost.png was not found",
        "material library b.mtl was not found",
    )


def test_places_of_an_msh_count_from_the_top(tmp_path):
    """As MuJoCo's textures do; here (0, 1) is the upper left corner."""
    places = np.array([(0, 0), (1, 0), (0, 1), (0.25, 0.25)], "<f4")
    data = msh()
    end = len(data) - 12 * len(FACES)
    (tmp_path / "a.msh").write_bytes(data[: end - 32] + places.tobytes() + data[end:])
    mesh = MeshFile.read(tmp_path / "a.msh")
    expected = np.column_stack([places[:, 0], 1.0 - places[:, 1]])[np.array(FACES)]
    np.testing.assert_array_equal(mesh.coordinates, expected)


EFFECT = """<effect id="{name}-effect"><profile_COMMON>{params}<technique sid="common"><phong>
<emission><color>1 1 1 1</color></emission><diffuse>{diffuse}</diffuse>{more}
</phong></technique></profile_COMMON></effect>"""
PARAMS = """<newparam sid="red-surface"><surface type="2D"><init_from>photo</init_from></surface>
</newparam><newparam sid="red-sampler"><sampler2D><source>red-surface</source></sampler2D>
</newparam>"""


def collada(red, blue, params="", more=""):
    """Two copies of the tetrahedron, two faces of each red and two blue."""
    effects = EFFECT.format(name="red", params=params, diffuse=red, more=more)
    effects += EFFECT.format(name="blue", params="", diffuse=blue, more="")
    materials = "".join(
        f'<material id="{name}"><instance_effect url="#{name}-effect"/></material>'
        for name in ("red", "blue")
    )
    bound = "".join(
        f'<instance_material symbol="{name}" target="#{name}"/>' for name in ("red", "blue", "lost")
    ).replace('target="#lost"', 'target="#nowhere"')
    image = '<image id="photo"><init_from>pictures/photo%201.png</init_from></image>'
    libraries = (
        f"<library_images>{image}</library_images><library_effects>{effects}</library_effects>"
        f"<library_materials>{materials}</library_materials>"
    )
    instance = (
        f'<instance_geometry url="#g"><bind_material><technique_common>{bound}</technique_common>'
        "</bind_material></instance_geometry>"
    )
    text = dae_of_two_materials().decode()
    text = text.replace('<instance_geometry url="#g"/>', instance)
    return text.replace("<library_geometries>", f"{libraries}<library_geometries>")


def test_each_part_of_a_collada_file_has_its_material(tmp_path):
    red, blue = "<color>0.8 0.1 0 1</color>", "<color>0 0 1 1</color>"
    mesh = read(tmp_path, collada(red, blue), "a.dae")
    assert [color for color, _ in mesh.materials] == [(0.8, 0.1, 0, 1), (0, 0, 1, 1)]
    assert mesh.material_of.tolist() == [0, 0, 1, 1, 0, 0, 1, 1]
    faces = np.array(VERTICES, float)[np.array(FACES)]
    np.testing.assert_allclose(mesh.vertices[mesh.indices][:4], faces, atol=1e-6)


@pytest.mark.parametrize("name", ["red-sampler", "photo"])
def test_an_image_is_named_by_its_sampler_or_by_itself(tmp_path, name):
    image = picture(tmp_path / "pictures" / "photo 1.png")
    red = f'<texture texture="{name}" texcoord="UV"/>'
    mesh = read(tmp_path, collada(red, "<color>0 0 1 1</color>", PARAMS), "a.dae")
    assert mesh.materials[0] == ((1.0, 1.0, 1.0, 1.0), str(image))
    assert mesh.lost == ()


def test_an_effect_that_names_nothing_keeps_its_triangles(tmp_path):
    """A parser that refuses the effect leaves the geometry out, without a word."""
    red = '<texture texture="nothing" texcoord="UV"/>'
    mesh = read(tmp_path, collada(red, "<color>0 0 1 1</color>"), "a.dae")
    assert len(mesh.indices) == 8
    assert mesh.lost == ("texture nothing is not defined",)


@pytest.mark.parametrize(
    ("more", "opacity"),
    [
        ("<transparency><float>0.25</float></transparency>", 0.25),
        ('<transparent opaque="A_ONE"><color>1 1 1 0.5</color></transparent>', 0.5),
        ('<transparent opaque="RGB_ZERO"><color>0.5 0.5 0.5 1</color></transparent>', 0.5),
        ("<transparency><float>0</float></transparency>", 1.0),  # nobody draws what nobody sees
    ],
)
def test_transparency_is_read_in_both_of_its_senses(tmp_path, more, opacity):
    red, blue = "<color>1 0 0 1</color>", "<color>0 0 1 1</color>"
    mesh = read(tmp_path, collada(red, blue, more=more), "a.dae")
    assert [color[3] for color, _ in mesh.materials] == [opacity, 1.0]
