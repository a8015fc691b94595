"""Loopback unless told otherwise; everywhere only with the token, by the right name."""

import asyncio
import http.client
import logging
import re
import socket
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from pydantic import ValidationError
from tests.plugins.meshcat_client import get_plainly as get
from tests.plugins.meshcat_client import handshake, leave
from tests.scene_graphs import primitives
from tornado.httpclient import HTTPClientError
from tornado.websocket import websocket_connect

from footfall import load
from footfall.errors import PluginError, SceneError
from footfall_meshcat.server.address import Address
from footfall_meshcat.visualizer import Meshcat, MeshcatConfig

TOKEN = "Abcdefghijklmnop-_01"


@pytest.fixture
def serve(capsys):
    """Open viewers that are closed after the test."""
    viewers = []

    def open_viewer(**settings):
        viewer = Meshcat(MeshcatConfig(**settings))
        viewers.append(viewer)
        viewer.open(primitives())
        return viewer

    yield open_viewer
    for viewer in viewers:
        viewer.close()


def upgrade(viewer, *headers, path="/socket"):
    """Return the status of a handshake for the socket."""
    with socket.create_connection(("127.0.0.1", viewer._server.port), timeout=5) as link:
        link.sendall(handshake(viewer, *headers, path=path))
        return int(link.recv(4096).split()[1])


def cookie(viewer):
    """Return what a browser brings once it has opened the address that was printed."""
    response, _ = get(viewer, f"/?token={TOKEN}")
    assert (response.status, response.headers["Location"]) == (302, "/")
    value, *flags = response.headers["Set-Cookie"].split("; ")
    assert {"HttpOnly", "SameSite=Lax", "Path=/"} <= set(flags)
    return value


def test_this_machine_needs_the_token_too(serve):
    """Others may have accounts on it."""
    viewer = serve()
    assert re.fullmatch(r"http://127\.0\.0\.1:\d+/\?token=[A-Za-z0-9_-]{32}", viewer.url)
    assert get(viewer, "/")[0].status == 403


def test_a_second_run_is_shown_by_the_server_of_the_first(serve, capsys):
    viewer = serve()
    url = viewer.url
    viewer.open(primitives())
    assert viewer.url == url
    assert capsys.readouterr().err == f"Viewer: {url}\n"
    assert get(viewer, f"/scene?{url.partition('?')[2]}")[0].status == 200


def test_another_address_gets_a_token_of_its_own(serve, capsys):
    first, second = serve(host="0.0.0.0"), serve(host="0.0.0.0")
    tokens = [viewer.url.partition("?token=")[2] for viewer in (first, second)]
    assert all(re.fullmatch(r"[A-Za-z0-9_-]{32}", token) for token in tokens)
    assert tokens[0] != tokens[1]
    assert capsys.readouterr().err == f"Viewer: {first.url}\nViewer: {second.url}\n"
    for path in ["/", "/scene"]:
        assert get(first, path)[0].status == 403
        assert get(first, f"{path}?token={tokens[1]}")[0].status == 403
    assert get(first, f"/scene?token={tokens[0]}")[0].status == 200
    assert upgrade(first) == 403


def test_the_address_that_is_printed_opens_the_page_by_name(serve):
    viewer = serve(host="0.0.0.0", token=TOKEN)
    assert (
        viewer.url == f"http://{socket.gethostname().lower()}:{viewer._server.port}/?token={TOKEN}"
    )
    own = viewer.url.split("/")[2]
    response, _ = get(viewer, f"/?token={TOKEN}", Host=own)
    assert response.status == 302


def test_a_frame_of_a_notebook_on_this_machine_shows_the_page_with_the_token(serve):
    """It has no cookies, so its address keeps the token."""
    viewer = serve(token=TOKEN)
    page, _ = get(viewer, f"/?token={TOKEN}", **{"Sec-Fetch-Dest": "iframe"})
    assert page.status == 200
    frames = "frame-ancestors 'self' http://localhost:* http://127.0.0.1:* "
    assert frames in page.headers["Content-Security-Policy"]
    for path in ["/viewer.js", "/meshcat.js", "/viewer.css"]:  # the same for all scenes
        assert get(viewer, path)[0].status == 200
    for path, brought in (("/", cookie(viewer)), ("/?token=", "")):
        response, _ = get(viewer, path, Cookie=brought)
        assert response.headers["Content-Security-Policy"].endswith("frame-ancestors 'self'")


def test_the_token_opens_everything(serve):
    viewer = serve(token=TOKEN)
    brought = cookie(viewer)
    for path in ["/", "/scene", "/viewer.js", "/meshcat.js", "/viewer.css"]:
        assert get(viewer, path, Cookie=brought)[0].status == 200
    assert upgrade(viewer, f"Cookie: {brought}") == 101
    assert upgrade(viewer, path=f"/socket?token={TOKEN}") == 101


@pytest.mark.parametrize(
    "wrong",
    ["", TOKEN[:-1], TOKEN + "a", TOKEN.swapcase(), "%C3%A9", "%FF", "%00", TOKEN[:-1] + "%00"],
)
def test_a_wrong_token_opens_nothing(serve, wrong, caplog):
    viewer = serve(token=TOKEN)
    with caplog.at_level(logging.WARNING):
        assert get(viewer, f"/scene?token={wrong}")[0].status in (400, 403)
        assert upgrade(viewer, path=f"/socket?token={wrong}") in (400, 403)
        port = viewer._server.port
        assert get(viewer, "/", Cookie=f"footfall-{port}={wrong}")[0].status == 403
        assert upgrade(viewer, f"Cookie: footfall-{port}={wrong}") == 403
    assert any("lacks the token" in line.message for line in caplog.records)
    assert TOKEN not in caplog.text


def test_guessing_is_slow_and_does_not_fill_the_log(serve, caplog):
    viewer, began = serve(token=TOKEN), time.monotonic()

    def guess(number):
        return get(viewer, f"/?token={number:020d}")[0].status

    with caplog.at_level(logging.WARNING), ThreadPoolExecutor(20) as guessing:
        assert {*guessing.map(guess, range(60))} == {403}
    assert time.monotonic() - began > 0.9  # 40 of them wait for 0.5 s, 20 at a time
    assert len(caplog.records) < 40


def test_the_token_of_a_page_does_not_open_the_socket_to_other_sites(serve):
    """A browser may bring the cookie along; the origin tells who asks."""
    viewer = serve(token=TOKEN)
    brought = f"Cookie: {cookie(viewer)}"
    own = f"http://127.0.0.1:{viewer._server.port}"
    assert upgrade(viewer, brought, f"Origin: {own}") == 101
    for origin in ["http://evil.example", "null", f"http://127.0.0.1:{viewer._server.port + 1}"]:
        assert upgrade(viewer, brought, f"Origin: {origin}") == 403


def test_a_client_that_is_no_browser_brings_the_token_in_the_address(serve):
    viewer = serve(token=TOKEN)
    base = viewer.url.partition("?")[0].replace("http", "ws")

    async def connect():
        with pytest.raises(HTTPClientError, match="403"):
            await websocket_connect(f"{base}socket")
        page = await websocket_connect(f"{base}socket?token={TOKEN}")
        first = await page.read_message()
        await leave(page)
        return first

    assert '"type":"hello"' in asyncio.run(connect())


@pytest.mark.parametrize(
    ("host", "allowed", "refused"),
    [
        ("127.0.0.1", ["127.0.0.1", "localhost"], ["evil.example", "127.0.0.1.evil.example"]),
        ("0.0.0.0", ["127.0.0.1", "192.168.1.7", "localhost", "[::1]"], ["evil.example", "1.2.3"]),
        ("localhost", ["127.0.0.1", "localhost"], ["evil.example"]),
        ("127.0.0.2", ["127.0.0.2", "localhost"], ["192.168.1.7"]),
    ],
)
def test_the_server_answers_only_to_its_names(host, allowed, refused):
    names = re.compile(Address.of(host).names)
    assert all(names.fullmatch(name) for name in allowed)
    assert not any(names.fullmatch(name) for name in refused)


def test_other_names_are_answered_by_nothing(serve):
    viewer = serve(host="0.0.0.0", token=TOKEN)
    port = viewer._server.port
    asked = f"/scene?token={TOKEN}"
    assert get(viewer, asked, Host=f"evil.example:{port}")[0].status == 404
    assert get(viewer, asked, Host=f"10.1.2.3:{port}")[0].status == 200


def test_the_page_may_talk_to_its_own_server_alone(serve):
    viewer = serve(token=TOKEN)
    for host in [f"127.0.0.1:{viewer._server.port}", f"localhost:{viewer._server.port}"]:
        policy = get(viewer, f"/?token={TOKEN}", Host=host)[0].headers["Content-Security-Policy"]
        assert f"connect-src 'self' ws://{host};" in policy


@pytest.mark.skipif(not socket.has_ipv6, reason="needs IPv6")
def test_the_other_loopback_address_can_be_chosen(serve):
    try:
        viewer = serve(host="::1")
    except PluginError as error:
        pytest.skip(f"no IPv6 here: {error}")
    assert viewer.url.startswith(f"http://[::1]:{viewer._server.port}/?token=")
    connection = http.client.HTTPConnection("::1", viewer._server.port, timeout=5)
    connection.request("GET", "/scene?" + viewer.url.partition("?")[2])
    assert connection.getresponse().status == 200
    connection.close()


@pytest.mark.parametrize(
    "host", ["no.such.host.invalid", "256.1.1.1", "a b", "x" * 70 + ".invalid"]
)
def test_a_host_that_is_not_known_is_one_clear_line(host):
    with pytest.raises(
        PluginError, match=r'"meshcat": host .* is not known \(.*"0\.0\.0\.0"'
    ) as caught:
        Meshcat(MeshcatConfig(host=host)).open(primitives())
    assert "\n" not in str(caught.value)


def test_a_host_that_is_another_machine_is_one_clear_line():
    with pytest.raises(PluginError, match=r"port \d+ of 203\.0\.113\.7 cannot be used"):
        Meshcat(MeshcatConfig(host="203.0.113.7")).open(primitives())  # kept for documentation


@pytest.mark.parametrize("token", ["", "short", "x" * 129, "with spaces in between", "ä" * 20, 7])
def test_a_token_that_is_none_is_refused(token):
    with pytest.raises(ValidationError):
        MeshcatConfig(host="0.0.0.0", token=token)


def test_a_host_without_a_token_is_refused_where_it_is_written():
    settings = {"visualizer.plugin": "meshcat", "visualizer.host": "0.0.0.0"}
    with pytest.raises(SceneError, match=r"visualizer\.token.*16 to 128 letters"):
        load("cube/drop", {**settings, "visualizer.token": ""})
