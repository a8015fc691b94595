"""iCub with all its meshes, simulated: live in a page, and written as one."""

import time

import numpy as np
import pytest
from tests.browser import SCALE, browser, changed, page_of, picture, until
from tests.scene_graphs import write_html

from footfall import load
from footfall.interfaces.visualizer import Frame
from footfall_meshcat.drawing.payload import View, scene_payload, unpack_payload
from footfall_meshcat.server.messages import FramePacker
from footfall_meshcat.visualizer import Meshcat, MeshcatConfig

pytest.importorskip("icub_models", reason='pip install -e ".[icub]"')


@pytest.fixture(scope="module")
def scene():
    """The scene graph of a short drop and its frames, every 10 ms."""
    sim = load("icub/drop")
    graph, frames = sim.drawing().graph(), []
    for k in range(250):
        sim.step()
        if k % 10 == 0:
            frames.append(_frame(sim, 1e-3 * k))
    return graph, frames


def _frame(sim, now):
    world = sim.world
    poses = np.zeros((world.n_links, 7))
    for row, link in zip(poses, world.dynamics.pose, strict=True):
        row[:3], row[3:] = link[9:], _quaternion(link[:9].reshape(3, 3).T)
    position, force = world.candidates.position.copy(), world.candidates.force.copy()
    return Frame(now, poses, position, force, poses[0, :3].copy())


def _quaternion(rotation):
    from scipy.spatial.transform import Rotation

    return Rotation.from_matrix(rotation).as_quat()


def arrays(frames):
    fields = ("time", "poses", "contact_position", "contact_force", "com")
    return [np.array([getattr(shown, field) for shown in frames]) for field in fields]


def test_the_meshes_are_sent_compactly(scene):
    header, arrays = unpack_payload(scene_payload(scene[0], View()))
    triangles = sum(array.size for name, array in arrays.items() if name.startswith("index")) / 3
    assert triangles > 250_000
    assert sum(array.nbytes for array in arrays.values()) < 5e6
    # Every corner is within half a step of where the file has it.
    assert max(shape.get("step", 0.0) for shape in header["shapes"]) / 2 < 5e-6


def test_packing_a_frame_takes_microseconds(scene):
    graph, frames = scene
    packer, took = FramePacker(graph), []
    for _ in range(500):
        start = time.perf_counter()
        packer.pack(frames[0])
        took.append(time.perf_counter() - start)
    assert np.percentile(took, 25) < 50e-6


@pytest.mark.long
@pytest.mark.browser
def test_a_page_shows_icub_and_its_motion(scene):
    graph, frames = scene
    viewer = Meshcat(MeshcatConfig(follow="none"))
    viewer.open(graph)
    viewer.show(frames[0])
    try:
        with browser() as chromium, page_of(chromium, viewer.url, scale=SCALE) as page:
            until(page, "window.footfall && footfall.viewer && footfall.viewer.drawn > 0")
            before = picture(page)
            red = (before[..., 0] > 80) & (before[..., 1] < 60) & (before[..., 2] < 60)
            assert red.mean() > 0.01
            viewer.show(frames[-1])
            until(page, f"footfall.viewer.frame.time === {frames[-1].time}")
            assert changed(before, picture(page)) > 0.005  # it fell 5 cm
            shown = picture(page)
            page.keyboard.press("f")
            drawn = page.evaluate("footfall.viewer.drawn")
            page.evaluate("footfall.viewer.redraw()")
            until(page, f"footfall.viewer.drawn > {drawn}")
            assert not page.evaluate("footfall.viewer.arrows.visible")
            assert changed(shown, picture(page)) > 5e-4
    finally:
        viewer.close()


@pytest.mark.long
@pytest.mark.browser
def test_a_page_from_disk_plays_icub(scene, tmp_path):
    graph, frames = scene
    file = tmp_path / "icub.html"
    write_html(file, graph, *arrays(frames))
    assert file.stat().st_size < 8e6
    with browser() as chromium, page_of(chromium, file.as_uri(), scale=SCALE) as page:
        until(page, "window.footfall && footfall.viewer.drawn > 0")
        page.evaluate("footfall.player.play(false); footfall.player.seek(0)")
        until(page, "footfall.viewer.frame.time === 0")
        before = picture(page)
        page.evaluate("footfall.player.seek(footfall.player.end)")
        until(page, "footfall.viewer.frame.time === footfall.player.end")
        assert changed(before, picture(page)) > 0.005
