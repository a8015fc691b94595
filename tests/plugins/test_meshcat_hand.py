"""Pages reach into a run over their sockets: commands, the hand, statuses, changed scenes."""

import asyncio
import json
import time

import numpy as np
import pytest
from tests.plugins.meshcat_client import FakeRun, get, hanging, heard, ready, say, until
from tests.scene_graphs import frame, primitives

from footfall.interfaces.interactive_visualizer import (
    HandMove,
    HandRelease,
    InteractiveVisualizer,
    LiveStatus,
    Pause,
    Play,
    Restart,
    SingleStep,
)
from footfall_meshcat.server import hand
from footfall_meshcat.visualizer import Meshcat, MeshcatConfig

UP = [0.0, 0.0, 1.0]


@pytest.fixture
def viewer():
    """An open visualizer that has been told a status."""
    visualizer = Meshcat(MeshcatConfig())
    visualizer.open(primitives())
    visualizer.tell(LiveStatus())
    yield visualizer
    visualizer.close()


@pytest.fixture
def run(viewer):
    """A run that shows frames and takes commands."""
    with FakeRun(viewer, frame()) as fake:
        yield fake


async def taken(run, kind, many=1):
    await asyncio.to_thread(until, lambda: len(run.asked(kind)) >= many)
    return run.asked(kind)


def test_nobody_can_ask_a_viewer_that_is_closed():
    visualizer = Meshcat(MeshcatConfig())
    assert visualizer.commands() == ()
    visualizer.tell(LiveStatus())
    visualizer.replace(primitives())


def test_what_a_page_asks_reaches_the_run_in_order(viewer, run):
    async def ask():
        async with ready(viewer) as page:
            for kind in ["pause", "step", "play", "restart"]:
                await say(page, kind)
            await taken(run, Restart)

    assert isinstance(viewer, InteractiveVisualizer)
    asyncio.run(ask())
    assert run.commands == [Pause(), SingleStep(1), Play(), Restart()]


def test_a_page_grabs_moves_and_releases(viewer, run):
    async def drag():
        async with ready(viewer) as page:
            await heard(page, "status", holder=None)
            point = [0.1, 0.0, 0.0]
            await say(page, "grab", serial=1, position=UP, link="cube/base", point=point)
            await heard(page, "status", holder="you")
            await taken(run, HandMove)
            await say(page, "move", serial=2, position=[0.0, 0.0, 2.0])
            await taken(run, HandMove, 2)
            await say(page, "release", serial=3)
            await heard(page, "status", holder=None)
            await taken(run, HandRelease)

    asyncio.run(drag())
    first, second = run.asked(HandMove)
    assert (first.serial, second.serial) == (1, 2)
    assert second.reading.link == "cube/base"
    assert second.reading.point.tolist() == [0.1, 0.0, 0.0]
    assert second.reading.position.tolist() == [0.0, 0.0, 2.0]
    assert run.commands[-1] == HandRelease(3)


def test_the_frame_in_which_a_move_acted_comes_back_at_once(viewer, run):
    """Although frames come only every two seconds otherwise."""
    viewer._server._interval = 2.0

    async def drag():
        took = []
        async with ready(viewer) as page:
            await say(page, "grab", serial=1, position=UP)
            for serial in range(2, 40):
                start = time.perf_counter()
                await say(page, "move", serial=serial, position=UP)
                while True:
                    message = await asyncio.wait_for(page.read_message(), 10)
                    if not isinstance(message, bytes):
                        continue
                    await say(page, "shown")
                    if np.frombuffer(message, "<f8", 4)[2] >= serial:
                        break
                took.append(time.perf_counter() - start)
        return took

    assert np.median(asyncio.run(drag())) < 0.25


def test_only_one_page_has_the_hand(viewer, run):
    async def both():
        async with ready(viewer) as first, ready(viewer) as second:
            await say(first, "grab", serial=1, position=UP, link="cube/base")
            await heard(first, "status", holder="you")
            await heard(second, "status", holder="other")
            await say(second, "grab", serial=10, position=UP, link="ball/base")
            await say(second, "move", serial=11, position=UP)
            await say(second, "release", serial=12)
            await say(second, "pause")  # comes after them
            await taken(run, Pause)
            assert [asked.serial for asked in run.asked(HandMove)] == [1]
            assert not run.asked(HandRelease)
            await say(first, "release", serial=2)
            await heard(second, "status", holder=None)
            await say(second, "grab", serial=13, position=UP, link="ball/base")
            await heard(second, "status", holder="you")
            await heard(first, "status", holder="other")
            await taken(run, HandMove, 2)

    asyncio.run(both())
    assert run.asked(HandMove)[-1].reading.link == "ball/base"


def test_a_page_may_take_the_hand_before_it_grabs(viewer, run):
    async def both():
        async with ready(viewer) as first, ready(viewer) as second:
            await say(first, "take")
            await heard(first, "status", holder="you")
            await say(second, "take")
            await heard(second, "status", holder="other")
            await say(first, "release", serial=1)
            await heard(second, "status", holder=None)

    asyncio.run(both())
    assert run.commands == []


@pytest.mark.parametrize("way", ["closed", "cut"])
def test_a_page_that_goes_away_lets_go_at_once(viewer, run, way, monkeypatch):
    """Not only when nothing has been heard of it for a while."""
    monkeypatch.setattr(hand, "SILENCE", 1e9)

    async def vanish():
        async with ready(viewer) as second, ready(viewer) as page:
            await say(page, "grab", serial=4, position=UP, link="cube/base")
            await taken(run, HandMove)
            if way == "cut":
                page.protocol.stream.close()
            else:
                page.close()
            await taken(run, HandRelease)
            await heard(second, "status", holder=None)

    asyncio.run(vanish())
    assert run.commands[-1] == HandRelease(4)


def test_a_page_that_is_silent_loses_the_hand(viewer, run, monkeypatch):
    """The other end of its connection may be asleep."""
    monkeypatch.setattr(hand, "SILENCE", 0.5)

    async def sleep():
        async with ready(viewer) as page:
            await say(page, "grab", serial=4, position=UP, link="cube/base")
            await taken(run, HandMove)
            asyncio.get_running_loop().remove_reader(page.protocol.stream.socket)
            await taken(run, HandRelease)

    start = time.monotonic()
    asyncio.run(asyncio.wait_for(sleep(), 60))
    assert time.monotonic() - start > 0.5


def test_a_page_that_answers_pings_is_heard(viewer, monkeypatch):
    """A paused run sends nothing that a page could answer."""
    monkeypatch.setattr(hand, "SILENCE", 1e9)

    async def wait():
        async with ready(viewer) as page:
            await say(page, "grab", serial=1, position=UP, link="cube/base")
            await heard(page, "status", holder="you")
            held = viewer._server.audience.hand
            for _ in range(3):
                before = held._heard
                while held._heard == before:
                    with pytest.raises(TimeoutError):  # reads; the socket answers pings by itself
                        await asyncio.wait_for(page.read_message(), 0.1)
            assert held.holder is not None

    asyncio.run(asyncio.wait_for(wait(), 60))
    until(
        lambda: HandRelease in map(type, viewer.commands())
    )  # the server hears of the end in its own time


def test_a_ping_is_answered(viewer):
    async def ask():
        async with ready(viewer) as page:
            await say(page, "ping", serial=77)
            return await heard(page, "pong")

    assert asyncio.run(ask()) == {"type": "pong", "serial": 77}


def test_every_page_is_told_what_the_run_does(viewer):
    async def listen():
        async with ready(viewer) as first, ready(viewer) as second:
            viewer.tell(LiveStatus(playing=False, time=2.5, problem="no body 'x'"))
            return [await heard(page, "status", time=2.5) for page in (first, second)]

    for told in asyncio.run(listen()):
        assert (told["playing"], told["problem"]) == (False, "no body 'x'")


def test_frames_name_the_list_whose_values_they_hold(viewer):
    async def watch():
        async with ready(viewer) as page:
            viewer.tell(LiveStatus(watched=("energy",)))
            viewer.show(frame(1.0))
            number = (await heard(page, "status", watched=["energy"]))["watch"]
            data = await asyncio.wait_for(page.read_message(), 10)
            return number, np.frombuffer(data, "<f8", 4)[3]

    number, in_frame = asyncio.run(watch())
    assert number == in_frame == 1


def test_pages_go_on_with_a_changed_scene(viewer):
    async def change():
        async with ready(viewer) as page:
            viewer.show(frame(1.0))
            assert isinstance(await asyncio.wait_for(page.read_message(), 10), str)  # status
            old = await asyncio.wait_for(page.read_message(), 10)
            await say(page, "shown")
            viewer.replace(primitives("cube/other"))
            viewer.show(frame(2.0))
            told = await heard(page, "scene")
            assert b"cube/other" in get(viewer, "/scene")[1]
            with pytest.raises(TimeoutError):  # no frames of a scene that it has not loaded
                await asyncio.wait_for(page.read_message(), 0.3)
            await say(page, "ready", scene=told["scene"])
            new = await asyncio.wait_for(page.read_message(), 10)
            return [np.frombuffer(data, "<f8", 1)[0] for data in (old, new)], told["scene"]

    (old, new), scene = asyncio.run(change())
    assert (old, new) == (1.0, 2.0)
    assert scene == viewer._server.audience.scene


def test_a_page_that_comes_later_gets_the_changed_scene(viewer):
    viewer.replace(primitives("cube/other"))
    until(lambda: viewer._server.audience.version == 1)
    viewer.show(frame(3.0))

    async def come():
        async with ready(viewer) as page:
            while isinstance(data := await asyncio.wait_for(page.read_message(), 10), str):
                assert json.loads(data)["type"] == "status"
            return np.frombuffer(data, "<f8", 1)[0]

    assert asyncio.run(come()) == 3.0


def test_the_simulation_does_not_wait_for_a_changed_scene(viewer):
    with hanging(viewer):
        viewer.replace(primitives("cube/other"))


def test_a_page_may_still_be_busy_with_the_scene_before(viewer, caplog):
    async def change():
        async with ready(viewer) as page:
            old = viewer._server.audience.scene
            viewer.replace(primitives("cube/other"))
            await heard(page, "scene")
            await say(page, "ready", scene=old)
            await say(page, "ping", serial=1)
            await heard(page, "pong")

    asyncio.run(change())
    assert not caplog.records
