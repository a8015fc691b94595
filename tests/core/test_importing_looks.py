"""Materials of imported robots: copied with their meshes; those of an MJCF are the file's."""

import shutil
import warnings

import numpy as np
import pytest
from PIL import Image
from tests.core.test_importing_mjcf import model_of, small
from tests.core.walker_urdf import walker

from footfall.errors import RobotError, RobotWarning
from footfall.formats.urdf_file import read_urdf
from footfall.geometry.shapes import Shape
from footfall.model.robot import load_robot
from footfall.registry.discover import discover
from footfall_import.choices import Wishes
from footfall_import.locate import locate
from footfall_import.mjcf.geometry import read_visuals
from footfall_import.propose import propose
from footfall_import.read_model import read_model
from footfall_import.write import write_robot
from footfall_meshcat.drawing.surface import mesh_surface

OBJ = """mtllib {library}
v 0 0 0
v 0.1 0 0
v 0 0.1 0
v 0 0 0.1
vt 0 0
vt 1 0
vt 1 1
usemtl photo
f 1/1 3/2 2/3
f 1/1 2/2 4/3
f 1/1 4/2 3/3
f 2/1 3/2 4/3
"""
DRAWN = '<visual><geometry><mesh filename="{name}"/></geometry>{more}</visual>'


def picture(path):
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.new("RGB", (4, 4), (0, 255, 0)).save(path)


def imported(path, folder):
    located = locate(str(path))
    proposal = propose(located, read_model(located), Wishes(), discover())
    write_robot(proposal, folder)
    return proposal


def visuals(folder):
    return [
        visual for link in load_robot(str(folder)).urdf.links.values() for visual in link.visuals
    ]


def test_materials_of_meshes_are_copied_where_the_meshes_look_for_them(tmp_path):
    """Two meshes of one name, with libraries of one name that name pictures of one name."""
    mine = tmp_path / "mine"
    for k in "ab":
        (mine / k / "obj").mkdir(parents=True)
        (mine / k / "obj" / "part.obj").write_text(OBJ.format(library="part.mtl"))
        (mine / k / "obj" / "part.mtl").write_text("newmtl photo\nmap_Kd ../maps/photo.png\n")
        picture(mine / k / "maps" / "photo.png")
    parts = "".join(DRAWN.format(name=f"{k}/obj/part.obj", more="") for k in "ab")
    (mine / "walker.urdf").write_text(
        walker().replace('<link name="trunk">', f'<link name="trunk">{parts}')
    )
    imported(mine / "walker.urdf", tmp_path / "made")
    shutil.rmtree(mine)
    shutil.move(tmp_path / "made", tmp_path / "elsewhere")
    drawn = visuals(tmp_path / "elsewhere")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        textures = {mesh_surface(visual.shape).materials[0][1] for visual in drawn}
    assert len(textures) == 2
    assert {visual.covers for visual in drawn} == {False}


def test_a_texture_of_a_urdf_is_copied_and_one_that_is_lost_is_told(tmp_path):
    mine = tmp_path / "mine"
    picture(mine / "photo.png")
    (mine / "part.obj").write_text(OBJ.format(library="lost.mtl"))
    own = '<material name="m"><texture filename="photo.png"/></material>'
    lost = '<material name="n"><color rgba="1 0 0 1"/><texture filename="lost.png"/></material>'
    parts = "".join(DRAWN.format(name="part.obj", more=more) for more in (own, lost))
    (mine / "walker.urdf").write_text(
        walker().replace('<link name="trunk">', f'<link name="trunk">{parts}')
    )
    proposal = imported(mine / "walker.urdf", tmp_path / "made")
    shutil.rmtree(mine)
    first, second = visuals(tmp_path / "made")
    assert (first.color, first.texture) == (None, str(tmp_path / "made/meshes/photo.png"))
    assert (second.color, second.texture) == ((1.0, 0.0, 0.0, 1.0), "lost.png")
    said = {f"{finding.subject}: {finding.text}" for finding in proposal.findings}
    assert "texture lost.png: was not found: drawn in plain colour" in said
    assert "part.obj: material library lost.mtl was not found: not drawn" in said


ASSETS = """<asset>
<mesh name="part" file="part.obj"/>
<texture name="photo" type="2d" file="photo.png"/>
<texture name="skin" type="cube" builtin="flat" rgb1="0.5 0.5 1" mark="cross"/>
<texture name="lost" type="2d" file="lost.png"/>
<material name="photo" texture="photo" rgba="1 0.5 1 1"/>
<material name="skin" texture="skin" rgba="1 0.5 0.5 0.5"/>
<material name="lost" texture="lost" rgba=" "/>
<material name="unused" texture="lost"/>
</asset>"""
GEOMS = """<geom type="mesh" mesh="part" material="photo"/>
<geom type="mesh" mesh="part"/>
<geom size="0.1" material="skin"/>
<geom size="0.1" material="skin" rgba="0 1 1 1"/>
<geom size="0.1" material="lost" rgba=""/>"""


@pytest.fixture
def mjcf(tmp_path):
    """An MJCF whose mesh has, as most exporters write, a library that MuJoCo does not read."""
    picture(tmp_path / "photo.png")
    (tmp_path / "part.obj").write_text(OBJ.format(library="part.mtl"))
    (tmp_path / "part.mtl").write_text("newmtl photo\nKd 1 0 0\n")
    return small(inside=GEOMS, extra=ASSETS)


def looks(visuals):
    return [(visual.color, visual.texture) for visual in visuals]


def test_materials_of_an_mjcf_are_drawn(mjcf, tmp_path):
    model = model_of(tmp_path, mjcf)
    expected = [
        ((1.0, 0.5, 1.0, 1.0), str(tmp_path / "photo.png")),
        (None, None),
        ((0.5, 0.25, 0.5, 0.5), None),
        ((0.0, 0.5, 1.0, 1.0), None),
        (None, None),
    ]
    assert looks(model.urdf.links["b"].visuals) == expected
    direct = [visual for _, visual in read_visuals(tmp_path / "robot.xml")]
    assert looks(direct) == expected
    assert all(visual.covers for visual in direct)


def test_what_of_an_mjcfs_materials_is_not_drawn_is_told(mjcf, tmp_path):
    found = {finding.subject: finding.text for finding in model_of(tmp_path, mjcf).findings}
    assert "mean colour" in found['material "skin"']
    assert "was not found" in found['material "lost"']
    assert 'material "photo"' not in found
    assert 'material "unused"' not in found


def test_an_imported_mjcf_has_its_own_colours_not_those_of_mesh_files(mjcf, tmp_path):
    (tmp_path / "in").mkdir()
    for name in ("photo.png", "part.obj", "part.mtl"):
        shutil.move(tmp_path / name, tmp_path / "in" / name)
    (tmp_path / "in" / "robot.xml").write_text(mjcf)
    imported(tmp_path / "in" / "robot.xml", tmp_path / "made")
    shutil.rmtree(tmp_path / "in")
    first = visuals(tmp_path / "made")[0]
    surface = mesh_surface(first.shape)
    assert first.texture == str(tmp_path / "made/meshes/photo.png")
    assert (surface.materials, surface.lost) == ((), ())
    assert surface.coordinates is not None


def test_mesh_triangles_are_untouched_by_their_materials(tmp_path):
    (tmp_path / "a.obj").write_text(OBJ.format(library="none.mtl"))
    surface = mesh_surface(Shape("mesh", (1.0, 1.0, 1.0), str(tmp_path / "a.obj")))
    points = (surface.lower + surface.step * surface.position)[surface.index]
    volume = np.einsum("ij,ij->", points[:, 0], np.cross(points[:, 1], points[:, 2])) / 6.0
    assert volume == pytest.approx(0.1**3 / 6.0, rel=1e-3)


def test_xml_that_others_forgive_is_read_with_a_warning(tmp_path):
    ball = '<geometry><sphere radius="1"/></geometry>'
    colors = ('<color rgba="1 0 0 1.0f"/>', '<color rgba="1 0 0"/>', '<color rgba="1 0 0 1"/>')
    visuals = [f'<visual>{ball}<material name="">{color}</material></visual>' for color in colors]
    visuals.append('<visual><geometry><box size="1 1 0"/></geometry></visual>')
    visuals.append(f'<visual><origin xyz="1, 2 3"/>{ball}</visual>')
    head = '\n<!-- a head --><?xml version="1.0"?>'
    (tmp_path / "it.urdf").write_text(
        f'{head}<robot name="it"><link name="a">{"".join(visuals)}</link></robot>'
    )
    with pytest.warns(RobotWarning) as told:
        urdf = read_urdf(tmp_path / "it.urdf")
    said = [str(each.message).rpartition(": ")[2] for each in told]
    assert said == [
        "<?xml ...?> is not first",
        "drawn in the default colour",
        "drawn in the default colour",
        "visual has no size; left out",
        "commas are taken as spaces",
    ]
    drawn = urdf.links["a"].visuals
    assert [visual.color for visual in drawn] == [None, None, (1.0, 0.0, 0.0, 1.0), None]
    np.testing.assert_allclose(drawn[-1].origin.translation, [1.0, 2.0, 3.0])
    (tmp_path / "it.urdf").write_text(f"<robot>{head}</robot>")
    with pytest.raises(RobotError, match="malformed XML"):
        read_urdf(tmp_path / "it.urdf")


def test_elements_of_other_programs_are_notes_without_a_hint(tmp_path):
    others = '<mujoco><compiler fusestatic="false"/></mujoco><ros2_control name="x"/>'
    (tmp_path / "it.urdf").write_text(f'<robot name="it"><link name="a"/>{others}</robot>')
    found = read_model(locate(str(tmp_path / "it.urdf"))).findings
    assert {(f.level, f.subject, f.text) for f in found} == {
        ("note", "<mujoco>", "1 elements, for other programs: not read"),
        ("note", "<ros2_control>", "1 elements, for other programs: not read"),
    }
