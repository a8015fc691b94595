"""What a real browser shows of the materials of a mesh."""

import numpy as np
import pytest
from PIL import Image
from tests.browser import SCALE, page_of, picture, until
from tests.plugins.test_meshcat_page import drawn, serve, settle
from tests.scene_graphs import frame, node, primitives

from footfall.geometry.shapes import Shape

pytestmark = pytest.mark.browser
__all__ = ["serve"]

WALL = """mtllib a.mtl
v 0 -1 0
v 0 0 0
v 0 0 1
v 0 -1 1
v 0 1 0
v 0 1 1
vt 0 0
vt 1 0
vt 1 1
vt 0 1
usemtl red
f 1/1 2/2 3/3 4/4
usemtl photo
f 2/1 5/2 6/3 3/4
"""


def seen(image, color):
    """Return the mean row and column of what is of a colour, and its part of the picture."""
    low, high = np.array(color) < 0.5, np.array(color) >= 0.5
    where = (image[..., high].min(axis=2) > 90) & (image[..., low].max(axis=2) < 60)
    rows, columns = np.nonzero(where)
    assert len(rows), f"nothing is of the colour {color}"
    return rows.mean(), columns.mean(), where.mean()


def test_parts_have_their_colours_and_pictures_lie_the_right_way_up(chromium, serve, tmp_path):
    """A wall across the x axis: red at the right, green over blue at the left, seen from ahead."""
    photo = np.zeros((8, 8, 3), np.uint8)
    photo[:4, :, 1] = photo[4:, :, 2] = 255  # green above, blue below
    Image.fromarray(photo).save(tmp_path / "photo.png")
    (tmp_path / "a.mtl").write_text("newmtl red\nKd 1 0 0\nnewmtl photo\nmap_Kd photo.png\n")
    (tmp_path / "a.obj").write_text(WALL)
    wall = node("cube/base/0", 0, Shape("mesh", (1.0, 1.0, 1.0), str(tmp_path / "a.obj")))
    graph = primitives()
    graph = type(graph)(graph.title, (wall,), 4, (), 4, 10.0, 0.5, graph.tracks)
    with page_of(chromium, serve(graph, frame(), contact_forces=False).url, scale=SCALE) as page:
        drawn(page)
        until(page, "footfall.viewer.bodies.meshes[0].material.some((one) => one.map)")
        page.evaluate("footfall.viewer.pose([4, 0, 0.5, 0, 0, 0.5])")
        settle(page)
        image = picture(page)
    red, green, blue = (seen(image, color) for color in ((1, 0, 0), (0, 1, 0), (0, 0, 1)))
    assert green[0] < blue[0]
    assert abs(green[2] - blue[2]) < 0.3 * blue[2]
    assert abs(red[2] - green[2] - blue[2]) < 0.5 * red[2]
    assert (red[1] - green[1]) * (red[1] - blue[1]) > 0  # on one side of both
