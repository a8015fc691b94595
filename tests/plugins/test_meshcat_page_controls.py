"""What a page of a run shows and sends beside the hand, in a real browser."""

from dataclasses import replace

import numpy as np
import pytest
from tests.browser import SCALE, changed, page_of, picture, until
from tests.cases import first
from tests.plugins.answering_run import answering, equipped, graph, place_of
from tests.plugins.test_meshcat_page import drawn, settle
from tests.scene_graphs import frame

from footfall.interfaces.interactive_visualizer import (
    CreateObject,
    DeleteObject,
    HandMove,
    HandRelease,
    LiveTunable,
    Pause,
    Play,
    Restart,
    SingleStep,
    Speed,
    Tune,
    WatchSignals,
)
from footfall_meshcat.visualizer import Meshcat, MeshcatConfig

pytestmark = pytest.mark.browser


@pytest.fixture
def own_run():
    with answering() as run:
        yield run


@pytest.fixture
def own_page(chromium, own_run):
    """A page that has just been opened, for what depends on what it has seen so far."""
    with page_of(chromium, own_run.url, (1280, 720)) as page:
        equipped(page)
        yield page


@pytest.fixture(scope="module")
def shared(chromium):
    """A run and a page of it, for most tests: to open one takes longer than most of them do."""
    with answering() as run, page_of(chromium, run.url, (1280, 720)) as page:
        equipped(page)
        yield run, page, run.status


@pytest.fixture
def run(shared):
    """The run as it was begun, and its page with nothing chosen, typed or open."""
    run, page, status = shared
    run.status, run.heard, run.time = status, [], 0.0
    page.bring_to_front()
    page.mouse.move(640, 640)
    page.evaluate(
        "document.activeElement.blur(); footfall.selection.select(null); footfall.viewer.home();"
        "document.querySelectorAll('#side details[id]').forEach((part) => { part.open = false; });"
        "document.querySelectorAll('[type=search]').forEach((part) => { part.value = ''; })"
    )
    page.keyboard.press("Escape")
    if page.is_hidden("#side"):
        page.keyboard.press("p")
    until(page, "footfall.hand.free && !footfall.state.playing && footfall.player.following")
    settle(page)
    return run


@pytest.fixture
def page(shared, run):
    return shared[1]


def text_is(page, part, text):
    """Whether a part of the page says a text, once it has; fails if it never does."""
    until(page, f"document.getElementById('{part}').textContent === '{text}'")
    return page.text_content(f"#{part}") == text


def test_a_recording_that_is_played_has_no_controls_of_a_run(chromium):
    viewer = Meshcat(MeshcatConfig())
    viewer.open(graph())
    viewer.show(frame())
    try:
        with page_of(chromium, viewer.url) as page:
            drawn(page)
            assert page.is_hidden("#bar")
            assert page.is_hidden("#side")
            page.mouse.click(*place_of(page, (0.1, 0.0, 0.12)))
            assert page.evaluate("footfall.hand.held === null && footfall.hand.hovered === null")
    finally:
        viewer.close()


@pytest.mark.parametrize("way", first("button", "key"))
def test_the_run_obeys_the_bar_and_the_page_shows_what_the_run_says(own_page, own_run, way):
    page, run = own_page, own_run

    def ask(button, key):
        page.click(f"#{button}") if way == "button" else page.keyboard.press(key)

    assert text_is(page, "rate", "paused")
    ask("run", " ")
    run.last(Play)
    until(page, "document.getElementById('run').getAttribute('aria-label') === 'pause'")
    until(page, "footfall.viewer.frame.time > 0")
    ask("run", " ")
    run.last(Pause)
    assert text_is(page, "rate", "paused")
    before = run.time
    ask("step", ".")
    assert run.last(SingleStep).n == 1
    run.wait(lambda: run.time > before)
    until(page, f"Math.abs(footfall.viewer.frame.time - {run.time}) < 1e-9")
    assert run.time == pytest.approx(before + 1e-3)
    ask("restart", "0")
    run.last(Restart)
    assert text_is(page, "time", "0.000 s")


def test_a_page_looks_back_while_the_run_goes_on_and_returns(own_page, own_run):
    page, run = own_page, own_run
    page.keyboard.press(" ")
    until(page, "footfall.player.history.frames.length > 20")
    page.keyboard.press("Home")
    until(page, "footfall.viewer.frame.time === footfall.player.start")
    assert page.get_attribute("#live", "aria-pressed") == "false"
    seen = page.evaluate("footfall.player.end")
    until(page, f"footfall.player.end > {seen}")  # what goes on is kept
    assert page.evaluate("footfall.viewer.frame.time === footfall.player.start")
    page.keyboard.press("]")  # the page's own speed now
    assert page.evaluate("footfall.player.speed") == 2.0
    assert not any(isinstance(command, Speed) for command in run.heard)
    page.keyboard.press("ArrowRight")
    until(page, "footfall.viewer.frame.time === footfall.player.history.frames[1].time")
    page.click("#live")
    until(page, f"footfall.viewer.frame.time > {seen}")


@pytest.mark.long
def test_the_frames_of_a_run_that_has_ended_are_played_again(own_page, own_run):
    page, run = own_page, own_run
    page.keyboard.press(" ")
    until(page, "footfall.player.history.frames.length > 20")
    run.status = replace(run.status, playing=False, ended=True)
    until(page, "footfall.state.ended")
    page.click("#run")
    until(page, "footfall.player.playing && footfall.player.time > footfall.player.start")
    page.click("#run")
    assert not page.evaluate("footfall.player.playing")


def test_the_speed_is_what_the_run_says(page, run):
    page.select_option("#pace", "0.25")
    assert run.last(Speed).value == 0.25
    until(page, "document.getElementById('pace').value === '0.25'")
    page.keyboard.press("Escape")
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("]")
    run.wait(lambda: run.last(Speed).value == 0.5)
    page.select_option("#pace", label="max")
    run.wait(lambda: run.last(Speed).value == 0.0)
    run.status = replace(run.status, speed=0.3, playing=True, rate=0.3)  # another page's doing
    until(page, "document.getElementById('pace').value === '0.3'")
    assert text_is(page, "rate", "0.30 \u00d7 real time")


def test_a_run_that_cannot_keep_up_says_so(page, run):
    run.status = replace(run.status, playing=True, rate=0.314, behind=True)
    assert text_is(page, "rate", "0.31 \u00d7: cannot keep real time")
    run.status = replace(run.status, rate=1.5, speed=2.0)
    assert text_is(page, "rate", "1.50 \u00d7: cannot keep 2 \u00d7")
    run.status = replace(run.status, rate=2.3)
    assert text_is(page, "rate", "2.30 \u00d7: catching up with 2 \u00d7")
    run.status = replace(run.status, rate=1.0, speed=1.0, behind=False)
    assert text_is(page, "rate", "1.00 \u00d7 real time")


def test_a_refused_command_is_one_line(page, run):
    run.status = replace(run.status, problem='delete: no body "crate"')
    assert text_is(page, "notice", 'delete: no body "crate"')
    assert page.is_visible("#notice")
    page.click("#notice")
    assert page.is_hidden("#notice")
    run.status = replace(run.status, problem="")
    until(page, "footfall.state.problem === ''")
    run.status = replace(run.status, problem='delete: no body "crate"')  # asked for again
    until(page, "!document.getElementById('notice').hidden")


def test_a_slider_tunes_and_shows_the_value_of_the_run(page, run):
    page.click("#tunables-section summary")
    slider = page.locator("input[type=range][aria-label='friction of cube']")
    slider.fill("750")
    tuned = run.last(Tune)
    assert (tuned.path, tuned.value) == ("bodies.cube.friction", 1.5)
    number = page.locator("input[type=number][aria-label='stiffness, value']")
    assert number.input_value() == "100"
    along = page.locator("input[type=range][aria-label='stiffness']")
    assert float(along.input_value()) == pytest.approx(500, abs=1)  # halfway from 10 to 1000
    along.fill("1000")
    run.wait(lambda: run.last(Tune).value == 1000.0)
    number.fill("2500")  # beyond the slider
    number.press("Enter")
    run.wait(lambda: run.last(Tune).value == 2500.0)
    another = replace(run.status.tunables[0], value=0.125)
    run.status = replace(run.status, tunables=(another, run.status.tunables[1]))
    until(
        page,
        "document.querySelector(\"[aria-label='friction of cube, value']\").value === '0.125'",
    )
    assert float(slider.input_value()) == pytest.approx(62, abs=1)


def test_settings_stand_in_groups_are_found_and_go_back(page, run):
    """Sliders of two owners; one was tuned before the page came, and says where it began."""
    joints = [f"joint{k}" for k in range(10)]
    run.status = replace(
        run.status,
        tunables=(
            *(
                LiveTunable(f"bodies.arm.target.{j}", 0.1, -3.0, 3.0, "rad", f"arm: target {j}")
                for j in joints
            ),
            LiveTunable("world.gravity[2]", -5.0, -20.0, 20.0, "m/s^2", "gravity: z", start=-9.81),
        ),
    )
    page.click("#tunables-section summary")
    until(page, "document.querySelectorAll('.tuned').length === 2")
    assert page.locator(".tuned[open]").count() == 0  # many: folded at first
    page.fill("#sought", "arm joint7")
    assert page.locator(".tunable:visible").count() == 1
    page.locator("input[type=range][aria-label='arm: target joint7']").fill("750")
    assert run.last(Tune).value == 1.5
    until(page, "!document.querySelector('[aria-label=\"reset arm\"]').hidden")
    page.click("[aria-label='reset arm']")
    run.wait(lambda: run.last(Tune).value == 0.1)
    page.fill("#sought", "gravity")
    page.click("[aria-label='reset gravity: z']")
    run.wait(lambda: run.last(Tune) == Tune("world.gravity[2]", -9.81))
    until(page, "document.getElementById('reset-all').hidden")


def test_what_is_selected_is_pulled_by_the_keyboard(page, run):
    page.evaluate("footfall.selection.select(0)")
    page.keyboard.press("g")
    until(page, "footfall.hand.held && footfall.hand.holder === 'you'")
    first = run.last(HandMove).reading
    assert first.link == "cube/base"
    page.keyboard.press("ArrowUp")
    run.wait(lambda: run.last(HandMove).reading.position[2] > first.position[2] + 1e-3)
    page.keyboard.press("g")
    run.last(HandRelease)
    assert page.evaluate("footfall.hand.held") is None


CONTRASTS = """
() => {
  const parse = (text) => {
    const [r, g, b, a = 1] = text.match(/[0-9.]+/g).map(Number);
    return [r, g, b, a];
  };
  const over = ([r, g, b, a], below) =>
    [r, g, b].map((part, k) => a * part + (1 - a) * below[k]);
  const light = (rgb) => rgb.map((part) => part / 255)
    .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4))
    .reduce((sum, part, k) => sum + [0.2126, 0.7152, 0.0722][k] * part, 0);
  const ratio = (one, other) => {
    const [low, high] = [light(one), light(other)].sort((a, b) => a - b);
    return (high + 0.05) / (low + 0.05);
  };
  const ground = (part, scene) => {
    const parts = [];
    for (let one = part; one && one !== document.body; one = one.parentElement) parts.push(one);
    return parts.reverse().reduce(
      (below, one) => over(parse(getComputedStyle(one).backgroundColor), below), scene);
  };
  const seen = [];
  const told = (part, what, color, back, least) => {
    const found = Math.min(...[0, 255].map((grey) => {
      const below = back([grey, grey, grey]);
      return ratio(over(parse(color), below), below);
    }));
    const name = part.id || part.className || part.tagName;
    seen.push([found / least, `${what} of ${name} ${part.textContent.slice(0, 20)}`]);
  };
  for (const part of document.querySelectorAll("body *")) {
    if (!part.checkVisibility() || part.closest("#stage, #plots, :disabled, .dg")) continue;
    const style = getComputedStyle(part);
    const fields = ["number", "search", "text"];
    const field = part.matches("button, select") || fields.includes(part.type);
    const says = part.tagName !== "OPTION"
      && [...part.childNodes].some((one) => one.nodeType === 3 && one.textContent.trim());
    if (says || field) told(part, "text", style.color, (scene) => ground(part, scene), 4.5);
    if (part.placeholder) {
      const { color } = getComputedStyle(part, "::placeholder");
      told(part, "placeholder", color, (scene) => ground(part, scene), 4.5);
    }
    if (field && parse(style.borderTopColor)[3] > 0 && parseFloat(style.borderTopWidth) > 0)
      told(part, "border", style.borderTopColor, (scene) => ground(part.parentElement, scene), 3);
    if (part.matches(".mark"))
      told(part, "mark", style.backgroundColor, (scene) => ground(part.parentElement, scene), 3);
  }
  return seen;
}
"""
"""Of each text, field, button's border and curve's mark its contrast over what WCAG's AA asks for,
in the worse of two pictures behind it: black and white."""


def test_texts_and_controls_have_the_contrast_that_is_asked_for(page):
    page.evaluate(
        "for (const part of document.querySelectorAll('#side details')) part.open = true;"
        "Footfall.fold(true); for (const id of ['force', 'notice', 'status'])"
        " Object.assign(document.getElementById(id), { hidden: false, textContent: 'said' });"
        "for (const color of Footfall.Signals.colors) {"
        " const mark = document.createElement('i'); mark.className = 'mark';"
        " mark.style.background = color; document.getElementById('side').append(mark); }"
    )
    page.click("#keys")
    dark = "document.body.classList.contains('dark')"
    looks = set()
    for _ in range(2):
        looks.add(page.evaluate(dark))
        seen = page.evaluate(CONTRASTS)
        assert len(seen) > 80
        assert [(name, round(found, 2)) for found, name in seen if found < 1.0] == []
        page.evaluate("footfall.viewer.panel.dark()")
    assert looks == {False, True}


def test_signals_are_found_by_name_and_plotted_by_unit(own_page, own_run):
    page, run = own_page, own_run
    page.fill("#seek", "torque knee")
    assert page.locator("#found button").all_inner_texts() == ["tau[knee]"]
    page.press("#seek", "Enter")
    run.wait(lambda: run.last(WatchSignals).names == ("tau[knee]",))
    page.fill("#seek", "energy")
    page.click("#found button")
    run.wait(lambda: set(run.last(WatchSignals).names) == {"tau[knee]", "energy"})
    page.click("#run")
    said = "[...document.querySelectorAll('#legend output')].map((one) => one.textContent)"
    until(page, f"{said}.join() === '0 N,1 N m,2 J'")  # the hand's force first
    units = "footfall.signals.plots.made.map(({ plot }) => plot.axes[1].label)"
    assert page.evaluate(units) == ["N", "N m", "J"]
    until(page, "footfall.signals.plots.made[2].plot.data[1].at(-1) === 2")
    page.click("#run")
    run.wait(lambda: not run.status.playing)
    plot = page.locator("#plots .u-over").last.bounding_box()
    page.mouse.click(plot["x"] + 0.5 * plot["width"], plot["y"] + 20)  # goes to that time
    until(page, "!footfall.player.following")
    page.click("[aria-label='remove tau[knee]']")
    run.wait(lambda: run.last(WatchSignals).names == ("energy",))
    with page.expect_download() as saved:
        shown = page.evaluate("csv.click() ?? footfall.player.history.frames.length")
    head, *rows = saved.value.path().read_text().splitlines()
    assert head == 'time [s],"force of the hand [N]","energy [J]"'
    assert len(rows) == shown > 1
    assert ["0", "2"] in [row.split(",")[1:] for row in rows]


@pytest.mark.long
def test_pages_that_watch_different_signals_share_the_list(chromium, page, run):
    page.evaluate("footfall.signals.add('energy')")
    run.wait(lambda: run.status.watched == ("energy",))
    with page_of(chromium, run.url, (1280, 720)) as other:
        equipped(other)
        until(other, "footfall.watched.watched.length === 1")
        other.evaluate("footfall.signals.add('tau[hip]')")
        run.wait(lambda: set(run.status.watched) == {"energy", "tau[hip]"})
        run.status = replace(run.status, watched=("tau[hip]",))  # as if it had not asked for both
        run.wait(lambda: set(run.status.watched) == {"energy", "tau[hip]"})
    # Rays along x from the ball: 1 m is met; 2 m is as far as they see, and so is what is beyond.
    page.keyboard.press("b")
    run.wait(lambda: run.status.watched == ("eye[*]", "energy", "tau[hip]"))
    rays = "footfall.viewer.overlays.rays"
    until(page, f"{rays}.dots.geometry.drawRange.count === 1")
    part = "Array.from({}.{}.geometry.attributes.position.array.slice(0, {}))".format
    ends = np.reshape(page.evaluate(part(rays, "hits", 6)), (2, 3))
    np.testing.assert_allclose(ends, [[0, 0.5, 0.15], [1, 0.5, 0.15]], atol=1e-6)
    np.testing.assert_allclose(page.evaluate(part(rays, "dots", 3)), ends[1], atol=1e-6)
    assert page.evaluate(f"{rays}.misses.geometry.drawRange.count") == 4
    far = np.reshape(page.evaluate(part(rays, "misses", 12)), (4, 3))
    np.testing.assert_allclose(far[1::2], [[2, 0.5, 0.15]] * 2, atol=1e-6)
    plotted = "['energy', 'tau[hip]'].map((name) => footfall.watched.series(name).values.at(-1))"
    assert page.evaluate(plotted) == [4, 5]  # after the three of the rays
    page.keyboard.press("b")
    run.wait(lambda: set(run.status.watched) == {"energy", "tau[hip]"})


def test_objects_are_made_where_the_user_points(page, run):
    page.keyboard.press("1")
    until(page, "document.querySelector('[data-kind=box]').ariaPressed === 'true'")
    assert text_is(page, "held", "Click to place the new object; Esc ends")
    spot = (0.0, -0.4, 0.0)
    x, y = place_of(page, spot)
    page.mouse.move(x, y)
    until(page, "footfall.objects.placing.ghost.visible")
    page.mouse.down()
    page.mouse.up()
    box = run.last(CreateObject)
    assert (box.kind, box.density) == ("box", 500.0)
    side = box.size[2]
    assert np.allclose(box.position[:2], spot[:2], atol=5e-3)
    assert side / 2 < box.position[2] < 0.52 * side  # on the ground, hardly above it
    page.mouse.down()  # a turn of the camera is no click
    page.mouse.move(x + 60, y, steps=3)
    page.mouse.up()
    page.keyboard.press("Escape")
    page.mouse.down()
    page.mouse.up()
    until(page, "footfall.hand.free")
    assert sum(isinstance(one, CreateObject) for one in run.heard) == 1


def test_objects_are_put_on_others_with_the_sizes_asked_for(page, run):
    page.keyboard.press("3")
    page.locator("#measures label", has_text="radius").locator("input").fill("0.02")
    page.locator("#measures label", has_text="length").locator("input").fill("0.3")
    page.locator("#measures label", has_text="density").locator("input").fill("1234")
    x, y = place_of(page, (0.0, 0.0, 0.2))  # the top of the cube
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.up()
    rod = run.last(CreateObject)
    assert (rod.kind, rod.size, rod.density) == ("cylinder", (0.02, 0.3), 1234.0)
    assert np.allclose(rod.position, (0.0, 0.0, 0.35), atol=8e-3)


def test_a_mesh_needs_its_file(page, run):
    page.keyboard.press("4")
    page.mouse.move(*place_of(page, (0.0, -0.4, 0.0)))
    page.mouse.down()
    page.mouse.up()
    assert text_is(page, "notice", "A mesh needs the path of its file")
    run.status = replace(run.status, rate=0.5)  # news of other things
    until(page, "footfall.state.rate === 0.5")
    assert page.is_visible("#notice")
    page.fill("#measures [placeholder]", "meshes/duck.obj")
    page.mouse.move(*place_of(page, (0.0, -0.4, 0.0)))
    page.mouse.down()
    page.mouse.up()
    duck = run.last(CreateObject)
    assert (duck.kind, duck.mesh, duck.size) == ("mesh", "meshes/duck.obj", (1.0,))
    assert page.is_hidden("#notice")


@pytest.mark.parametrize(
    ("kind", "measure", "value", "said"),
    [
        ("1", "density", "0", "density must be from 0.001 to 1000000 kg/m\u00b3"),
        ("2", "radius", "0", "radius must be from 0.0001 to 1000"),
        ("4", "file", "a/../../duck.obj", "The path of a mesh must be inside the folder of the"),
        pytest.param(
            *("4", "file", "/etc/duck.obj"),
            "The path of a mesh must be inside the folder of the scene",
            marks=pytest.mark.long,
        ),
    ],
)
def test_wrong_measures_are_told_and_keys_act_after_typing(page, run, kind, measure, value, said):
    page.keyboard.press(kind)
    page.locator("#measures label", has_text=measure).locator("input").fill(value)
    page.mouse.move(*place_of(page, (0.0, -0.4, 0.0)))
    page.mouse.down()
    page.mouse.up()
    until(page, f"document.getElementById('notice').textContent.startsWith('{said}')")
    page.keyboard.press(" ")  # no part of what was typed
    run.last(Play)
    page.locator("#measures label", has_text=measure).locator("input").focus()
    page.keyboard.press("Escape")
    until(page, "footfall.hand.free")
    assert not any(isinstance(one, CreateObject) for one in run.heard)


@pytest.mark.parametrize("way", first("button", "key"))
def test_bodies_are_deleted(page, run, way):
    if way == "button":
        page.click("#objects-section summary")
        assert page.locator("#objects button").count() == 3  # the cube stays
        page.click("[aria-label='delete rod']")
    else:
        page.mouse.move(*place_of(page, (-0.5, 0.0, 0.3)))
        page.mouse.down()
        page.mouse.up()
        page.keyboard.press("Delete")
    assert run.last(DeleteObject).body == "rod"


@pytest.mark.parametrize("way", first("chosen", "configured"))
def test_another_scene_is_shown_as_the_present_one_is_looked_at(own_page, own_run, way):
    page, run = own_page, own_run
    page.click("#frames")
    if way == "chosen":
        page.select_option("#follow", "track 1")
    else:  # the camera looks at the middle of all while it follows one
        page.evaluate("footfall.viewer.follow('track 1')")
    settle(page)
    eye = "footfall.viewer.meshcat.camera.position.toArray()"
    before = page.evaluate(eye)
    whole = graph()
    fewer = replace(
        whole,
        nodes=tuple(node for node in whole.nodes if not node.name.startswith("rod")),
        tracks=(whole.tracks[1],),
        n_contacts=2,
    )
    still = frame()
    contacts = {"contact_position": np.zeros((2, 3)), "contact_force": np.zeros((2, 3))}
    run.change = fewer, replace(still, **contacts)
    until(page, "footfall.viewer.frame && footfall.viewer.bodies.meshes.length === 3")
    settle(page)
    assert page.evaluate("footfall.viewer.arrows.count") == 2
    assert page.evaluate("footfall.viewer.overlays.frames.visible") is True
    assert page.evaluate("footfall.viewer.followed") == "track 0"  # the ball, as before
    assert np.allclose(page.evaluate(eye), before, atol=1e-9)
    assert page.evaluate("performance.getEntriesByType('navigation').length") == 1


@pytest.mark.parametrize("toggle", first(("com", "m"), ("collision", "c"), ("frames", "x")))
def test_what_is_hidden_at_first_can_be_shown(chromium, own_run, toggle):
    button, key = toggle
    with page_of(chromium, own_run.url, (1280, 720), scale=SCALE) as page:
        equipped(page)
        page.keyboard.press("p")  # gives room
        page.keyboard.press("r")
        settle(page)
        before = picture(page)
        page.keyboard.press(key)
        settle(page)
        assert page.get_attribute(f"#{button}", "aria-pressed") == "true"
        assert changed(before, picture(page)) > 5e-4
        page.click(f"#{button}")
        page.mouse.move(640, 640)
        settle(page)
        assert page.get_attribute(f"#{button}", "aria-pressed") == "false"
        assert changed(before, picture(page)) < 1e-4


def test_the_help_lists_every_key(page):
    page.keyboard.press("?")
    assert page.is_visible("#help")
    keys = set(page.locator("#help kbd").all_inner_texts())
    assert {"Space", ".", "Right", "Left", "0", "[", "]", "T", "F", "M", "C", "X", "R", "?"} <= keys
    page.keyboard.press("f")  # does nothing meanwhile
    page.keyboard.press("?")
    assert page.is_hidden("#help")
    assert page.evaluate("footfall.viewer.arrows.visible") is True


def test_what_is_looked_at_lies_in_the_middle_of_what_panels_leave(page, run):
    """Also when they are hidden; the page is dark or light as its user likes."""
    place = "footfall.hand.pointer.project(footfall.viewer.camera.target.toArray())"
    edge = "document.getElementById('{}').getBoundingClientRect().{}".format
    assert not page.is_hidden("#side")
    middle = f"({edge('panel', 'right')} + {edge('side', 'left')}) / 2"
    until(page, f"Math.abs({place}[0] - {middle}) < 2")
    until(page, f"Math.abs({place}[1] - {edge('bar', 'top')} / 2) < 2")
    page.keyboard.press("p")
    until(page, f"Math.abs({place}[0] - ({edge('panel', 'right')} + innerWidth) / 2) < 2")
    light = picture(page)
    drawn = page.evaluate("footfall.viewer.drawn")
    page.keyboard.press("d")
    until(page, f"footfall.viewer.drawn > {drawn}")
    assert light.mean() - picture(page).mean() > 80
    page.keyboard.press("d")


@pytest.mark.parametrize(
    "size", [(1280, 720), *first((420, 760), (1024, 640), (700, 800), (700, 420))]
)
def test_nothing_overlaps_or_leaves_the_window(chromium, run, size):
    with page_of(chromium, run.url, size) as page:
        equipped(page)
        page.evaluate("document.querySelectorAll('#side details').forEach((d) => (d.open = true))")
        page.evaluate("Footfall.fold(true)")
        boxes = page.evaluate(
            "['panel', 'side', 'bar'].map((id) => { const { left, top, right, bottom } ="
            " document.getElementById(id).getBoundingClientRect();"
            " return [left, top, right, bottom]; })"
        )
        for left, top, right, bottom in boxes:
            assert min(left, top, size[0] - right, size[1] - bottom) >= 0
        for one, other in [(0, 1), (0, 2), (1, 2)]:
            a, b = boxes[one], boxes[other]
            apart = a[2] <= b[0] or b[2] <= a[0] or a[3] <= b[1] or b[3] <= a[1]
            assert apart, (one, other, boxes)
        unnamed = page.evaluate(
            """[...document.querySelectorAll('#bar button, #side button, #bar select, #side select,'
                 + '#panel button, #panel select, #side input, #bar input')]
                 .filter((part) => !part.closest('.dg') && !part.ariaLabel && !part.closest('label')
                   && !/[A-Za-z]/.test(part.textContent)).map((part) => part.outerHTML)"""
        )
        assert unnamed == []
