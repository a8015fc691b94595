"""What a page is told of a scene: everything once, nothing that it could not draw."""

from dataclasses import replace

import numpy as np
import pytest
from tests.mesh_bytes import binary_stl
from tests.scene_graphs import node, primitives

from footfall.errors import RobotError, RobotWarning
from footfall.geometry.shapes import Shape
from footfall.interfaces.visualizer import SceneGraph
from footfall_meshcat.drawing.payload import View, scene_payload, unpack_payload


@pytest.fixture
def mesh(tmp_path):
    file = tmp_path / "part.stl"
    file.write_bytes(binary_stl())
    return str(file)


def test_equal_shapes_and_meshes_go_in_once(mesh):
    shapes = [Shape("mesh", (1.0, 1.0, 1.0), mesh)] * 3 + [Shape("box", (1.0, 1.0, 1.0))] * 2
    shapes.append(Shape("mesh", (1.0, 1.0, -1.0), mesh))
    graph = SceneGraph("t", tuple(node(f"a/{k}", 0, s) for k, s in enumerate(shapes)), 1)
    header, arrays = unpack_payload(scene_payload(graph, View()))
    assert [entry["shape"] for entry in header["nodes"]] == [0, 0, 0, 1, 1, 2]
    assert len(arrays) == 2 * 3  # positions, normals and indices of the mesh and its mirror image


def test_a_node_is_placed_as_the_graph_says():
    rotation = np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
    placed = replace(
        node("a/0", 0, Shape("sphere", (0.1,)), translation=(1.0, 2.0, 3.0)), rotation=rotation
    )
    header, _ = unpack_payload(scene_payload(SceneGraph("t", (placed,), 1), View()))
    matrix = np.reshape(header["nodes"][0]["matrix"], (4, 4)).T
    assert np.array_equal(matrix[:3, :3], rotation)
    assert np.array_equal(matrix[:, 3], [1.0, 2.0, 3.0, 1.0])


def test_a_hull_is_drawn_as_the_convex_hull_of_its_mesh(tmp_path):
    """Two tetrahedra apart from each other: the hull reaches over the space between them."""
    file = tmp_path / "two.obj"
    corners = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]
    lines = [f"v {x + shift} {y} {z}" for shift in (0, 3) for x, y, z in corners]
    faces = [(1, 3, 2), (1, 2, 4), (1, 4, 3), (2, 3, 4)]
    lines += [f"f {a + k} {b + k} {c + k}" for k in (0, 4) for a, b, c in faces]
    file.write_text("\n".join(lines))
    shapes = [Shape(kind, (1.0, 1.0, 1.0), str(file)) for kind in ("mesh", "hull")]
    graph = SceneGraph("t", tuple(node(f"a/{k}", 0, s) for k, s in enumerate(shapes)), 1)
    header, arrays = unpack_payload(scene_payload(graph, View()))
    volumes = []
    for entry in header["shapes"]:
        points = entry["lower"] + entry["step"] * np.reshape(arrays[entry["position"]], (-1, 3))
        a, b, c = (points[np.reshape(arrays[entry["index"]], (-1, 3))[:, k]] for k in range(3))
        volumes.append(float(np.einsum("ij,ij->", a, np.cross(b, c)) / 6.0))
    # Two corners of 1/6 each; a prism of base 1/2 and length 3 with one corner, cut at the other.
    assert volumes == pytest.approx([1 / 3, 0.5 * 3.0 + 1 / 6], rel=1e-3)


def test_layers_and_names_of_links_are_passed_on():
    touched = replace(node("body/link/1", 0, Shape("sphere", (0.1,))), layer="collision")
    graph = SceneGraph("t", (node("body/link/0", 0, Shape("sphere", (0.1,))), touched), 2)
    header, _ = unpack_payload(scene_payload(replace(graph, links=("body/link", "")), View()))
    assert [entry["layer"] for entry in header["nodes"]] == ["visual", "collision"]
    assert header["link_names"] == ["body/link", ""]


def test_equal_scenes_give_equal_payloads():
    assert scene_payload(primitives(), View()) == scene_payload(primitives(), View())
    assert scene_payload(primitives(), View()) != scene_payload(primitives(), View(follow="com"))


def test_an_unreadable_mesh_is_left_out_with_a_warning(mesh):
    bad = node("a/0", 0, Shape("mesh", (1.0, 1.0, 1.0), "/no/such/part.stl"))
    good = node("a/1", 0, Shape("mesh", (1.0, 1.0, 1.0), mesh))
    graph = SceneGraph("t", (bad, bad, good), 1)
    with pytest.warns(RobotWarning, match=r"part\.stl.*left out") as caught:
        header, _ = unpack_payload(scene_payload(graph, View()))
    assert len(caught) == 1  # once a file, not once a use
    assert [entry["name"] for entry in header["nodes"]] == ["a/1"]


@pytest.mark.parametrize(
    ("shape", "link", "message"),
    [
        (Shape("sphear", (0.1,)), 0, "no shape kind 'sphear', did you mean 'sphere'"),
        (Shape("box", (0.1,)), 0, "a box has 3 sizes, not 1"),
        (Shape("sphere", (0.1,)), 2, r"no link 2 \(links: 0 to 1\)"),
    ],
)
def test_what_cannot_be_drawn_is_refused_by_name(shape, link, message):
    graph = SceneGraph("t", (node("body/link/0", link, shape),), 2)
    with pytest.raises(RobotError, match=f"body/link/0: {message}"):
        scene_payload(graph, View())
