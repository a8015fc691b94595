"""A real run comes out bit for bit the same, whatever clients send it."""

import contextlib
import json
import os
import socket
import threading
import time

import numpy as np
from tests.plugins.meshcat_client import handshake, masked

from footfall import load

DURATION = 1.5
NONSENSE = [
    "nonsense",
    "[" * 120,
    '{"type": "speed", "value": NaN}',
    '{"type": "move", "serial": 1, "position": [0, 0, 1e999]}',
    '{"type": "grab", "serial": 1, "position": [0, 0]}',
    '{"type": "tune", "path": "bodies.cube.friction", "value": "0"}',
    '{"type": "step", "n": 1e9}',
]


class Vandals(threading.Thread):
    """Comes again and again, each time with something else, until the run is over."""

    def __init__(self, viewer):
        super().__init__()
        self.viewer, self.over, self.visits = viewer, threading.Event(), 0

    def run(self):
        while not self.over.is_set():
            if self.viewer.url is None:
                time.sleep(0.01)
                continue
            with contextlib.suppress(OSError, AttributeError):  # disconnected, or over already
                self._visit()
                self.visits += 1

    def _visit(self):
        address = ("127.0.0.1", self.viewer._server.port)
        with socket.create_connection(address, timeout=5) as link:
            link.sendall(handshake(self.viewer))
            link.recv(4096)
            match self.visits % 3:
                case 0:
                    for _ in range(10):
                        for message in NONSENSE:
                            link.sendall(masked(message))
                case 1:
                    link.sendall(os.urandom(3000))
                case 2:
                    scene = self.viewer._server.audience.scene
                    link.sendall(masked(json.dumps({"type": "ready", "scene": scene})))
                    link.sendall(masked('{"type": "take"}') * 4000)  # and reads nothing
            time.sleep(0.02)


def test_a_run_comes_out_the_same_whatever_clients_send(capsys):
    quiet = load("cube/drop").run(DURATION)
    sim = load("cube/drop", {"visualizer.plugin": "meshcat", "visualizer.speed": 1.0})
    viewer = sim.participants.visualizer
    vandals = Vandals(viewer)
    vandals.start()
    try:
        disturbed = sim.run(DURATION)
    finally:
        vandals.over.set()
        vandals.join()
        viewer.close()
    assert vandals.visits > 5
    assert set(quiet) == set(disturbed)
    for name in quiet:
        assert np.array_equal(quiet[name].values, disturbed[name].values, equal_nan=True), name
