"""The network device, over real sockets: what clients say, and what they may do wrong."""

import asyncio
import contextlib
import json
import logging
import socket
import struct
import threading
import time
from urllib.parse import urlsplit

import numpy as np
import pytest
from tests.cases import first
from tests.plugins.meshcat_client import fragment, masked, until
from tornado.httpclient import HTTPClientError
from tornado.websocket import websocket_connect

import footfall
from footfall.errors import PluginError
from footfall.listening import LEAVING, MOST
from footfall_hands.devices.network import Network, NetworkConfig

HERE = {"position": [0.1, 0.2, 0.3], "button": True}
HANDSHAKE = (
    "GET /?token={token} HTTP/1.1\r\nHost: {host}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n{more}\r\n"
)


@contextlib.contextmanager
def listening(**config):
    device = Network(NetworkConfig(port=0, **config))
    device.open()
    try:
        yield device
    finally:
        device.close()


def server_of(device):
    address = urlsplit(device.url)
    return "127.0.0.1", address.port


def handshake(device, token=None, more=""):
    """Return the request that opens a connection, with the device's token if none is given."""
    address = urlsplit(device.url)
    token = address.query.removeprefix("token=") if token is None else token
    return HANDSHAKE.format(host=address.netloc, token=token, more=more)


def talk(device, *messages, then=None, url=None):
    """Connect, send, wait until the device has read, and return what ``then`` returns."""

    async def talking():
        client = await websocket_connect(url or device.url)
        try:
            for message in messages:
                text = message if isinstance(message, str | bytes) else json.dumps(message)
                await client.write_message(text, binary=isinstance(text, bytes))
            return await then(client) if then else None
        finally:
            client.close()
            while client.close_code is None and await client.read_message() is not None:
                pass

    return asyncio.run(talking())


async def settled(ready):
    """Wait until something is so."""
    await asyncio.to_thread(until, ready)


def test_silent_connections_do_not_keep_a_device_out():
    with listening() as device, contextlib.ExitStack() as held:
        here = urlsplit(device.url)
        for _ in range(3 * (MOST + LEAVING)):
            held.enter_context(socket.create_connection((here.hostname, here.port), timeout=20))

        async def look(client):
            await settled(lambda: device.read(0.0) is not None)
            return device.read(0.0)

        assert talk(device, HERE, then=look).position.tolist() == HERE["position"]


def test_a_client_moves_the_hand_and_the_newest_message_wins():
    async def look(client):
        await settled(lambda: device.read(0.0) and device.read(0.0).position[0] == 0.9)
        return device.read(0.0)

    turned = {"rotation": [0.0, 0.0, np.sin(0.25), np.cos(0.25)], "velocity": [1, 0, 0]}
    last = {**HERE, **turned, "position": [0.9, 0, 1], "force": [0, 0, 2], "link": "cube/cube"}
    with listening() as device:
        assert device.read(0.0) is None
        reading = talk(device, HERE, {**HERE, "button": False}, last, then=look)
    assert reading.holds
    assert reading.link == "cube/cube"
    np.testing.assert_allclose(reading.rotation[:2, 0], [np.cos(0.5), np.sin(0.5)])
    np.testing.assert_array_equal(reading.velocity, [1.0, 0.0, 0.0])
    np.testing.assert_array_equal(reading.force, [0.0, 0.0, 2.0])


def test_the_devices_own_space_lies_where_the_settings_say():
    async def exchange(client):
        await settled(lambda: device.read(0.0))
        reading = device.read(0.0)
        device.feel(0.5, np.array([0.0, 7.0, 0.0]), np.zeros(3))
        return reading, json.loads(await client.read_message())

    space = {"origin": (1.0, 0.0, 0.0), "orientation": (0.0, 0.0, np.pi / 2), "scale": 2.0}
    with listening(**space) as device:
        reading, felt = talk(device, {**HERE, "force": [3.0, 0.0, 0.0]}, then=exchange)
    np.testing.assert_allclose(reading.position, [1.0 - 0.4, 0.2, 0.6], atol=1e-12)
    np.testing.assert_allclose(reading.force, [0.0, 3.0, 0.0], atol=1e-12)
    assert felt == {"time": 0.5, "force": [7.0, 0.0, 0.0], "moment": [0.0, 0.0, 0.0]}


def test_feedback_comes_no_faster_than_the_rate_and_the_newest_of_it():
    async def count(client):
        await settled(lambda: device.read(0.0))
        start, said, k = time.monotonic(), [], 0
        while time.monotonic() - start < 1.0:
            device.feel(float(k), np.full(3, float(k)), np.zeros(3))
            k += 1
            await asyncio.sleep(0.001)
        end = time.monotonic() - start
        device.line.felt = None
        try:
            while True:
                message = await asyncio.wait_for(client.read_message(), 0.3)
                said.append(json.loads(message)["time"])
        except TimeoutError:
            return said, end

    with listening(feedback_rate=50.0) as device:
        said, seconds = talk(device, HERE, then=count)
    assert 5 <= len(said) <= 50 * seconds + 2
    assert said == sorted(set(said))


BAD = [
    "{",
    "[1, 2]",
    '{"position": [0, 0, NaN], "button": true}',
    '{"position": [0, 0, Infinity], "button": true}',
    '{"position": [0, 0, 1e999], "button": true}',
    '{"position": [0, 0, %s], "button": true}' % ("9" * 400),
    '{"position": [0, 0], "button": true}',
    '{"position": [0, 0, true], "button": true}',
    '{"position": "here", "button": true}',
    '{"position": null, "button": true}',
    '{"position": [0, 0, 0]}',
    '{"position": [0, 0, 0], "button": 1}',
    '{"position": [0, 0, 0], "button": true, "speed": 3}',
    '{"position": [0, 0, 0], "button": true, "rotation": [0, 0, 0, 0]}',
    '{"position": [0, 0, 0], "button": true, "mode": "poke"}',
    '{"position": [0, 0, 0], "button": true, "link": ["x"]}',
    '{"position": [0, 0, 0], "button": true, "link": "a\\nb"}',
    '{"position": [0, 0, 0], "button": true, "link": "%s"}' % ("x" * 300),
    "[" * 4000,
    '{"a":' * 600,
    "x" * 5000,
    b"\x00\x01\x02",
]


@pytest.mark.parametrize("bad", BAD, ids=lambda bad: repr(bad[:40]))
def test_a_bad_message_is_dropped_and_logged_and_the_hand_stays(caplog, bad):
    async def wait(client):
        await settled(lambda: "dropped" in caplog.text)
        return device.read(0.0)

    with listening() as device:
        reading = talk(device, HERE, bad, then=wait)
        assert reading.holds
        np.testing.assert_array_equal(reading.position, HERE["position"])
    dropped = [r for r in caplog.records if "message dropped" in r.getMessage()]
    assert len(dropped) == 1
    assert "\n" not in dropped[0].getMessage()
    assert len(dropped[0].getMessage()) < 300


def test_ten_bad_messages_and_an_oversized_one_end_the_connection(caplog):
    async def closed(client):
        while await client.read_message() is not None:
            pass
        return client.close_code

    with listening() as device:
        assert talk(device, HERE, *["{"] * 10, then=closed) == 1008
        until(lambda: device.read(0.0) is None)
        assert talk(device, HERE, "x" * 100_000, then=closed) in (1006, 1009)
        until(lambda: device.read(0.0) is None)
        talk(device, HERE, then=lambda client: settled(lambda: device.read(0.0)))
    assert "while its hand holds" in caplog.text


def test_a_second_client_is_refused_while_the_first_is_there():
    async def second(first):
        await settled(lambda: device.read(0.0))
        client = await websocket_connect(device.url)
        assert await client.read_message() is None
        client.close()
        assert device.read(0.0).holds
        return client.close_code

    with listening() as device:
        assert talk(device, HERE, then=second) == 1013
        until(lambda: device.read(0.0) is None)
        talk(device, HERE, then=lambda client: settled(lambda: device.read(0.0)))


def test_a_client_that_falls_silent_lets_go(caplog):
    async def wait(client):
        await settled(lambda: device.read(0.0))
        await settled(lambda: device.read(0.0) is None)
        await client.write_message(json.dumps(HERE))
        await settled(lambda: device.read(0.0))

    with listening(silence=0.2) as device:
        talk(device, HERE, then=wait)
    assert "silent for 0.2 s" in caplog.text


def test_a_client_that_stops_reading_is_disconnected(caplog):
    with listening(patience=0.5, silence=0.0) as device:
        _, port = server_of(device)
        deaf = socket.create_connection(("127.0.0.1", port))
        request = handshake(device)
        deaf.sendall(request.encode() + masked(json.dumps(HERE)))
        until(lambda: device.read(0.0))
        for k in range(200):
            device.feel(float(k), np.ones(3), np.zeros(3))
            time.sleep(0.01)
            if device.read(0.0) is None:
                break
        until(lambda: device.read(0.0) is None)
        assert "does not read" in caplog.text
        deaf.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        deaf.close()
        talk(device, HERE, then=lambda client: settled(lambda: device.read(0.0)))


FLOODS = {
    "good messages": masked(json.dumps(HERE)),
    "empty messages": masked(""),
    "empty fragments": fragment(""),
    "pings": struct.pack("!BB", 0x89, 0x80) + bytes(4),
}


@pytest.mark.parametrize("flood", first(*FLOODS))
def test_a_flood_ends_the_connection_and_others_may_come(caplog, flood):
    with listening() as device:
        _, port = server_of(device)
        link = socket.create_connection(("127.0.0.1", port), timeout=20)
        request = handshake(device)
        begin = time.monotonic()
        with link:
            link.sendall(request.encode() + masked(json.dumps(HERE)))
            until(lambda: device.read(0.0))
            if flood == "empty fragments":
                link.sendall(fragment("{", 1))
            try:
                while time.monotonic() < begin + 20:
                    link.sendall(FLOODS[flood] * 1000)
            except OSError:
                pass
        assert time.monotonic() - begin < 4
        until(lambda: device.read(0.0) is None)
        talk(device, HERE, then=lambda client: settled(lambda: device.read(0.0)))
    assert len(caplog.records) < 20


@pytest.mark.parametrize("wrong", ["", "0" * 32, "%FF", "%00"])
def test_nobody_gets_in_without_the_token(wrong):
    """A page of another host that a browser shows here does not know it."""
    with listening() as device, socket.create_connection(server_of(device), timeout=10) as page:
        page.sendall(handshake(device, wrong, "Origin: http://evil.example\r\n").encode())
        assert page.recv(4096).split()[1] in (b"400", b"403")


def test_whoever_guesses_tokens_has_to_wait():
    with listening() as device:
        began = time.monotonic()
        for _ in range(24):
            with socket.create_connection(server_of(device), timeout=10) as page:
                page.sendall(handshake(device, "0" * 32).encode())
                assert b" 403 " in page.recv(4096).split(b"\r\n")[0]
        assert time.monotonic() - began > 1.0


def test_a_token_is_needed_and_may_be_chosen(capsys):
    with listening(host="0.0.0.0") as device:
        url = device.url.replace("0.0.0.0", "127.0.0.1")
        assert "?token=" in capsys.readouterr().err
        for wrong in (url.split("?")[0], url[:-1], url + "x"):
            with pytest.raises(HTTPClientError, match="403"):
                talk(device, url=wrong)
        talk(device, HERE, url=url, then=lambda client: settled(lambda: device.read(0.0)))
    with listening(token="0123456789abcdef") as device:
        assert device.url.endswith("?token=0123456789abcdef")


@pytest.mark.parametrize("host", ["no.such.host.invalid", "203.0.113.7"])
def test_an_address_that_is_not_this_machines_is_refused(host):
    with pytest.raises(PluginError, match="cannot be used"):
        Network(NetworkConfig(host=host, port=0)).open()


def test_a_port_in_use_is_refused():
    with listening() as device:
        _, port = server_of(device)
        with pytest.raises(PluginError, match=f"port {port} of 127.0.0.1 cannot be used"):
            Network(NetworkConfig(port=port)).open()


def test_a_client_lifts_a_cube_and_feels_its_weight():
    hand = {"device.plugin": "network", "device.port": 0, "stiffness": 400.0}
    hand["device.silence"] = 0.0  # on a busy machine the client may have to wait for its turn
    sim = footfall.load("cube/drop", {f"hands.arm.{key}": value for key, value in hand.items()})
    sim.hands.open()
    done = threading.Event()

    def step():
        while not done.is_set():
            sim.step()
            time.sleep(0.0005)

    async def lift(client):
        said = {"position": [0.0, 0.0, 0.5], "button": True, "link": "cube", "point": [0, 0, 0]}
        felt = {"time": 0.0}
        while felt["time"] < 1.2:  # simulated: by then it hangs still
            await client.write_message(json.dumps(said))
            with contextlib.suppress(TimeoutError):  # nothing is felt while it has let go
                felt = json.loads(await asyncio.wait_for(client.read_message(), 0.05))
            await asyncio.sleep(0.01)
        return felt["force"]

    thread = threading.Thread(target=step)
    thread.start()
    try:
        force = talk(sim.hands["arm"].device, then=lift)
        until(lambda: sim.hands["arm"].status.held is None)  # it has disconnected while it held
    finally:
        done.set()
        thread.join()
        sim.hands.close()
    assert force[2] == pytest.approx(-9.81 * sim.world.mass, rel=0.05)


def test_the_log_is_quiet_where_nothing_is_wrong(caplog):
    caplog.set_level(logging.WARNING)
    with listening() as device:
        talk(device, {**HERE, "button": False}, then=lambda c: settled(lambda: device.read(0.0)))
        until(lambda: device.read(0.0) is None)
    assert not caplog.records
