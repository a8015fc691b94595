"""Meshes as glTF and PLY, read by trimesh: their triangles, colours and buffers."""

import json
import struct
import sys
from importlib.util import find_spec

import numpy as np
import pytest

from footfall.api.advanced import MeshFile
from footfall.api.plugin import PluginError, RobotError

if find_spec("trimesh") is None:  # imported by what uses it: every worker reads this file
    pytest.skip('needs the extra "meshes"', allow_module_level=True)

CORNERS = [(0, 0, 0), (1, 0, 0), (0, 2, 0), (0, 0, 3)]
FACES = [(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)]
BUFFER = struct.pack("<12f12H", *np.ravel(CORNERS), *np.ravel(FACES))
PLY = """ply
format ascii 1.0
element vertex 4
property float x
property float y
property float z
element face {}
property list uchar int vertex_indices
end_header
"""


def gltf(**buffer):
    color = {"pbrMetallicRoughness": {"baseColorFactor": [1.0, 0.0, 0.0, 1.0]}}
    views = [{"buffer": 0, "byteOffset": at, "byteLength": n} for at, n in ((0, 48), (48, 24))]
    place = {"bufferView": 0, "componentType": 5126, "count": 4, "type": "VEC3"}
    place |= {"min": [0, 0, 0], "max": [1, 2, 3]}
    return {
        "asset": {"version": "2.0"},
        "scene": 0,
        "scenes": [{"nodes": [0]}],
        "nodes": [{"mesh": 0, "translation": [10, 0, 0]}],
        "materials": [color],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1, "material": 0}]}],
        "buffers": [{"byteLength": 72, **buffer}],
        "bufferViews": views,
        "accessors": [
            place,
            {"bufferView": 1, "componentType": 5123, "count": 12, "type": "SCALAR"},
        ],
    }


def written(folder, kind):
    path = folder / f"part.{kind}"
    if kind == "gltf":
        path.write_text(json.dumps(gltf(uri="part.bin")))
        (folder / "part.bin").write_bytes(BUFFER)
    elif kind == "glb":
        text = json.dumps(gltf()).encode()
        text += b" " * (-len(text) % 4)
        head = struct.pack("<4sII", b"glTF", 2, 12 + 8 + len(text) + 8 + len(BUFFER))
        chunks = struct.pack("<I4s", len(text), b"JSON") + text
        path.write_bytes(head + chunks + struct.pack("<I4s", len(BUFFER), b"BIN\0") + BUFFER)
    else:
        rows = [" ".join(map(str, corner)) for corner in CORNERS]
        rows += [f"3 {a} {b} {c}" for a, b, c in FACES]
        path.write_text(PLY.format(4) + "\n".join(rows) + "\n")
    return path


@pytest.mark.parametrize(("kind", "moved"), [("gltf", 10.0), ("glb", 10.0), ("ply", 0.0)])
def test_the_triangles_are_those_of_the_file(tmp_path, kind, moved):
    mesh = MeshFile.read(written(tmp_path, kind))
    corners = mesh.vertices[mesh.indices] - [moved, 0.0, 0.0]
    np.testing.assert_allclose(corners, np.array(CORNERS, float)[np.array(FACES)], atol=1e-6)
    assert mesh.materials == ((((1.0, 0.0, 0.0, 1.0), None),) if moved else ())
    assert [each.name for each in mesh.companions] == (["part.bin"] if kind == "gltf" else [])


@pytest.mark.parametrize("uri", ["../part.bin", "{}/part.bin", "http://x.invalid/part.bin", "none"])
def test_buffers_elsewhere_are_not_read(tmp_path, uri):
    (tmp_path / "model").mkdir()
    (tmp_path / "part.bin").write_bytes(BUFFER)
    path = tmp_path / "model" / "part.gltf"
    path.write_text(json.dumps(gltf(uri=uri.format(tmp_path))))
    with pytest.raises(RobotError, match="mesh cannot be read"):
        MeshFile.read(path)


@pytest.mark.parametrize(
    "text", ["", "ply\nformat ascii 1.0\nend_header\n", PLY.format(0) + "0 0 0\n"]
)
def test_a_damaged_file_is_one_error(tmp_path, text):
    (tmp_path / "part.ply").write_text(text)
    with pytest.raises(RobotError, match="mesh cannot be read"):
        MeshFile.read(tmp_path / "part.ply")


def test_without_trimesh_the_extra_is_named(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "trimesh", None)
    with pytest.raises(PluginError, match=r'pip install -e "\.\[meshes\]"'):
        MeshFile.read(written(tmp_path, "glb"))
