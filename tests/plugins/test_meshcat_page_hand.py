"""A hand in a real browser's page, against a stand-in for the run that it reaches into."""

import numpy as np
import pytest
from tests.browser import page_of, settle, until
from tests.cases import first
from tests.plugins.answering_run import STIFFNESS, answering, equipped, place_of

from footfall.interfaces.interactive_visualizer import HandMove, HandRelease

pytestmark = pytest.mark.browser

FRONT = (0.1, 0.0, 0.12)  # on the face of the cube that looks at the camera


@pytest.fixture(scope="module")
def shared(chromium):
    """A run and a page of it, for all tests: to open one takes longer than most of them do."""
    with answering() as run, page_of(chromium, run.url, (900, 600)) as page:
        equipped(page)
        yield run, page


@pytest.fixture
def run(shared):
    """The run, which has heard nothing since the hand was free."""
    run, page = shared
    page.bring_to_front()
    page.evaluate("footfall.viewer.home()")
    until(page, "footfall.hand.free && footfall.hand.holder === null")
    settle(page)  # the camera is on its way home
    run.heard = []
    return run


@pytest.fixture
def page(shared, run):
    return shared[1]


def grab(page, run, point=FRONT):
    """Press the mouse on a point of the world; return where that is in the window."""
    x, y = place_of(page, point)
    page.mouse.move(x, y)
    page.mouse.down()
    run.last(HandMove)
    return x, y


def forward(page):
    """Return the direction of the view in the world."""
    return np.array(
        page.evaluate(
            """(() => {
                 const { camera, scene } = footfall.viewer.meshcat, { Vector3 } = MeshCat.THREE;
                 const turn = scene.quaternion.clone().invert();
                 return camera.getWorldDirection(new Vector3()).applyQuaternion(turn).toArray();
               })()"""
        )
    )


def now_at(run):
    """Return where the run was told last that the hand is, [m]."""
    return np.array(run.last(HandMove).reading.position)


def test_what_is_pointed_at_is_lit_up_and_named(page):
    x, y = place_of(page, FRONT)
    page.mouse.move(x, y)
    until(page, "footfall.hand.hovered && footfall.hand.hovered.name === 'cube/base'")
    assert page.evaluate("footfall.hand.highlight.lit.length") == 1
    assert page.evaluate("footfall.hand.pointer.stage.style.cursor") == "grab"
    until(page, "document.getElementById('held').textContent === 'cube/base'")
    page.mouse.move(*place_of(page, (0.0, -0.6, 0.0)))  # the ground
    until(page, "footfall.hand.hovered === null")
    assert page.evaluate("footfall.hand.highlight.lit.length") == 0


def test_a_press_takes_hold_of_the_point_below_the_pointer(page, run):
    grab(page, run)
    serial = run.last(HandMove).serial
    taken = run.last(HandMove).reading
    assert (taken.link, taken.mode, taken.holds) == ("cube/base", "drag", True)
    # The cube's frame is at (0, 0, 0.1). A place in the window is a whole number of pixels.
    assert np.allclose(taken.point, np.subtract(FRONT, (0, 0, 0.1)), atol=2e-3)
    assert np.allclose(taken.position, FRONT, atol=2e-3)
    assert np.allclose(taken.position - taken.point, (0, 0, 0.1), atol=1e-6)
    page.mouse.up()
    assert run.last(HandRelease).serial > serial


def test_the_hand_moves_in_the_plane_that_faces_the_camera(page, run):
    x, y = grab(page, run)
    start = now_at(run)
    page.mouse.move(x + 80, y - 60, steps=5)
    end = page.evaluate(
        f"footfall.hand.pointer.world(footfall.hand.held.plane.at({x + 80}, {y - 60}))"
    )
    run.wait(lambda: np.allclose(now_at(run), end, atol=1e-9))
    moved = now_at(run) - start
    assert abs(moved @ forward(page)) < 1e-6
    assert moved[2] > 0.02  # up in the window is up
    seen = place_of(page, now_at(run))
    assert np.allclose(seen, (x + 80, y - 60), atol=0.01)
    page.mouse.up()


@pytest.mark.parametrize("way", first("shift", "wheel"))
def test_the_hand_moves_along_the_view(page, run, way):
    x, y = grab(page, run)
    start = now_at(run)
    if way == "shift":
        page.keyboard.down("Shift")
        page.mouse.move(x, y - 100, steps=4)
        page.keyboard.up("Shift")
    else:
        page.mouse.wheel(0, -100)
    run.wait(lambda: (now_at(run) - start) @ forward(page) > 0.05)
    until(page, "footfall.hand.report.moves.waiting === null")
    settled = page.evaluate("footfall.hand.report.position")
    run.wait(lambda: np.allclose(now_at(run), settled, atol=1e-9))
    assert np.allclose(place_of(page, settled), (x, y), atol=2.0)  # it stays below where it was
    page.mouse.up()


def test_the_camera_stays_while_something_is_held_and_turns_otherwise(page, run):
    where = "footfall.viewer.meshcat.camera.position.toArray()"
    before = page.evaluate(where)
    x, y = grab(page, run)
    page.mouse.move(x + 50, y, steps=3)
    page.mouse.up()
    run.last(HandRelease)
    assert page.evaluate(where) == before
    said = len(run.heard)
    x, y = place_of(page, (0.0, -0.3, 0.0))  # the ground
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 50, y, steps=3)
    page.mouse.up()
    assert not np.allclose(page.evaluate(where), before, atol=1e-3)
    assert len(run.heard) == said


def test_force_and_spring_are_drawn_as_the_run_tells_them(page, run):
    x, y = grab(page, run)
    page.mouse.move(x + 30, y - 45, steps=5)
    until(page, "footfall.drawing.force > 1")
    # Where the machine is busy, the last of the moves comes a picture or two later.
    page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    until(page, "footfall.hand.report.moves.waiting === null")
    told = run.last(HandMove).serial
    until(page, f"footfall.viewer.frame.serial >= {told}")
    run.wait(lambda: run.last(HandMove).serial == run.serial)
    reading = run.last(HandMove).reading
    force = STIFFNESS * np.linalg.norm(reading.position - (reading.point + np.array([0, 0, 0.1])))
    shown = page.evaluate("footfall.drawing.force")
    assert shown == pytest.approx(force, rel=1e-5)
    until(page, f"document.getElementById('force').textContent === '{force:.2f} N'")
    assert f"Pulling cube/base with {force:.2f} N" in page.inner_text("#held")
    drawn = page.evaluate("footfall.drawing.spring.scale.z")
    assert drawn == pytest.approx(force / STIFFNESS, rel=1e-5)
    page.mouse.up()
    until(page, "document.getElementById('force').hidden")


def test_moves_are_at_most_120_a_second_and_the_newest_arrives(page, run):
    x, y = grab(page, run)
    first = run.last(HandMove).serial
    took = page.evaluate(
        f"""(async () => {{
             const start = performance.now(), stage = footfall.hand.pointer.stage;
             const {{ pointerId }} = footfall.hand.held;
             for (let k = 0; k < 400; k++) {{
               const init = {{ pointerId, clientX: {x} + k / 10, clientY: {y}, bubbles: true }};
               stage.dispatchEvent(new PointerEvent('pointermove', init));
               if (k % 40 === 39) await new Promise((done) => setTimeout(done, 1));
             }}
             return performance.now() - start;
           }})()"""
    )
    until(page, "footfall.hand.report.moves.waiting === null")
    last = page.evaluate("footfall.hand.report.position")
    run.wait(lambda: np.allclose(now_at(run), last, atol=1e-9))
    sent = page.evaluate("footfall.hand.report.serial") - first
    assert 1 <= sent <= 2 + (took + 100.0) * 0.12
    assert np.allclose(place_of(page, last), (x + 39.9, y), atol=0.01)
    page.mouse.up()


def test_a_long_way_is_gone_in_several_moves(page, run):
    """To the run a jump would be a fault of the device."""
    x, y = grab(page, run)
    first = run.last(HandMove).serial
    page.mouse.move(x + 300, y - 300)
    end = page.evaluate(
        f"footfall.hand.pointer.world(footfall.hand.held.plane.at({x + 300}, {y - 300}))"
    )
    run.wait(lambda: np.allclose(now_at(run), end, atol=1e-9))
    moves = page.evaluate("footfall.hand.report.serial") - first
    assert moves >= np.linalg.norm(np.subtract(end, FRONT)) / 0.25
    page.mouse.up()


@pytest.mark.parametrize("event", first("visibilitychange", "blur", "pagehide", "Escape"))
def test_a_page_that_is_left_lets_go(page, run, event):
    grab(page, run)
    if event == "visibilitychange":
        hidden = "Object.defineProperty(document, 'hidden', { value: true, configurable: true })"
        page.evaluate(hidden)
        page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
        page.evaluate("delete document.hidden")
    elif event == "Escape":
        page.keyboard.press("Escape")
    else:
        page.evaluate(f"window.dispatchEvent(new Event('{event}'))")
    run.last(HandRelease)
    assert page.evaluate("footfall.viewer.meshcat.controls.enabled") is True


def test_one_page_at_a_time_has_the_hand_and_one_that_is_closed_frees_it(chromium, page, run):
    grab(page, run)
    until(page, "footfall.hand.holder === 'you'")
    with page_of(chromium, run.url, (900, 600)) as other:
        equipped(other)
        until(other, "footfall.hand.holder === 'other'")
        until(other, "document.getElementById('held').textContent === 'Another page has the hand'")
        said = len(run.heard)
        x, y = place_of(other, FRONT)
        other.mouse.move(x, y)
        until(other, "footfall.hand.pointer.stage.style.cursor === 'not-allowed'")
        other.mouse.down()
        other.mouse.up()
        page.bring_to_front()
        page.mouse.up()
        run.last(HandRelease)
        until(other, "footfall.hand.holder === null")
        assert [type(one) for one in run.heard[said:]] == [HandRelease]
        other.bring_to_front()
        other.mouse.move(x + 1, y)
        other.mouse.down()
        run.wait(lambda: isinstance(run.heard[-1], HandMove))
        other.close()
    run.wait(lambda: isinstance(run.heard[-1], HandRelease))
    until(page, "footfall.hand.holder === null")


def test_a_page_that_lost_the_hand_for_its_silence_has_it_again_without_moving(
    page, run, monkeypatch
):
    grab(page, run)
    until(page, "footfall.hand.holder === 'you'")
    monkeypatch.setattr("footfall_meshcat.server.hand.SILENCE", -1.0)
    run.last(HandRelease)
    monkeypatch.undo()
    again = run.wait(lambda: isinstance(run.heard[-1], HandMove) and run.heard[-1])
    assert again.reading.link == "cube/base"
    until(page, "footfall.hand.holder === 'you'")
    page.mouse.up()


def test_touching_sets_a_ball_on_the_surface_and_moves_it(page, run):
    page.keyboard.press("t")
    until(page, "document.getElementById('touch').getAttribute('aria-pressed') === 'true'")
    x, y = place_of(page, FRONT)
    page.mouse.move(x, y)
    until(page, "footfall.hand.tip.ball.visible")
    on = page.evaluate("footfall.hand.tip.ball.position.toArray()")
    assert np.allclose(on, np.add(FRONT, (0.01, 0, 0)), atol=2e-3)  # its radius above the face
    page.mouse.down()
    reading = run.last(HandMove).reading
    assert (reading.mode, reading.link, reading.point) == ("touch", None, None)
    assert np.allclose(reading.position, on, atol=2e-3)
    page.mouse.move(x + 30, y, steps=3)
    run.wait(lambda: np.linalg.norm(now_at(run) - on) > 0.01)
    until(page, "footfall.hand.report.moves.waiting === null")
    ball = page.evaluate("footfall.hand.tip.ball.position.toArray()")
    run.wait(lambda: np.allclose(now_at(run), ball, atol=1e-6))
    page.mouse.up()
    run.last(HandRelease)
