"""What a page does, as far as the viewer's server can tell: requests, socket, frames of bytes."""

import asyncio
import http.client
import json
import os
import struct
import time
from contextlib import asynccontextmanager

from tornado.websocket import websocket_connect


def get(viewer, path, **headers):
    connection = http.client.HTTPConnection("127.0.0.1", viewer._server.port, timeout=20)
    connection.request("GET", path, headers=headers)
    response = connection.getresponse()
    body = response.read()
    connection.close()
    return response, body


def socket_url(viewer):
    return viewer.url.replace("http", "ws") + "socket"


@asynccontextmanager
async def ready(viewer):
    """A connection as a page has it, up to being ready for frames."""
    page = await websocket_connect(socket_url(viewer))
    try:
        scene = json.loads(await page.read_message())["scene"]
        await page.write_message(json.dumps({"type": "ready", "scene": scene}))
        await asyncio.to_thread(until, viewer._server.audience.somebody.is_set)
        yield page
    finally:
        page.close()
        while page.close_code is None and await page.read_message() is not None:
            pass


def handshake(viewer, *headers):
    lines = [
        "GET /socket HTTP/1.1",
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


def until(condition, seconds=20.0):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.01)
