"""What a real browser shows of a running scene."""

import time
from dataclasses import replace
from functools import partial
from itertools import count

import numpy as np
import pytest
from tests.browser import SCALE, changed, page_of, picture, settle, until
from tests.scene_graphs import frame, primitives

from footfall.geometry.shapes import Shape
from footfall.interfaces.visualizer import Ground, GroundSurface
from footfall_meshcat.visualizer import Meshcat, MeshcatConfig

pytestmark = pytest.mark.browser


@pytest.fixture
def serve():
    """Open viewers that are closed after the test."""
    viewers = []

    def open_viewer(graph=None, first=None, **settings):
        viewer = Meshcat(MeshcatConfig(**{"follow": "none", **settings}))
        viewers.append(viewer)
        viewer.open(graph or primitives())
        viewer.show(first or frame())
        return viewer

    yield open_viewer
    for viewer in viewers:
        viewer.close()


@pytest.fixture(scope="module")
def shared(chromium):
    """A viewer, a page of it and times, for most tests: to open one takes longer than they do."""
    viewer = Meshcat(MeshcatConfig(follow="none"))
    viewer.open(primitives())
    viewer.show(frame())
    try:
        with page_of(chromium, viewer.url, scale=SCALE) as page:
            drawn(page)
            yield viewer, page, count(100.0)
    finally:
        viewer.close()


@pytest.fixture
def begin(shared):
    """Show a scene in the shared page, from the default side; return the viewer and the page."""
    viewer, page, times = shared

    def shown(graph=None, first=None):
        viewer.open(graph or primitives())
        show(viewer, page, replace(first or frame(), time=next(times)))
        page.evaluate("document.activeElement.blur(); footfall.viewer.home()")
        settle(page)
        return viewer, page

    return shown


def drawn(page):
    """Wait for the first picture."""
    until(page, "window.footfall && footfall.viewer && footfall.viewer.drawn > 0")


def show(viewer, page, shown):
    """Show a frame and wait for its picture."""
    viewer.show(shown)
    until(page, f"footfall.viewer.frame?.time === {shown.time}")
    settle(page)


def target(page):
    """Return where the camera looks, world axes, [m]."""
    return np.array(page.evaluate("footfall.viewer.camera.target.toArray()"))


@pytest.mark.long
def test_collision_shapes_are_hidden_at_first(chromium, serve):
    graph = primitives()
    large = replace(graph.nodes[0], shape=Shape("box", (9.0, 9.0, 9.0)), layer="collision")
    images = []
    for nodes in (graph.nodes, (*graph.nodes, large)):
        with page_of(chromium, serve(replace(graph, nodes=nodes)).url, scale=SCALE) as page:
            drawn(page)
            images.append(picture(page))
    assert changed(*images) == 0.0


def test_the_scene_is_shown(begin):
    viewer, page = begin()
    image = picture(page)
    assert len(np.unique(image.reshape(-1, 3), axis=0)) > 200
    blue, orange = image[..., 2] - image[..., 0], image[..., 0] - image[..., 2]
    assert (blue > 100).mean() > 0.005  # the box
    assert (orange > 100).mean() > 0.005  # the sphere
    assert page.inner_text("#title") == "cube/drop"
    assert page.title() == "cube/drop - Footfall"
    own = viewer.url.partition("/?")[0]
    assert all(address.startswith((own, "data:", "ws:")) for address in page.asked)


def test_every_shape_is_where_its_link_is(begin):
    viewer, page = begin()
    show(viewer, page, frame(1.0, (0.3, 0.2, 0.1)))
    lower, upper = page.evaluate(
        "(() => { const { min, max } = footfall.viewer.bodies.box();"
        " return [min.toArray(), max.toArray()]; })()"
    )
    # The rod reaches furthest back, the pill furthest along x and z, the sphere along y.
    assert np.allclose(lower, [-0.55, -0.05, 0.0], atol=1e-6)
    assert np.allclose(upper, [0.47, 0.6, 0.44], atol=1e-6)


def test_the_picture_follows_the_poses(begin):
    viewer, page = begin()
    before = picture(page)
    show(viewer, page, frame(1.0))
    assert changed(before, picture(page)) < 1e-4  # the same poses, the same picture
    show(viewer, page, frame(2.0, (0.3, 0.0, 0.0)))
    assert changed(before, picture(page)) > 0.01
    assert page.inner_text("#time") == "2.000 s"


def test_contact_forces_can_be_toggled_by_button_and_key(begin):
    _, page = begin()
    shown = picture(page)

    def toggle(act):
        act()
        page.evaluate("document.activeElement.blur()")
        settle(page)
        return page.evaluate("footfall.viewer.arrows.visible"), picture(page)

    for act in (partial(page.click, "#forces"), partial(page.keyboard.press, "f")):
        visible, hidden = toggle(act)
        assert not visible
        assert changed(shown, hidden) > 0.002
        visible, again = toggle(act)
        assert visible
        assert changed(shown, again) < 1e-4


@pytest.mark.long
def test_arrows_start_as_configured(chromium, serve):
    viewer = serve(contact_forces=False)
    with page_of(chromium, viewer.url) as page:
        drawn(page)
        assert page.evaluate("footfall.viewer.arrows.visible") is False
        assert page.get_attribute("#forces", "aria-pressed") == "false"


def test_arrows_are_as_long_as_forces_are_large(begin):
    viewer, page = begin()
    shown = frame(1.0)
    shown.contact_force[:] = [[0, 0, 5.0], [2.5, 0, 0], [0, 0, 0], [0, 0, 1e6]]
    show(viewer, page, shown)
    head, reach = page.evaluate(
        "[Array.from(footfall.viewer.arrows.parts[1].array), footfall.viewer.reach]"
    )
    # The head, half its own length beyond its middle, ends where the arrow does.
    matrices = np.reshape(head, (4, 4, 4)).transpose(0, 2, 1)
    tips = (matrices @ [0.0, 0.0, 1.0, 1.0])[:, :3] - shown.contact_position
    half = reach / 2  # 5 N where the weight is 10 N
    assert np.allclose(tips[0], [0, 0, half], atol=1e-6)
    assert np.allclose(tips[1], [half / 2, 0, 0], atol=1e-6)
    assert np.allclose(matrices[2, :3, :3], 0.0)  # no force, no arrow
    assert np.allclose(tips[3], [0, 0, 3 * reach], atol=1e-6)  # never longer


def test_the_camera_follows_what_is_chosen(begin):
    viewer, page = begin()
    for k, (choice, moves) in enumerate([("track 0", True), ("com", True), ("none", False)]):
        page.select_option("#follow", choice)
        settle(page)
        before, eye = target(page), page.evaluate("footfall.viewer.camera.distance")
        show(viewer, page, frame(1.0 + k, ((2.0, 0.0)[k % 2], (-1.0, 0.0)[k % 2], 0.0)))
        settle(page)
        moved = target(page) - before
        expected = np.array([2.0, -1.0, 0.0]) * (moves * (-1) ** k)
        assert np.allclose(moved, expected, atol=0.01), choice
        assert page.evaluate("footfall.viewer.camera.distance") == pytest.approx(eye, rel=1e-3)


@pytest.mark.long
def test_the_camera_follows_the_configured_body_from_the_start(chromium, serve):
    viewer = serve(follow="base")
    with page_of(chromium, viewer.url, (400, 300)) as page:
        drawn(page)
        before = target(page)
        show(viewer, page, frame(1.0, (3.0, 0.0, 0.0)))
        settle(page)
        assert np.allclose(target(page) - before, [3.0, 0.0, 0.0], atol=0.01)
        assert page.eval_on_selector("#follow", "e => e.selectedOptions[0].text") == "cube"


@pytest.mark.long
def test_small_vertical_motion_does_not_move_the_camera(chromium, serve):
    viewer = serve(follow="base")
    with page_of(chromium, viewer.url, (400, 300)) as page:
        drawn(page)
        before = target(page)
        show(viewer, page, frame(1.0, (0.0, 0.0, 0.1)))
        settle(page)
        assert np.allclose(target(page), before, atol=1e-6)
        show(viewer, page, frame(2.0, (0.0, 0.0, 5.0)))
        settle(page)
        free = page.evaluate("footfall.viewer.size") / 4
        assert free > 0.1
        assert target(page)[2] - before[2] == pytest.approx(5.0 - free, abs=0.01)


@pytest.mark.long
def test_poses_that_are_not_finite_do_not_lose_the_camera(chromium, serve):
    viewer = serve(follow="base")
    with page_of(chromium, viewer.url, (400, 300)) as page:
        drawn(page)
        before = target(page)
        show(viewer, page, frame(1.0, (np.nan, 0.0, 0.0)))
        show(viewer, page, frame(2.0))
        settle(page)
        assert np.allclose(target(page), before, atol=1e-6)


def test_the_ground_lies_at_its_own_normal(begin):
    tilt = 0.3
    normal = np.array([-np.sin(tilt), 0.0, np.cos(tilt)])
    _, page = begin(primitives(ground=Ground(normal, -0.2)))
    turned, point = page.evaluate(
        """(() => {
             const ground = footfall.viewer.grounds[0], { Vector3 } = MeshCat.THREE;
             const sheet = ground.sheets[0];
             const point = ground.frame.localToWorld(sheet.position.clone());
             const scene = footfall.viewer.meshcat.scene;
             return [new Vector3(0, 0, 1).applyQuaternion(ground.frame.quaternion).toArray(),
                     scene.worldToLocal(point).toArray()];
           })()"""
    )
    assert np.allclose(turned, normal, atol=1e-12)
    assert normal @ point == pytest.approx(-0.2, abs=1e-9)


def test_a_ground_that_moves_is_where_its_row_of_the_poses_puts_it(begin):
    """Planes and surfaces alike; the lines of a surface lie on its triangles."""
    corners = np.array([(0.0, 0.0, 0.0), (0.5, 0.0, 0.0), (0.0, 0.5, 0.1)])
    slope = GroundSurface(corners, np.array([(0, 1, 2)]), np.array([(0, 1), (1, 2)]))
    graph = primitives()
    graph = replace(graph, grounds=(*graph.grounds, slope), n_links=5, ground_link=4)
    pose = np.array([0.3, -0.2, 0.1, 0.0, 0.0, np.sin(0.2), np.cos(0.2)])
    still = frame()
    shown = replace(still, poses=np.vstack([still.poses, pose]))
    _, page = begin(graph, shown)
    found = page.evaluate(
        """(() => {
             const scene = footfall.viewer.meshcat.scene;
             const place = (object, point) => {
               object.updateWorldMatrix(true, false);
               return scene.worldToLocal(object.localToWorld(point)).toArray();
             };
             const { Vector3 } = MeshCat.THREE, terrain = footfall.viewer.terrain;
             const group = terrain.frame.children.find((child) => child.children.length === 2
               && child.children[1].isLineSegments);
             const ends = group.children[1].geometry.attributes.position;
             const end = (k) => place(group, new Vector3().fromBufferAttribute(ends, k));
             return [end(0), end(1), end(2), end(3), place(terrain.frame, new Vector3())];
           })()"""
    )
    c, s = np.cos(0.4), np.sin(0.4)
    R = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
    expected = np.array([*corners[[0, 1, 1, 2]], np.zeros(3)]) @ R.T + pose[:3]
    np.testing.assert_allclose(found, expected, atol=1e-6)


@pytest.mark.long
def test_the_real_time_factor_is_told(chromium, serve):
    viewer = serve(frame_rate=50.0)
    with page_of(chromium, viewer.url, (400, 300)) as page:
        drawn(page)
        start = time.perf_counter()
        # Given by the server's clock; a page that software renders on a busy machine shows it late.
        told = 0.0
        while told != pytest.approx(0.5, abs=0.03):
            wall = time.perf_counter() - start
            assert wall < 30.0, told
            viewer.show(frame(0.5 * wall))
            time.sleep(0.02)
            if int(wall / 0.02) % 50 == 49:
                text = page.inner_text("#rate")
                assert text.endswith("real time")
                told = float(text.split()[0])


@pytest.mark.long
def test_several_pages_see_the_same_run(chromium, serve):
    viewer = serve()
    with (
        page_of(chromium, viewer.url, (400, 300)) as one,
        page_of(chromium, viewer.url, (400, 300)) as two,
    ):
        for page in (one, two):
            page.bring_to_front()
            drawn(page)
        assert len(viewer._server.audience.pages) == 2
        viewer.show(frame(3.0, (0.2, 0.0, 0.0)))
        for page in (one, two):
            page.bring_to_front()
            until(page, "footfall.viewer.frame.time === 3")
        two.keyboard.press("f")
        assert two.evaluate("footfall.viewer.arrows.visible") is False
        assert one.evaluate("footfall.viewer.arrows.visible") is True


@pytest.mark.long
def test_a_page_outlives_the_run_and_takes_up_the_next(chromium, serve):
    token = "a-token-that-outlives-runs"  # otherwise each run has one of its own
    viewer = serve(token=token)
    port = viewer._server.port
    with page_of(chromium, viewer.url, (400, 300), expected="ERR_CONNECTION_REFUSED") as page:
        drawn(page)
        viewer.close()
        until(page, "document.getElementById('status').textContent.includes('ended')")
        assert page.evaluate("footfall.viewer.drawn") > 0
        same = serve(port=port, token=token)  # the same scene goes on in the same page
        until(page, "document.getElementById('status').hidden")
        show(same, page, frame(4.0))
        same.close()
        with page.expect_navigation():
            serve(replace(primitives(), title="another"), port=port, token=token)
        drawn(page)
        assert page.inner_text("#title") == "another"


@pytest.mark.long
def test_a_browser_without_webgl_is_told_why(chromium, serve):
    viewer = serve()
    page = chromium.new_page()
    page.add_init_script("HTMLCanvasElement.prototype.getContext = () => null")
    page.goto(viewer.url)
    until(page, "document.getElementById('title').textContent === 'This scene cannot be shown'")
    assert "WebGL" in page.inner_text("#status")
    page.close()


@pytest.mark.long
def test_keys_typed_into_controls_do_nothing_else(chromium, serve):
    viewer = serve()
    with page_of(chromium, viewer.url, (920, 520)) as page:
        drawn(page)
        page.focus("#follow")
        page.keyboard.press("f")
        assert page.evaluate("footfall.viewer.arrows.visible") is True


@pytest.mark.long
def test_the_camera_does_not_turn_below_what_it_looks_at(chromium, serve):
    viewer = serve()
    with page_of(chromium, viewer.url) as page:
        drawn(page)
        width, height = page.viewport_size["width"], page.viewport_size["height"]
        page.mouse.move(0.8 * width, 0.2 * height)
        page.mouse.down()
        page.mouse.move(0.8 * width, 0.9 * height, steps=5)
        above = page.evaluate("footfall.viewer.meshcat.camera.position.y")
        page.mouse.move(0.8 * width, 0.05 * height, steps=8)
        page.mouse.up()
        settle(page)
        target = page.evaluate("footfall.viewer.meshcat.controls.target.y")
        assert above > target + 1.0  # turned
        assert page.evaluate("footfall.viewer.meshcat.camera.position.y") >= target - 1e-6


@pytest.mark.long
def test_shadows_can_be_switched_and_the_view_reset(chromium, serve):
    viewer = serve()
    with page_of(chromium, viewer.url, scale=SCALE) as page:
        drawn(page)
        before = picture(page)
        page.click("#shadows")
        settle(page)
        assert 0.001 < changed(before, picture(page)) < 0.1
        page.click("#shadows")
        page.mouse.move(500, 250)
        page.mouse.down()
        page.mouse.move(600, 300, steps=4)
        page.mouse.up()
        settle(page)
        assert changed(before, picture(page)) > 0.05  # turned
        page.click("#home")
        settle(page)
        assert changed(before, picture(page)) < 0.01
