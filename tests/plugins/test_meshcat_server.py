"""The viewer's server: this machine only, never in the simulation's way, hard to upset."""

import asyncio
import contextlib
import gzip
import json
import logging
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from pathlib import Path

import numpy as np
import pytest
from pydantic import ValidationError
from tests.plugins.meshcat_client import get, handshake, hanging, masked, ready, until
from tests.programs import interrupt
from tests.scene_graphs import frame, primitives
from tornado.websocket import WebSocketClosedError

from footfall.errors import PluginError
from footfall.registry.discover import discover
from footfall_meshcat.drawing.payload import View, unpack_payload
from footfall_meshcat.server.site import Site
from footfall_meshcat.server.thread import Server
from footfall_meshcat.visualizer import Meshcat, MeshcatConfig


@pytest.fixture
def viewer(capsys):
    """An open visualizer."""
    visualizer = Meshcat(MeshcatConfig())
    visualizer.open(primitives())
    yield visualizer
    visualizer.close()


def test_the_plugin_is_registered():
    entry = discover().visualizer["meshcat"]
    assert entry.missing == ()
    assert entry.load() is Meshcat


def test_only_this_machine_is_listened_to(viewer):
    port = viewer._server.port
    for table, own in [("/proc/net/tcp", "0100007F"), ("/proc/net/tcp6", None)]:
        with open(table) as lines:
            rows = [line.split()[1] for line in lines.readlines()[1:] if line.split()[3] == "0A"]
        listening = [row.split(":")[0] for row in rows if int(row.split(":")[1], 16) == port]
        assert listening == ([own] if own else [])


def test_another_address_of_this_machine_is_refused(viewer):
    with socket.create_connection(("127.0.0.1", viewer._server.port), timeout=5):
        pass
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.2", viewer._server.port), timeout=5)


def test_the_address_is_told(capsys):
    visualizer = Meshcat(MeshcatConfig())
    visualizer.open(primitives())
    assert capsys.readouterr().err == f"Viewer: {visualizer.url}\n"
    visualizer.close()
    assert visualizer.url is None


def test_a_second_viewer_takes_the_next_free_port(viewer):
    other = Meshcat(MeshcatConfig())
    other.open(primitives())
    try:
        assert other._server.port > viewer._server.port
    finally:
        other.close()


def test_a_port_in_use_is_one_clear_error(viewer):
    port = viewer._server.port
    with pytest.raises(PluginError, match=f"port {port} of 127.0.0.1 cannot be used.*in use"):
        Meshcat(MeshcatConfig(port=port)).open(primitives())


def test_a_closed_viewer_frees_its_port():
    visualizer = Meshcat(MeshcatConfig())
    visualizer.open(primitives())
    port = visualizer._server.port
    visualizer.close()
    visualizer.close()  # once more does no harm
    again = Meshcat(MeshcatConfig(port=port))
    again.open(primitives())
    again.close()


@pytest.mark.parametrize(
    "values",
    [
        {"port": -1},
        {"port": 65536},
        {"port": "7000"},
        {"frame_rate": 0.0},
        {"frame_rate": float("nan")},
        {"speed": -1.0},
        {"follow": "head"},
        {"colour": "red"},
    ],
)
def test_bad_settings_are_refused(values):
    with pytest.raises(ValidationError):
        MeshcatConfig(**values)


def test_speed_and_frame_rate_set_the_pace():
    paced = Meshcat(MeshcatConfig(speed=0.5, frame_rate=20.0))
    assert (paced.speed, paced.frame_interval) == (0.5, pytest.approx(0.025))
    free = Meshcat(MeshcatConfig(speed=0.0))
    assert (free.speed, free.frame_interval) == (None, pytest.approx(1 / 60))


def test_the_scene_is_served(viewer):
    response, body = get(viewer, "/scene", **{"Accept-Encoding": "gzip"})
    assert response.headers["Content-Encoding"] == "gzip"
    header, _ = unpack_payload(gzip.decompress(body))
    assert header["title"] == "cube/drop"
    assert get(viewer, "/scene")[1] == gzip.decompress(body)


def test_nothing_else_is_served(viewer):
    for path in ["/nothing", "/static/viewer.js", "/../../etc/passwd", "/scene/.."]:
        assert get(viewer, path)[0].status == 404


def test_pages_of_other_hosts_cannot_read_along(viewer):
    """A page that makes its own name mean 127.0.0.1 gets nothing."""
    port = viewer._server.port
    assert get(viewer, "/scene", Host=f"evil.example:{port}")[0].status == 404
    assert get(viewer, "/scene", Host=f"localhost:{port}")[0].status == 200


def test_pages_of_other_sites_cannot_open_the_socket(viewer):
    own = f"http://127.0.0.1:{viewer._server.port}"
    for origin, status in [("http://evil.example", b"403"), (own, b"101"), ("null", b"403")]:
        with socket.create_connection(("127.0.0.1", viewer._server.port), timeout=5) as link:
            link.sendall(handshake(viewer, f"Origin: {origin}"))
            assert link.recv(4096).startswith(b"HTTP/1.1 " + status)


def test_the_newest_frame_reaches_a_page_that_comes_late(viewer):
    viewer.show(frame(1.5))

    async def newest():
        async with ready(viewer) as page:
            return await asyncio.wait_for(page.read_message(), 10)

    assert np.frombuffer(asyncio.run(newest()), "<f8", 1)[0] == 1.5


def test_a_slow_page_gets_the_newest_frame_and_no_others(viewer):
    async def watch():
        async with ready(viewer) as page:
            for k in range(300):
                viewer.show(frame(float(k)))
                await asyncio.sleep(0.005)
            await asyncio.sleep(0.2)
            got = []
            for _ in range(2):  # what it was sent and did not take
                got.append(await asyncio.wait_for(page.read_message(), 10))
            with pytest.raises(TimeoutError):  # nothing was queued behind
                await asyncio.wait_for(page.read_message(), 0.3)
            await page.write_message('{"type": "shown"}')
            got.append(await asyncio.wait_for(page.read_message(), 10))
            return [np.frombuffer(data, "<f8", 1)[0] for data in got]

    times = asyncio.run(watch())
    assert times[1] < 250
    assert times[2] == 299


def test_frames_are_capped():
    visualizer = Meshcat(MeshcatConfig(frame_rate=20.0))
    visualizer.open(primitives())

    async def watch():
        async with ready(visualizer) as page:
            count, begin = 0, time.monotonic()
            while time.monotonic() < begin + 1.0 or count < 10:
                visualizer.show(frame(time.monotonic()))
                try:
                    await asyncio.wait_for(page.read_message(), 0.002)
                except TimeoutError:
                    continue
                count += 1
                await page.write_message('{"type": "shown"}')
            return count, time.monotonic() - begin

    try:
        count, seconds = asyncio.run(asyncio.wait_for(watch(), 60))
        assert count <= 20 * seconds + 2
    finally:
        visualizer.close()


def test_messages_that_make_no_sense_are_dropped_and_logged(viewer, caplog):
    async def babble():
        async with ready(viewer) as page:
            for message in ["hello", "{}", '{"type": "shown"}']:  # the last: no frame was sent
                await page.write_message(message)
            await page.write_message(b"\x00\xff", binary=True)
            await asyncio.to_thread(until, lambda: len(caplog.records) == 4)
            viewer.show(frame(2.0))
            return await asyncio.wait_for(page.read_message(), 10)

    with caplog.at_level(logging.WARNING):
        data = asyncio.run(babble())
    assert np.frombuffer(data, "<f8", 1)[0] == 2.0  # it is still served
    assert all("message dropped" in line.message for line in caplog.records)


def test_a_page_that_keeps_babbling_is_disconnected(viewer, caplog):
    async def babble():
        async with ready(viewer) as page:
            with contextlib.suppress(WebSocketClosedError):  # disconnected before the last of it
                for _ in range(50):
                    await page.write_message("nonsense")
            assert await asyncio.wait_for(page.read_message(), 10) is None
            return page.close_code

    with caplog.at_level(logging.WARNING):
        assert asyncio.run(babble()) == 1008
    assert len(caplog.records) < 60


def test_a_message_too_long_ends_the_connection(viewer):
    async def shout():
        async with ready(viewer) as page:
            await page.write_message("x" * 100_000)
            assert await asyncio.wait_for(page.read_message(), 10) is None

    asyncio.run(shout())
    assert get(viewer, "/scene")[0].status == 200


def test_bytes_that_are_no_http_are_survived(viewer):
    for garbage in [b"\x00" * 1000, b"GET " + b"x" * 100_000, b"GET / HTTP/1.1\r\nA: b\r\n" * 2]:
        with socket.create_connection(("127.0.0.1", viewer._server.port), timeout=5) as link:
            link.sendall(garbage)
    broken_frame = b"\xff" * 64
    with socket.create_connection(("127.0.0.1", viewer._server.port), timeout=5) as link:
        link.sendall(handshake(viewer))
        link.recv(4096)
        link.sendall(broken_frame)
    assert get(viewer, "/scene")[0].status == 200


def test_a_page_that_stops_taking_frames_is_disconnected(caplog):
    site = Site.of(primitives(), View())
    server = Server(site, 0.01, patience=0.5)
    server.start()
    visualizer = Meshcat(MeshcatConfig())
    visualizer._server = server
    try:
        with socket.create_connection(("127.0.0.1", server.port), timeout=20) as link:
            link.sendall(handshake(visualizer))
            link.sendall(masked(json.dumps({"type": "ready", "scene": site.scene})))
            until(lambda: server.audience.somebody.is_set())
            with caplog.at_level(logging.WARNING):
                end = time.monotonic() + 10
                while server.audience.pages and time.monotonic() < end:
                    server.publish(bytes(1000))
                    time.sleep(0.01)
            # The goodbye: all there is to read are a few frames, not one every 10 ms.
            received = b""
            while data := link.recv(65536):
                received += data
        assert not server.audience.pages
        assert any("takes no frames" in line.message for line in caplog.records)
        assert len(received) < 5000
    finally:
        server.stop()


def test_showing_takes_microseconds(viewer):
    shown = frame()
    took = []
    for _ in range(500):
        start = time.perf_counter()
        viewer.show(shown)
        took.append(time.perf_counter() - start)
    assert np.percentile(took, 25) < 50e-6  # a quarter, because the machine may be busy


def test_showing_does_not_wait_for_the_server(viewer):
    """Even if the server's thread hangs."""
    with hanging(viewer):
        for k in range(1000):
            viewer.show(frame(float(k)))


def test_waiting_ends_when_a_page_is_ready():
    visualizer = Meshcat(MeshcatConfig(wait=True))
    visualizer.open(primitives())

    async def come_later():
        await asyncio.sleep(0.3)
        async with ready(visualizer):
            await asyncio.sleep(0.2)

    async def both():
        waiting = asyncio.create_task(asyncio.to_thread(visualizer.wait_until_open))
        await asyncio.sleep(0.1)
        assert not waiting.done()
        await come_later()
        await asyncio.wait_for(waiting, 10)

    try:
        asyncio.run(both())
    finally:
        visualizer.close()


def test_who_waits_for_a_page_says_so(capsys, monkeypatch):
    monkeypatch.setattr("footfall_meshcat.visualizer.LOOK", 0.01)
    visualizer = Meshcat(MeshcatConfig(wait=True))
    visualizer.open(primitives())
    waiting = threading.Thread(target=visualizer.wait_until_open, daemon=True)
    waiting.start()
    said = ""
    end = time.monotonic() + 20.0
    while "waiting" not in said and time.monotonic() < end:
        time.sleep(0.05)
        said += capsys.readouterr().err
    visualizer._server.audience.somebody.set()
    waiting.join(20)
    visualizer.close()
    assert f"waiting for a page: open {visualizer_url(said)}, or end with Ctrl-C\n" in said


def visualizer_url(said):
    """The address that the viewer printed at first."""
    return said.splitlines()[0].removeprefix("Viewer: ")


def test_nobody_waits_unless_asked_to(viewer):
    waiting = threading.Thread(target=viewer.wait_until_open, daemon=True)
    waiting.start()
    waiting.join(20)
    assert not waiting.is_alive()


def test_pages_are_told_when_the_run_is_over(viewer):
    async def last():
        async with ready(viewer) as page:
            viewer.show(frame(7.0))
            await asyncio.to_thread(viewer.close)
            messages = [await asyncio.wait_for(page.read_message(), 10) for _ in range(2)]
            return messages, page.close_code

    (data, end), code = asyncio.run(last())
    assert np.frombuffer(data, "<f8", 1)[0] == 7.0  # the last frame is not lost
    assert (end, code) == (None, 1001)


SCRIPT = """
from footfall_meshcat.visualizer import Meshcat, MeshcatConfig
from tests.plugins.meshcat_client import get, handshake, masked, ready, socket_url, until
from tests.scene_graphs import frame, primitives
from tornado.websocket import WebSocketClosedError
viewer = Meshcat(MeshcatConfig())
viewer.open(primitives())
viewer.show(frame())
print("staying", flush=True)
viewer.wait_until_closed()
viewer.close()
print("closed")
"""


def test_the_viewer_stays_until_an_interrupt():
    root = Path(__file__).parents[2]
    command = [sys.executable, "-W", "error", "-c", SCRIPT]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with subprocess.Popen(command, cwd=root, **pipes) as process:
        url = process.stderr.readline().split()[-1]
        assert process.stdout.readline() == "staying\n"
        time.sleep(1.0)
        assert process.poll() is None
        with urllib.request.urlopen(url.replace("?", "scene?"), timeout=60) as response:
            assert response.status == 200
        out, err = interrupt(process, 60.0)
    assert (process.returncode, out, err) == (0, "closed\n", "")
