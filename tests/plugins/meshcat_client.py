"""What a page does, as far as the viewer's server can tell: requests, socket, frames of bytes."""

import asyncio
import http.client
import json
import os
import struct
import threading
import time
from contextlib import asynccontextmanager, contextmanager
from dataclasses import replace

from tornado.websocket import websocket_connect


def token(viewer):
    """The end of the printed address: ``?token=...``."""
    return "?" + viewer.url.partition("?")[2]


def get(viewer, path, **headers):
    """Ask for a file with the token."""
    return get_plainly(viewer, path + token(viewer), **headers)


def get_plainly(viewer, path, **headers):
    connection = http.client.HTTPConnection("127.0.0.1", viewer._server.port, timeout=20)
    connection.request("GET", path, headers=headers)
    response = connection.getresponse()
    body = response.read()
    connection.close()
    return response, body


def socket_url(viewer):
    return viewer.url.replace("http", "ws").replace("?", "socket?")


@asynccontextmanager
async def ready(viewer):
    """A connection as a page has it, up to being ready for frames."""
    page = await websocket_connect(socket_url(viewer))
    page.protocol.set_nodelay(True)  # as browsers do
    try:
        scene = json.loads(await page.read_message())["scene"]
        await page.write_message(json.dumps({"type": "ready", "scene": scene}))
        await asyncio.to_thread(until, viewer._server.audience.somebody.is_set)
        yield page
    finally:
        await leave(page)


async def leave(page):
    """Close a connection and wait until it is."""
    page.close()
    while page.close_code is None and await page.read_message() is not None:
        pass


def handshake(viewer, *headers, path=None):
    lines = [
        f"GET {path or '/socket' + token(viewer)} HTTP/1.1",
        f"Host: 127.0.0.1:{viewer._server.port}",
        "Upgrade: websocket",
        "Connection: Upgrade",
        "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==",
        "Sec-WebSocket-Version: 13",
        *headers,
    ]
    return ("\r\n".join(lines) + "\r\n\r\n").encode()


def masked(text):
    mask = os.urandom(4)
    data = bytes(byte ^ mask[k % 4] for k, byte in enumerate(text.encode()))
    return struct.pack("!BB", 0x81, 0x80 | len(data)) + mask + data


def fragment(text, opcode=0, *, last=False):
    """A frame of a message; opcode 1 begins one, 0 goes on with it."""
    data = text.encode()
    return struct.pack("!BB", opcode | (0x80 if last else 0), 0x80 | len(data)) + bytes(4) + data


def until(condition, seconds=20.0):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.01)


@contextmanager
def hanging(viewer):
    """Keep the thread of a viewer's server from doing anything while the context lasts."""
    hangs, over = threading.Event(), threading.Event()
    went_on = []

    def hang():
        hangs.set()
        went_on.append(not over.wait(60.0))

    viewer._server._loop.call_soon_threadsafe(hang)
    assert hangs.wait(60.0)
    yield
    over.set()
    until(lambda: went_on)
    assert went_on == [False], "it waited for the server"


async def say(page, kind, /, **content):
    await page.write_message(json.dumps({"type": kind, **content}))


async def heard(page, kind, seconds=10.0, **expected):
    """Return the next text of that type with those fields; whatever comes before is taken."""
    end = time.monotonic() + seconds
    while True:
        message = await asyncio.wait_for(page.read_message(), end - time.monotonic())
        assert message is not None, "disconnected"
        if isinstance(message, bytes):
            await say(page, "shown")
            continue
        told = json.loads(message)
        if told["type"] == kind and expected.items() <= told.items():
            return told


class FakeRun:
    """Does to a visualizer what a live run does, once a millisecond, in a thread of its own.

    Attributes:
        commands: all that were asked so far.
        gaps: times between one round and the next, [s].
    """

    def __init__(self, viewer, shown):
        self.viewer, self.shown = viewer, shown
        self.commands, self.gaps = [], []
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run)

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *error):
        self._over.set()
        self._thread.join()

    def asked(self, kind):
        """Return the commands of that kind so far."""
        return [command for command in self.commands if isinstance(command, kind)]

    def _run(self):
        last, serial = time.perf_counter(), 0
        while not self._over.wait(0.001):
            for command in self.viewer.commands():
                self.commands.append(command)
                serial = getattr(command, "serial", serial)
            now = time.perf_counter()
            self.gaps.append(now - last)
            self.viewer.show(replace(self.shown, time=now, serial=serial))
            last = now
