"""Whatever clients do, the run goes on, other pages are served, and the log stays short."""

import asyncio
import contextlib
import json
import logging
import os
import random
import socket
import struct
import time

import numpy as np
import pytest
from tests.cases import first
from tests.fuzz.outcome import SEED
from tests.plugins.meshcat_client import (
    FakeRun,
    fragment,
    get,
    handshake,
    heard,
    leave,
    masked,
    ready,
    say,
    socket_url,
    until,
)
from tests.scene_graphs import frame, primitives
from tornado.websocket import WebSocketClosedError, websocket_connect

from footfall.interfaces.interactive_visualizer import (
    DeleteObject,
    HandRelease,
    LiveStatus,
    Pause,
    Play,
)
from footfall.listening import LEAVING
from footfall.listening import MOST as MOST_CONNECTIONS
from footfall_meshcat.server.audience import MOST_PAGES
from footfall_meshcat.server.inbox import MOST
from footfall_meshcat.visualizer import Meshcat, MeshcatConfig


@pytest.fixture
def viewer(caplog):
    """An open visualizer."""
    visualizer = Meshcat(MeshcatConfig())
    visualizer.open(primitives())
    with caplog.at_level(logging.WARNING):
        yield visualizer
    visualizer.close()


@pytest.fixture
def run(viewer):
    """A run that shows frames; afterwards: it was never held up, and a page is still served."""
    with FakeRun(viewer, frame()) as fake:
        yield fake
        asyncio.run(_still_works(viewer, fake))
    assert np.median(fake.gaps) < 0.02
    assert max(fake.gaps) < 1.0  # an eternity for a run, but others use this machine too


async def _still_works(viewer, fake):
    before = len(fake.asked(Play))
    async with ready(viewer) as page:
        await say(page, "play")
        await asyncio.to_thread(until, lambda: len(fake.asked(Play)) > before)


def test_silent_connections_do_not_keep_others_out(viewer, run):
    here = ("127.0.0.1", viewer._server.port)
    with contextlib.ExitStack() as held:
        for _ in range(3 * (MOST_CONNECTIONS + LEAVING)):
            held.enter_context(socket.create_connection(here, timeout=20)).sendall(b"GET")
        asyncio.run(_still_works(viewer, run))
        assert len(viewer._server._socket._clients) <= MOST_CONNECTIONS + LEAVING


def connected(viewer):
    """A raw connection, shaken hands, past the server's greeting."""
    link = socket.create_connection(("127.0.0.1", viewer._server.port), timeout=20)
    link.sendall(handshake(viewer))
    received = b""
    while b"hello" not in received:
        received += link.recv(4096)
    return link


def gone(link):
    """Wait until the server has ended a connection."""
    try:
        while link.recv(65536):
            pass
    except ConnectionResetError:
        pass
    return True


def test_messages_that_make_no_sense_do_nothing(viewer, run, caplog):
    async def babble():
        async with ready(viewer) as page:
            await page.write_message('{"type": "speed", "value": NaN}')
            await page.write_message('{"type": "move", "serial": 1, "position": [0, 0, 1e999]}')
            await page.write_message("[" * 3000)
            await page.write_message("x" * 10_000)
            await page.write_message(os.urandom(500), binary=True)
            await say(page, "step", n=10**12)
            await say(page, "create", kind="box")
            await say(page, "pause")
            await asyncio.to_thread(until, lambda: run.asked(Pause))

    asyncio.run(babble())
    assert run.commands == [Pause()]
    reasons = [line.message.split("dropped: ")[1] for line in caplog.records]
    assert reasons == [
        "not JSON",
        "move: position must be a list of 3 numbers from -100000 to 100000",
        "not JSON",
        "longer than 4096 characters",
        "binary message",
        "step: n must be a whole number from 1 to 10000",
        "create: size must be a list of 3 numbers from 0.0001 to 1000",
    ]


@pytest.mark.long
def test_a_flood_of_nonsense_ends_the_connection(viewer, run, caplog):
    link = connected(viewer)
    with link:
        try:
            for _ in range(2000):
                link.sendall(masked("nonsense"))
        except OSError:
            pass
        assert gone(link)
    assert len(caplog.records) < 30


def flooded(link, one):
    """Send the same until the server has had enough, 20 s at most; return for how long, [s]."""
    begin = time.monotonic()
    try:
        while time.monotonic() < begin + 20:
            link.sendall(one * 1000)
    except OSError:
        pass
    return time.monotonic() - begin


@pytest.mark.parametrize(
    "one",
    first(masked('{"type": "pause"}'), struct.pack("!BB", 0x89, 0x80) + bytes(4)),
    ids=["good messages", "pings"],
)
def test_a_flood_ends_the_connection(viewer, run, caplog, one):
    with connected(viewer) as link:
        assert flooded(link, one) < 4
    assert any("too many messages" in line.message for line in caplog.records)
    assert len(caplog.records) < 40


def babble(rng):
    """Return frames of a client that has gone mad."""
    text = rng.choice(
        ['{"type": "pause"}', '{"type": "grab", "serial": 1}', "[" * 90, "x", '{"type": 3}', ""]
    )
    return rng.choice(
        [
            masked(text),
            fragment(text, rng.choice([0, 1, 2, 3, 9, 10]), last=rng.random() < 0.5),
            struct.pack("!BB", rng.randrange(256), rng.randrange(256)) + rng.randbytes(8),
            rng.randbytes(rng.randrange(1, 40)),
        ]
    )


@pytest.mark.long
def test_floods_of_anything_leave_the_run_and_other_pages_as_they_were(viewer, run, caplog):
    """With a seed of the day; ``FOOTFALL_FUZZ_SEED=N`` makes those again."""
    rng = random.Random(SEED)
    for _ in range(20):
        whole = rng.random() < 0.5  # frames that are whole: the flood ends it, not a broken frame
        with connected(viewer) as link:
            try:
                for _ in range(2000):
                    link.sendall(masked(rng.choice("abc[{")) if whole else babble(rng))
            except OSError:
                pass
            else:
                link.shutdown(socket.SHUT_WR)
            assert gone(link)
    until(lambda: not viewer._server.audience.pages)
    assert len(caplog.records) < 20 * 30


def test_a_flood_of_empty_fragments_ends_the_connection(viewer, run, caplog):
    """They make no message, so that nobody would hear of them."""
    with connected(viewer) as link:
        link.sendall(fragment("[", 1))
        assert flooded(link, fragment("")) < 4
    assert [line for line in caplog.records if "too many frames" in line.message]
    assert len(caplog.records) < 5
    until(lambda: not viewer._server.audience.pages)


def test_a_flood_of_empty_messages_ends_the_connection(viewer, run, caplog):
    with connected(viewer) as link:
        assert flooded(link, masked("")) < 4
    assert any("disconnected" in line.message for line in caplog.records)
    assert len(caplog.records) < 30


def test_a_message_may_come_in_many_fragments(viewer, run):
    parts = list('{"type": "pause"}')
    with connected(viewer) as link:
        link.sendall(fragment(parts[0], 1))
        for part in parts[1:]:
            link.sendall(fragment(part) + fragment("") * 20)
        assert not run.asked(Pause)
        link.sendall(fragment("", last=True))
        until(lambda: run.asked(Pause))
    assert len(run.asked(Pause)) == 1


def test_commands_beyond_what_may_wait_are_dropped(viewer, caplog):
    """Nobody takes them here."""

    async def ask():
        async with ready(viewer) as page:
            for _ in range(MOST + 20):
                await say(page, "delete", body="cube")
            await say(page, "ping", serial=1)
            await heard(page, "pong")

    asyncio.run(ask())
    assert viewer.commands() == (DeleteObject("cube"),) * MOST
    dropped = [line for line in caplog.records if "too many are waiting" in line.message]
    assert len(dropped) == 20


def test_a_message_that_is_too_long_is_never_read(viewer, run):
    link = connected(viewer)
    with link:
        link.sendall(struct.pack("!BBQ", 0x81, 0x80 | 127, 1 << 40) + bytes(4))
        assert gone(link)


def test_fragments_without_end_are_cut_off(viewer, run):
    link = connected(viewer)
    fragment = struct.pack("!BBH", 0x00, 0x80 | 126, 4000) + bytes(4) + b"x" * 4000
    with link:
        link.sendall(struct.pack("!BB", 0x01, 0x81) + bytes(4) + b"x")
        try:
            for _ in range(100):
                link.sendall(fragment)
        except OSError:
            pass
        assert gone(link)


@pytest.mark.parametrize("reads", ["nothing", "a little"])
def test_who_stops_reading_is_disconnected(viewer, run, caplog, reads):
    """Even if it goes on saying that it took what it was sent."""
    viewer._server.audience.patience = 1.0
    link = connected(viewer)
    link.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    with link:
        scene = viewer._server.audience.scene
        link.sendall(masked(json.dumps({"type": "ready", "scene": scene})))
        long = LiveStatus(signals=tuple((f"signal{k}", "m", "", ()) for k in range(3000)))
        end = time.monotonic() + 20
        while viewer._server.audience.pages and time.monotonic() < end:
            viewer.tell(long)
            if reads == "a little":
                link.recv(16)
            time.sleep(0.05)
    assert not viewer._server.audience.pages
    assert any("takes no frames" in line.message for line in caplog.records)


def test_frames_that_were_not_sent_cannot_be_taken_in_advance(viewer, run, caplog):
    async def pretend():
        async with ready(viewer) as page:
            with contextlib.suppress(WebSocketClosedError):
                for _ in range(100):
                    await say(page, "shown")
            while await asyncio.wait_for(page.read_message(), 10) is not None:
                pass
            return page.close_code

    assert asyncio.run(pretend()) == 1008


def test_there_is_room_for_many_pages_but_not_for_any_number(viewer, run):
    async def crowd():
        url = socket_url(viewer)
        pages = [await websocket_connect(url) for _ in range(MOST_PAGES)]
        for page in pages:
            assert json.loads(await page.read_message())["type"] == "hello"
        late = await websocket_connect(url)
        assert await asyncio.wait_for(late.read_message(), 10) is None
        assert late.close_code == 1013
        for page in [late, *pages]:
            await leave(page)
        await asyncio.to_thread(until, lambda: not viewer._server.audience.pages)

    asyncio.run(crowd())


def test_several_pages_are_served_whatever_one_of_them_does(viewer, run):
    async def watch(seconds):
        async with ready(viewer) as page:
            times, end = [], time.monotonic() + seconds
            while time.monotonic() < end or len(times) < 10:
                message = await asyncio.wait_for(page.read_message(), 10)
                if isinstance(message, bytes):
                    times.append(np.frombuffer(message, "<f8", 1)[0])
                    await say(page, "shown")
            return times

    async def misbehave():
        async with ready(viewer) as page:
            await say(page, "grab", serial=1, position=[0, 0, 1])
            with contextlib.suppress(WebSocketClosedError):
                for _ in range(60):
                    await page.write_message("nonsense")
                    await asyncio.sleep(0.01)

    async def together():
        return (await asyncio.gather(watch(1.0), watch(1.0), watch(1.0), misbehave()))[:3]

    for times in asyncio.run(asyncio.wait_for(together(), 60)):
        assert times == sorted(times)
    assert run.asked(HandRelease)


def test_half_a_handshake_disturbs_nobody(viewer, run):
    links = []
    for part in [b"", b"GET /socket HTTP/1.1\r\n", handshake(viewer)[:-2]]:
        links += [socket.create_connection(("127.0.0.1", viewer._server.port)) for _ in range(5)]
        for link in links[-5:]:
            link.sendall(part)
    assert get(viewer, "/scene")[0].status == 200
    for link in links:
        link.close()
