"""Materials in the payload of a page: of each part of a mesh, and what cannot be shown."""

import io
import warnings
from dataclasses import replace

import numpy as np
import pytest
from PIL import Image
from tests.scene_graphs import node

from footfall.errors import RobotWarning
from footfall.geometry.shapes import Shape
from footfall.interfaces.visualizer import SceneGraph
from footfall_meshcat.drawing.payload import View, scene_payload, unpack_payload
from footfall_meshcat.drawing.surface import weld

BLUE = (0.2, 0.45, 0.8, 1.0)
SQUARE = """mtllib a.mtl
v 0 0 0
v 1 0 0
v 1 1 0
v 0 1 0
vt 0 0
vt 1 0
vt 1 1
vt 0 1
usemtl red
f 1/1 2/2 3/3
usemtl photo
f 1/1 3/3 4/4
usemtl none
f 1 2 4
"""


@pytest.fixture
def square(tmp_path):
    """A mesh of three triangles: red, with a picture, and without a material."""
    Image.new("RGB", (2000, 10), (0, 255, 0)).save(tmp_path / "photo.png")
    (tmp_path / "a.mtl").write_text("newmtl red\nKd 1 0 0\nnewmtl photo\nmap_Kd photo.png\n")
    places = SQUARE.replace("f 1 2 4", "f 1/1 2/2 4/4")
    (tmp_path / "a.obj").write_text(places)
    return node("a/b/0", 0, Shape("mesh", (1.0, 1.0, 1.0), str(tmp_path / "a.obj")))


def payload(*nodes):
    return unpack_payload(scene_payload(SceneGraph("t", nodes, 1), View()))


def drawn(header, k=0):
    """Return colour and texture of each part of a node, with its number of triangles."""
    entry = header["nodes"][k]
    materials = [header["materials"][number] for number in entry["materials"]]
    parts = header["shapes"][entry["shape"]].get("parts", [0])
    return {
        (triangles, tuple(m["color"]), m["texture"])
        for triangles, m in zip(parts, materials, strict=True)
    }


def test_each_part_has_its_own_material(square):
    header, arrays = payload(square)
    white = (1.0, 1.0, 1.0, 1.0)
    assert drawn(header) == {(1, BLUE, None), (1, (1.0, 0.0, 0.0, 1.0), None), (1, white, 0)}
    image = Image.open(io.BytesIO(arrays[header["textures"][0]].tobytes()))
    assert max(image.size) == 1024  # made smaller
    assert np.abs(np.asarray(image)[0, 0] - np.array([0, 255, 0])).max() < 4


def test_a_colour_that_covers_stands_for_all_parts(square):
    header, _ = payload(square, replace(square, name="a/b/1", covers=True))
    assert {(color, texture) for _, color, texture in drawn(header, 1)} == {(BLUE, None)}
    assert len(header["shapes"]) == 1


def test_places_in_the_texture_belong_to_their_corners(square):
    header, arrays = payload(square)
    (shape,) = header["shapes"]
    points = shape["lower"] + shape["step"] * np.reshape(arrays[shape["position"]], (-1, 3))
    places = np.reshape(arrays[shape["coordinates"]], (-1, 2))
    np.testing.assert_allclose(places, points[:, :2], atol=1e-4)


def test_a_texture_without_places_gives_its_mean_colour_and_says_so(square, tmp_path):
    (tmp_path / "a.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
    laid = replace(square, texture=str(tmp_path / "photo.png"), color=(0.5, 0.5, 0.5, 0.25))
    with pytest.warns(RobotWarning, match="mean colour") as caught:
        header, _ = payload(laid, replace(laid, name="a/b/1"))
    assert len(caught) == 2
    assert drawn(header) == {(1, (0.0, 0.5, 0.0, 0.25), None)}
    assert header["textures"] == []


def test_a_texture_that_cannot_be_read_is_told_once(square, tmp_path):
    (tmp_path / "photo.png").write_bytes(b"no picture")
    with pytest.warns(RobotWarning, match=r"photo\.png cannot be read") as caught:
        header, _ = payload(square, replace(square, name="a/b/1"))
    assert len(caught) == 1
    assert header["textures"] == []


def test_what_is_missing_of_a_file_is_told_unless_it_is_covered(square, tmp_path):
    (tmp_path / "a.mtl").unlink()
    with pytest.warns(RobotWarning, match=r"material library a\.mtl was not found"):
        payload(square)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        payload(replace(square, covers=True))
        payload(replace(square, layer="collision"))


def test_seams_of_a_texture_do_not_show_in_the_shading():
    """Two triangles that meet at a slight angle, with other places along their edge."""
    points = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0.1], [0, -1, 0.1]], np.float32)
    triangles = points[[[0, 1, 2], [1, 0, 3]]]
    whole = weld(triangles)
    places = np.arange(12, dtype=np.float32).reshape(2, 3, 2)
    seamed = weld(triangles, coordinates=places)
    assert (len(whole.position), len(seamed.position)) == (4, 6)
    np.testing.assert_array_equal(seamed.normal[seamed.index], whole.normal[whole.index])
    np.testing.assert_array_equal(seamed.coordinates[seamed.index], places)


def test_triangles_are_ordered_by_material():
    corners = np.zeros((4, 3, 3), np.float32)
    corners[:, 1, 0] = corners[:, 2, 1] = 1.0
    corners[:, :, 2] = np.arange(4)[:, None]
    corners[3, 1] = corners[3, 0]  # has no area and goes
    surface = weld(corners, material_of=np.array([1, -1, 1, 0]))
    heights = (surface.lower + surface.step * surface.position)[surface.index][:, 0, 2]
    assert surface.parts == ((1, -1), (2, 1))
    np.testing.assert_allclose(heights, [1.0, 0.0, 2.0], atol=1e-4)
