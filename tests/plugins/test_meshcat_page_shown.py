"""What a page shows beside bodies: contacts, support, trails, joints, inertias, the tree."""

import time
from dataclasses import replace

import numpy as np
import pytest
from tests.browser import page_of, until
from tests.plugins.answering_run import LINKS
from tests.plugins.test_meshcat_page import drawn, serve, settle, show
from tests.scene_graphs import frame, node, primitives

from footfall.geometry.shapes import Shape
from footfall.interfaces.interactive_visualizer import LiveStatus, LiveTunable, WatchSignals

pytestmark = pytest.mark.browser
__all__ = ["serve"]

MASS, SIDES = 3.0, (0.2, 0.4, 0.1)
TURNED = np.array([[0.6, -0.8, 0.0], [0.8, 0.6, 0.0], [0.0, 0.0, 1.0]])
NAMES = [f"cube/foot/{k}" for k in range(4)]


def graph():
    """Primitives of known inertia; the cube stands on four points, one of them slippery.

    The ball turns about an axis along y through (0.3, 0, 0.2), the rod slides along x.
    """
    x, y, z = SIDES
    own = np.diag([y * y + z * z, x * x + z * z, x * x + y * y]) * MASS / 12.0
    about = (TURNED @ own @ TURNED.T).reshape(-1)[[0, 4, 8, 1, 2, 5]]
    inertias = np.zeros((4, 10))
    inertias[0] = [MASS, 0.01, 0.02, 0.03, *about]
    v = np.cross([0.0, 1.0, 0.0], -np.array([0.3, 0.0, 0.2]))  # of the link's origin
    turning, sliding = (*v, 0.0, 1.0, 0.0), (1.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    nan = float("nan")
    sides = [(0.4, nan, nan), (0.3, 0.6, nan), (0.9, 0.9, 0.4), (0.1, nan, nan)]
    return replace(
        primitives(),
        links=LINKS,
        inertias=inertias,
        joints=(("ball/hinge", 1, turning), ("rod/slide", 2, sliding)),
        points=tuple((name, *side) for name, side in zip(NAMES, sides, strict=True)),
    )


PAIRS = {
    "force": [[10, 3, 0], [0, -4, 1], [0, 0, 0], [0, 0, 2], [2, 0, 0]],
    "between": [
        [1, 0, 0, 0.5, 1, 0, 2],  # from the cube to the rod: 3 of 5 N
        [0, -1, 0, 0.25, 2, 1, 0],  # from the ball to the cube: all that friction can
        [0, 0, 1, 0.5, 0, -1, 3],  # what stands still and the pill, apart
        [0, 0, 0, 0, 0, 0, 0],  # nothing is known of it
        [1, 0, 0, np.nan, 1, 0, 3],  # of a recording that does not hold friction
    ],
}


def with_pairs(shown):
    """Return the graph and a frame with five contacts between bodies, and room for a sixth."""
    tracks = tuple((name, k) for k, name in enumerate(("cube", "ball", "rod", "pill")))
    force, between = np.array(PAIRS["force"], float), np.array(PAIRS["between"], float)
    place = np.tile([0.1, 0.0, 0.1], (6, 1))
    force = np.vstack([shown.contact_force, force, np.zeros(3)])
    position = np.vstack([shown.contact_position, place])
    shown = replace(shown, contact_position=position, contact_force=force, between=between)
    return replace(graph(), n_contacts=10, tracks=tracks), shown


def matrices(page, part, index):
    """Return the columns of a copy of an overlay: three axes and where it is, each (3,)."""
    values = page.evaluate(f"Array.from(footfall.viewer.overlays.{part})")
    return np.reshape(values[16 * index : 16 * index + 16], (4, 4))[:, :3]


def test_what_can_be_shown_of_a_scene_is_where_mechanics_puts_it(chromium, serve):
    """Every overlay against its closed form, on one page."""
    viewer = serve(*with_pairs(frame()))
    with page_of(chromium, viewer.url, (1000, 640)) as page:
        drawn(page)
        for name, key in {"points": "o", "cones": "n", "support": "u", "trail": "z"}.items():
            page.keyboard.press(key)
            assert page.get_attribute(f"#{name}", "aria-pressed") == "true"
        for button in ("axes", "inertia"):
            page.click(f"#{button}")
        settle(page)

        # Each force has a fifth of its normal part along the ground: 0.5 N at 2.5 N.
        contacts = page.evaluate(
            "[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]"
            ".map((k) => footfall.viewer.contacts.at(k, footfall.viewer.frame))"
        )
        contacts, pairs = contacts[:4], contacts[4:]
        modes = ["sticks", "slips", "open", "touches", "sticks", "none"]
        assert [one["mode"] for one in pairs] == modes
        assert [one["used"] for one in pairs[:2]] == pytest.approx([0.6, 1.0])
        assert [one["pressure"] for one in pairs[:2]] == pytest.approx([10.0, 4.0])
        assert page.evaluate("footfall.viewer.overlays.points.balls.count") == 9
        assert [one["mode"] for one in contacts] == ["sticks", "sticks", "sticks", "slips"]
        harmonic = 2 * 0.3 * 0.6 / 0.9
        expected = [0.4, harmonic, 0.4, 0.1]
        np.testing.assert_allclose([one["friction"] for one in contacts], expected)
        np.testing.assert_allclose([one["used"] for one in contacts], 0.2 / np.array(expected))
        scale = page.evaluate("footfall.viewer.arrows.scale")
        cone = matrices(page, "cones.cones.instanceMatrix.array", 1)
        assert np.linalg.norm(cone[2]) == pytest.approx(2.5 * scale, rel=1e-5)
        assert np.linalg.norm(cone[0]) == pytest.approx(harmonic * 2.5 * scale, rel=1e-5)
        cone = matrices(page, "cones.cones.instanceMatrix.array", 4)
        high = min(scale, page.evaluate("footfall.viewer.arrows.longest") / np.hypot(10, 3)) * 10
        np.testing.assert_allclose(cone[2], [high, 0, 0], atol=1e-5 * high)
        assert np.linalg.norm(cone[0]) == pytest.approx(0.5 * high, rel=1e-5)

        # The points' square, and the mass centre over it.
        support = page.evaluate(
            "(() => { const { corners, area, dot } = footfall.viewer.overlays.support.bodies[0];"
            " return [Array.from(corners.array), area.visible, dot.position.toArray()]; })()"
        )
        corners = np.reshape(support[0], (-1, 3))
        x, y = corners[:, 0], corners[:, 1]
        doubled = np.sum(x * np.roll(y, -1) - y * np.roll(x, -1))
        assert doubled / 2 == pytest.approx(0.04, rel=1e-5)
        assert support[1]
        np.testing.assert_allclose(support[2], [0.01, 0.02, 0.0], atol=1e-6)

        box = matrices(page, "inertia.matrices.array", 0)
        sizes = np.linalg.norm(box[:3], axis=1)
        np.testing.assert_allclose(np.sort(sizes), np.sort(SIDES), rtol=1e-4)
        np.testing.assert_allclose(box[3], [0.01, 0.02, 0.13], atol=1e-6)
        along = box[np.argmax(sizes)] / sizes.max()
        assert abs(along @ TURNED[:, 1]) == pytest.approx(1.0, abs=1e-4)

        hinge, slide = (matrices(page, "axes.matrices.array", k) for k in (0, 1))
        np.testing.assert_allclose(
            hinge[3], [0.3, 0.5, 0.3], atol=1e-6
        )  # the ball is at 0, 0.5, 0.1
        assert abs(hinge[1] @ [0, 1, 0]) == pytest.approx(1.0, abs=1e-5)
        assert abs(slide[1] @ [1, 0, 0]) == pytest.approx(1.0, abs=1e-5)

        # Forces twice as long; cones stay as high as the forces' normal part.
        page.locator("#stretch").evaluate(
            "(one) => { one.value = Math.log10(2); one.dispatchEvent(new Event('input')); }"
        )
        assert page.inner_text("#stretched").endswith(" 2")
        assert page.evaluate("footfall.viewer.arrows.scale") == pytest.approx(2 * scale, rel=0.02)
        cone = matrices(page, "cones.cones.instanceMatrix.array", 1)
        assert np.linalg.norm(cone[2]) == pytest.approx(5.0 * scale, rel=0.02)

        # One body has risen: nothing touches, nothing supports.
        up = frame(1.0, (0.0, 0.0, 0.3))
        up.contact_force[:] = 0.0
        show(viewer, page, with_pairs(up)[1])
        assert page.evaluate("footfall.viewer.overlays.support.bodies[0].area.visible") is False
        trail = "footfall.viewer.overlays.trail"
        assert page.evaluate(f"{trail}.dots.count") == 2
        np.testing.assert_allclose(
            page.evaluate(f"Array.from({trail}.points.array.slice(0, 6))"),
            [0, 0, 0.1, 0, 0, 0.4],
            atol=1e-6,
        )


def test_a_link_is_selected_in_the_tree_and_tells_what_it_does(chromium, serve):
    viewer = serve(*with_pairs(frame()))
    with page_of(chromium, viewer.url, (1000, 640)) as page:
        drawn(page)
        show(viewer, page, with_pairs(frame(0.1, (0.02, 0.0, 0.0)))[1])
        page.evaluate("Footfall.fold(true)")
        page.click("#tree-section summary")
        page.click("#tree button:text-is('cube')")
        until(page, "footfall.selection.link === 0")
        assert page.get_attribute("#tree button:text-is('cube')", "aria-current") == "true"
        told = dict(
            zip(
                page.locator("#selected dt").all_inner_texts(),
                page.locator("#selected dd").all_inner_texts(),
                strict=True,
            )
        )
        assert told["mass"] == "3 kg"
        assert told["velocity"] == "0.2, 0, 0 m/s"
        assert told["kinetic energy"] == "0.06 J"  # 3 kg at 0.2 m/s
        assert told["foot/0"] == "2.55 N, sticks, 50 % of friction 0.4"
        assert told["foot/3"].startswith("2.55 N, slips, 100 %")
        assert told["rod"] == "10.44 N, sticks, 60 % of friction 0.5"
        assert told["ball"] == "4.123 N, slips, 100 % of friction 0.25"
        assert told["pill"] == "2 N, sticks"
        assert "a fixed object" not in told

        # What a run tells is believed: the first point slips, with half of its friction.
        signals = (("contact_status", "1", "status", (tuple(NAMES),)),)
        viewer.tell(LiveStatus(signals=signals))
        asked, end = [], time.monotonic() + 60.0
        while not asked and time.monotonic() < end:
            asked = [one for one in viewer.commands() if isinstance(one, WatchSignals)]
            time.sleep(0.02)
        assert asked[-1].names == ("contact_status[*]",)
        viewer.tell(LiveStatus(signals=signals, watched=asked[-1].names))
        modes = np.array([2.0, 1.0, 1.0, 1.0])
        show(viewer, page, replace(with_pairs(frame(0.2))[1], values=modes))
        first = "[...document.querySelectorAll('#selected dd')].map((one) => one.textContent)"
        until(page, f"{first}.includes('2.55 N, slips, 50 % of friction 0.4')")
        until(page, f"{first}.some((one) => one.startsWith('2.55 N, sticks, 100 %'))")
        names = ["tau[hinge]", "contact_force[cube/foot/0,z]", "base_position[cube,z]", "energy"]
        page.evaluate(
            """(names) => {
                 const { signals } = footfall;
                 const entries = names.map((name) => ({ name, unit: "N", about: "" }));
                 const joints = ["hinge", "rod/slide"];
                 for (const joint of joints)
                   entries.push({ name: `q[${joint}]`, unit: "m or rad", about: "" });
                 const series = () => ({ times: [0, 1], values: [0, 1] });
                 signals.source = { entries, choose() {}, series };
                 signals.refresh();
                 for (const name of names) signals.add(name);
               }""",
            names,
        )
        known = "['q[hinge]', 'q[rod/slide]'].map((name) => footfall.signals.known.get(name).unit)"
        assert page.evaluate(known) == ["rad", "m"]  # the hinge turns, the rod slides
        lines = "footfall.signals.plots.made[0].plot.series.slice(1)"
        for link, own in {0: [1, 2], 1: [0], 3: []}.items():
            page.evaluate(f"footfall.selection.select({link})")
            assert page.locator("#legend .of span:not(.mark)").all_inner_texts() == [
                names[k] for k in own
            ]
            widths = page.evaluate(f"{lines}.map(({{ width }}) => width)")
            assert widths == [3 if k in own else 1.5 for k in range(4)]
        page.click("[aria-label='show cube']")
        assert page.evaluate("footfall.viewer.bodies.links.get(0).visible") is False
        assert page.evaluate("footfall.viewer.bodies.links.get(1).visible") is True

        # Of a link of a robot the points on it alone, of its base those of all its links.
        page.evaluate("footfall.viewer.header.link_names[1] = 'cube/ball'")
        for link, points in {0: 4, 1: 0}.items():
            page.evaluate(f"footfall.selection.select({link})")
            told = page.locator("#selected dt").all_inner_texts()
            assert sum(name.startswith("foot/") for name in told) == points


def test_a_page_of_a_run_that_has_ended_already_says_so_and_keeps_its_settings(chromium, serve):
    viewer = serve(graph())
    settings = [
        ("target", "hinge", "ball", "rad or m", "rad"),
        ("target", "slide", "rod", "rad or m", "m"),
        ("stiffness", "s?id*", "rod", "N m/rad or N/m", "N/m"),
        ("stiffness", "hi*", "rod", "N m/rad or N/m", "N m/rad or N/m"),  # the rod has no hinge
    ]
    tunables = tuple(
        LiveTunable(f"{body}.{name}.{joint}", 0.5, 0.0, 1.0, unit, f"{body}: {name} {joint}")
        for name, joint, body, unit, _ in settings
    )
    status = LiveStatus(playing=False, ended=True, tunables=tunables)
    events = ("push on chest", 0.1, np.inf, 1), ("impacts", 0.2, 0.3, 3)
    viewer.tell(replace(status, events=events))
    with page_of(chromium, viewer.url, (800, 600)) as page:
        drawn(page)
        until(page, "footfall.state && footfall.state.ended")
        assert page.is_visible("#bar")
        assert page.inner_text("#rate") == "ended"
        for part in ("live", "drag", "held"):
            assert page.is_hidden(f"#{part}")
        units = dict(
            page.evaluate(
                "[...document.querySelectorAll('.tunable')]"
                ".map((row) => [row.title, row.querySelector('.unit').textContent])"
            )
        )
        assert units == {f"{body}.{name}.{one}": unit for name, one, body, _, unit in settings}
        marks = "footfall.player.marks.all.map(({ kind, time, text }) => [kind, time, text])"
        push = ["push", 0.1, "push on chest"]
        assert page.evaluate(marks) == [push, ["impact", 0.2, "impact, 3 times"]]
        more = ("impacts", 0.2, 0.4, 4), ("solver_failures", 0.35, 0.35, 1)
        viewer.tell(replace(status, events=(*events[:1], *more)))
        until(page, "footfall.player.marks.all.length > 2")
        failure = ["message", 0.35, "the contact solver failed"]
        assert page.evaluate(marks) == [push, ["impact", 0.2, "impact, 4 times"], failure]
        assert page.evaluate("footfall.player.marks.all[1].end") == 0.4
        assert page.evaluate("localStorage.getItem('footfall dark')") is None
        page.keyboard.press("d")
        assert page.evaluate("localStorage.getItem('footfall dark')") == "true"
        page.keyboard.press("d")


@pytest.mark.long
def test_on_a_phone_the_panel_comes_from_below_and_the_robot_stays_in_sight(chromium, serve):
    viewer = serve(graph())
    with page_of(chromium, viewer.url, (390, 844)) as page:
        drawn(page)
        page.click("#less")
        settle(page)
        panel, side = (page.locator(f"#{part}").bounding_box() for part in ("panel", "side"))
        assert side["x"] == 0
        assert side["width"] == 390
        assert side["y"] > panel["y"] + panel["height"] + 300
        assert page.is_visible("#cones")  # the settings of the view are in it
        seen = page.evaluate(
            """(() => {
                 const { min, max } = footfall.viewer.bodies.box();
                 const places = [];
                 for (const x of [min.x, max.x]) for (const y of [min.y, max.y])
                   for (const z of [min.z, max.z])
                     places.push(footfall.hand.pointer.project([x, y, z]));
                 return places;
               })()"""
        )
        across, down = np.array(seen).T
        assert 0 <= across.min() < across.max() <= 390
        assert panel["y"] + panel["height"] <= down.min() < down.max() <= side["y"]
        box = page.locator("#grip").bounding_box()
        x, y = box["x"] + 195, box["y"] + box["height"] / 2
        page.mouse.move(x, y)
        page.mouse.down()
        page.mouse.move(x, y - 120, steps=3)
        page.mouse.up()
        higher = page.locator("#side").bounding_box()
        assert higher["y"] == pytest.approx(side["y"] - 120, abs=3)
        page.click("#grip")
        assert page.is_hidden("#side")


@pytest.mark.long
def test_alike_bodies_are_drawn_at_once_picked_each_and_cheaply_where_that_takes_long(
    chromium, serve
):
    """Thirty balls in a row; then pictures that take 100 ms each, by the page's own clock."""
    plain = primitives()
    balls = tuple(node(f"b{k}/base/0", k, Shape("sphere", (0.05,))) for k in range(30))
    names = tuple(f"b{k}/base" for k in range(30))
    graph = replace(plain, nodes=balls, n_links=30, links=names, tracks=(("b0", 0),))
    poses = np.zeros((30, 7))
    poses[:, 6], poses[:, 0], poses[:, 2] = 1.0, 0.2 * np.arange(30), 0.05
    with page_of(chromium, serve(graph, replace(frame(), poses=poses)).url, (500, 360)) as page:
        drawn(page)
        assert page.evaluate("footfall.viewer.bodies.copies.map(({ copies }) => copies.count)") == [
            30
        ]
        assert page.evaluate("footfall.viewer.meshcat.renderer.info.render.calls") < 20
        places = np.reshape(
            page.evaluate(
                "Array.from(footfall.viewer.bodies.copies[0].copies.instanceMatrix.array)"
            ),
            (30, 16),
        )
        np.testing.assert_allclose(places[:, 12:15], poses[:, :3], atol=1e-6)
        x, y = page.evaluate(f"footfall.hand.pointer.project({[3.0, 0.0, 0.05]})")
        page.mouse.move(x, y)
        assert page.evaluate("footfall.hand.pointer.pick().name") == "b15/base"
        page.evaluate(
            "{ const { quality } = footfall.viewer; quality.choose('auto', false);"
            " for (let k = 0; k < 12; k++) quality.note(1e7 + 100 * k, true); }"
        )
        assert page.evaluate("footfall.viewer.quality.low")
        assert page.get_attribute("#shadows", "aria-pressed") == "false"
        attributes = "footfall.viewer.meshcat.renderer.getContext().getContextAttributes()"
        assert page.evaluate(f"{attributes}.antialias") is False
        settle(page)
        assert page.locator("#stage canvas").count() == 1
        page.evaluate("footfall.viewer.quality.choose('high', false)")
        assert page.get_attribute("#shadows", "aria-pressed") == "true"
