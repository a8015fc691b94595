"""A tetrahedron as the bytes of mesh files of every format."""

import numpy as np

VERTICES = [(0, 0, 0), (1, 0, 0), (0, 2, 0), (0, 0, 3)]
FACES = [(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)]
TETRAHEDRON = np.array(VERTICES, float)[np.array(FACES)]


def binary_stl():
    facets = np.zeros(len(FACES), [("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("a", "<u2")])
    facets["corners"] = TETRAHEDRON
    return b"binary".ljust(80) + len(FACES).to_bytes(4, "little") + facets.tobytes()


def ascii_stl():
    lines = ["solid tetrahedron"]
    for triangle in TETRAHEDRON:
        points = "".join(f"vertex {x} {y} {z}\n" for x, y, z in triangle)
        lines.append(f"facet normal 0 0 0\nouter loop\n{points}endloop\nendfacet")
    return "\n".join([*lines, "endsolid tetrahedron\n"]).encode()


def obj():
    vertices = [f"v {x} {y} {z}" for x, y, z in VERTICES]
    faces = ["f " + " ".join(str(k + 1) for k in face) for face in FACES]
    return "\n".join(["# a comment", *vertices, *faces, ""]).encode()


def dae(up="Z_UP", unit=1.0):
    """The tetrahedron at half its size, under a node that doubles it."""
    positions = " ".join(str(x / 2 / unit) for point in VERTICES for x in point)
    indices = " ".join(str(k) for face in FACES for k in face)
    return f"""<?xml version="1.0"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
<asset><created>2020-01-01T00:00:00</created><modified>2020-01-01T00:00:00</modified>
<unit name="a unit" meter="{unit}"/><up_axis>{up}</up_axis></asset>
<library_geometries><geometry id="g"><mesh>
<source id="p"><float_array id="pa" count="12">{positions}</float_array>
<technique_common><accessor source="#pa" count="4" stride="3">
<param name="X" type="float"/><param name="Y" type="float"/><param name="Z" type="float"/>
</accessor></technique_common></source>
<vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
<triangles count="4"><input semantic="VERTEX" source="#v" offset="0"/><p>{indices}</p></triangles>
</mesh></geometry></library_geometries>
<library_visual_scenes><visual_scene id="s"><node id="n"><scale>2 2 2</scale>
<instance_geometry url="#g"/></node></visual_scene></library_visual_scenes>
<scene><instance_visual_scene url="#s"/></scene></COLLADA>""".encode()


def msh():
    """The tetrahedron in MuJoCo's format, with a normal and a place in a texture a vertex."""
    counts = np.array([4, 4, 4, 4], "<i4").tobytes()
    return (
        counts
        + np.array(VERTICES, "<f4").tobytes()
        + bytes(4 * (3 + 2) * len(VERTICES))
        + np.array(FACES, "<i4").tobytes()
    )


def dae_of_two_materials():
    """The tetrahedron as two of its faces as triangles of a material, two as polygons of another.

    A second node has a copy of it, moved by 10 along x; each primitive names its own vertices'
    places beside normals.
    """
    whole = dae().decode()
    start, end = whole.index("<triangles"), whole.index("</triangles>") + len("</triangles>")
    first = " ".join(f"{k} 0" for face in FACES[:2] for k in face)
    second = " ".join(f"{k} 0" for face in FACES[2:] for k in face)
    inputs = (
        '<input semantic="VERTEX" source="#v" offset="0"/>'
        '<input semantic="NORMAL" source="#p" offset="1"/>'
    )
    parts = (
        f'<triangles count="2" material="red">{inputs}<p>{first}</p></triangles>'
        f'<polylist count="2" material="blue">{inputs}<vcount>3 3</vcount>'
        f"<p>{second}</p></polylist>"
        f'<lines count="1"><input semantic="VERTEX" source="#v" offset="0"/><p>0 1</p></lines>'
    )
    copy = (
        '<node id="m"><translate>10 0 0</translate><scale>2 2 2</scale>'
        '<instance_geometry url="#g"/></node>'
    )
    text = whole[:start] + parts + whole[end:]
    return text.replace("</visual_scene>", copy + "</visual_scene>").encode()
