"""Messages of the server to a page: texts of one JSON object, and frames of bytes.

``docs/reference/viewer-messages.md`` lists them, and what pages say.
"""

from __future__ import annotations

import json
import time
from typing import Any

import numpy as np
import numpy.typing as npt

from footfall.api.visualizer import Frame, SceneGraph

HEADER = 4
"""Numbers of float64 before the values of a frame."""
HAND = 12
"""Values of the hand in a frame."""


def hello(scene: str, you: int) -> str:
    """Return the first message: the identity of the scene, and the number of the page."""
    return _text("hello", {"scene": scene, "you": you})


def scene_changed(scene: str) -> str:
    """Return the message that there is another scene to load."""
    return _text("scene", {"scene": scene})


def pong(serial: int) -> str:
    """Return the answer to a ping."""
    return _text("pong", {"serial": serial})


def _text(kind: str, fields: dict[str, Any]) -> str:
    return json.dumps({"type": kind, **fields}, allow_nan=False, separators=(",", ":"))


class FramePacker:
    """Packs frames of one scene: a header of float64, then values of float32; little-endian.

    Simulated time [s], wall clock [s], serial of the newest hand move that has acted, number of
    the list of watched signals; then poses, n_links times 7; centre of mass, 3; contact
    positions, n_contacts times 3; contact forces, n_contacts times 3; hand, 12 (where the hand is,
    the point it holds, force, moment; NaN: none); values of the watched signals, to the end.
    """

    def __init__(self, graph: SceneGraph) -> None:
        self._graph = graph
        self._values = 0
        self._lay_out()

    def _lay_out(self) -> None:
        """Make the buffer and its parts, with room for as many watched values as there are."""
        links, contacts = self._graph.n_links, self._graph.n_contacts
        widths = [2 * HEADER, 7 * links, 3, 3 * contacts, 3 * contacts, HAND, self._values]
        ends = np.cumsum(widths)
        self._buffer: npt.NDArray[np.float32] = np.zeros(ends[-1], "<f4")
        parts = [self._buffer[end - width : end] for end, width in zip(ends, widths, strict=True)]
        self._header = parts[0].view("<f8")
        self._poses = parts[1].reshape(links, 7)
        self._com = parts[2]
        self._position = parts[3].reshape(contacts, 3)
        self._force = parts[4].reshape(contacts, 3)
        self._hand, self._watched = parts[5], parts[6]

    def pack(self, frame: Frame, watch: int = 0) -> bytes:
        """Return the message of a frame; copies everything. Too large a number becomes infinite.

        Args:
            frame: to show.
            watch: number of the list of watched signals.
        """
        if len(frame.values) != self._values:
            self._values = len(frame.values)
            self._lay_out()
        self._header[:] = frame.time, time.perf_counter(), frame.serial, watch
        with np.errstate(over="ignore"):
            self._poses[:] = frame.poses
            self._com[:] = frame.com
            self._position[:] = frame.contact_position
            self._force[:] = frame.contact_force
            self._hand[:] = frame.hand
            self._watched[:] = frame.values
        return self._buffer.tobytes()
