"""A recorded run with a page and a network device, and clients that try to starve it.

``python -m tests.plugins.attacked_run FOLDER FILES SECONDS`` is the run: it prints its two
addresses, and at the end a hash of what it recorded, its steps and its peak memory, [MB].
"""

import contextlib
import hashlib
import http.client
import resource
import socket
import sys
import threading
import time
from urllib.parse import urlsplit

from tests.plugins.meshcat_client import masked

SETTINGS = {
    "visualizer.plugin": "meshcat",
    "visualizer.speed": 1.0,
    "visualizer.wait": False,
    "visualizer.open_browser": False,
    "hands.arm.device.plugin": "network",
    "hands.arm.device.port": 0,
}


def record(folder, files, seconds):
    """Record the run with at most so many files, and print the result."""
    import footfall

    resource.setrlimit(resource.RLIMIT_NOFILE, (files, files))
    sim = footfall.load("cube/drop", SETTINGS if seconds > 0.0 else {})
    report = sim.record(abs(seconds), f"{folder}/run.zarr", overwrite=True)
    run = footfall.open_run(f"{folder}/run.zarr")
    told = hashlib.sha256()
    for name in ("time", "q", "v", "tau", "com"):
        told.update(run[name].values.tobytes())
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(told.hexdigest(), report.steps, run.sizes["time"], run.attrs["complete"], peak)


class Attack(threading.Thread):
    """Holds connections to a server, and sends what is given on each, piece by piece.

    Args:
        address: of the server.
        count: connections.
        piece: text that a connection sends at the time of its call, given how many it has sent.
        again: whether a connection that has ended is made anew.
    """

    def __init__(self, address, count, piece, *, again=True):
        super().__init__(daemon=True)
        self.address, self.count, self.piece, self.again = address, count, piece, again
        self.over, self.made, self.sent, self.held = threading.Event(), 0, 0, []

    def run(self):
        with contextlib.ExitStack() as all_of_them:
            while not self.over.wait(0.002):
                self._renew(all_of_them)
                for link in self.held:
                    self._send(link)

    def _renew(self, all_of_them):
        for _ in range(100):
            if len(self.held) >= self.count or self.over.is_set():
                return
            with contextlib.suppress(OSError):
                link = Link(self.address, timeout=0.5)
                all_of_them.callback(link.close)
                self.held.append(link)
                self.made += 1

    def _send(self, link):
        piece = self.piece(link.sent)
        if not piece:
            return
        try:
            link.socket.send(piece)
            link.sent, self.sent = link.sent + 1, self.sent + 1
        except BlockingIOError:  # the server does not read
            pass
        except OSError:
            if self.again:
                link.close()
                self.held.remove(link)


class Link:
    """A connection of an attack, which reads nothing."""

    def __init__(self, address, timeout):
        self.socket, self.sent = socket.create_connection(address, timeout=timeout), 0
        self.socket.setblocking(False)

    def close(self):
        self.socket.close()


LEAST = 80
"""Connections that every attack makes at least."""
REQUEST = "GET {} HTTP/1.1\r\nHost: {}:{}\r\n"
UPGRADE = "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"


def silent(address, count=5000):
    """Connections that say nothing."""
    return Attack(address, count, lambda sent: b"", again=False)


def slow(address, count=80):
    """Requests that come a byte at a time."""
    began, text = time.monotonic(), (REQUEST.format("/", *address) + "X: " + "y" * 999).encode()
    return Attack(
        address,
        count,
        lambda sent: text[sent : sent + 1] if sent < time.monotonic() - began else b"",
    )


def floods(address, count=40, path="/nowhere"):
    """Requests without a token as fast as they are taken, whose answers are not read."""
    text = (REQUEST.format(path, *address) + "\r\n").encode() * 20
    return Attack(address, count, lambda sent: text)


def headers(address, count=40):
    """Requests whose headers do not end."""
    first, more = REQUEST.format("/", *address).encode(), b"X: " + b"y" * 30_000 + b"\r\n"
    return Attack(address, count, lambda sent: more if sent else first)


def bodies(address, count=40):
    """Requests with a body that is announced as endless."""
    first = (REQUEST.format("/", *address) + "Content-Length: 99999999999\r\n\r\n").encode()
    return Attack(address, count, lambda sent: b"y" * 30_000 if sent else first)


def half_open(address, count=100):
    """Handshakes without a token, then messages."""
    first = REQUEST.format("/socket", *address) + UPGRADE
    first += "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
    return Attack(
        address, count, lambda sent: masked('{"type": "take"}') if sent else first.encode()
    )


ATTACKS = (silent, slow, floods, headers, bodies, half_open)


def seconds_to_get_in(url, path, over=lambda: False, longest=60.0):
    """Return how long a user with the token waits for an answer, trying again at once, [s].

    Returns:
        None if the run was over before.
    """
    place, began = urlsplit(url), time.monotonic()
    while time.monotonic() - began < longest:
        if over():
            return None
        with contextlib.suppress(OSError, http.client.HTTPException):
            link = http.client.HTTPConnection("127.0.0.1", place.port, timeout=longest)
            with contextlib.closing(link):
                link.request("GET", f"{path}?{place.query}")
                response = link.getresponse()
                response.read()
                if response.status in (200, 400):  # 400: a device's is a WebSocket only
                    return time.monotonic() - began
    raise AssertionError(f"nobody gets in within {longest:g} s")


if __name__ == "__main__":
    record(sys.argv[1], int(sys.argv[2]), float(sys.argv[3]))
