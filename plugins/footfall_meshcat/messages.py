"""What the server and a page say to each other over the socket."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from footfall.roles.visualizer import Frame, SceneGraph

MAX_MESSAGE = 1024
"""Longest message that a page may send, [byte]."""


@dataclass(frozen=True, slots=True)
class Ready:
    """A page has built the scene of that identity and wants frames."""

    scene: str


@dataclass(frozen=True, slots=True)
class Shown:
    """A page has taken a frame."""


def parse(message: str | bytes) -> Ready | Shown:
    """Return what a page says.

    Raises:
        ValueError: if it is not one of the two messages; the text says why, without quoting it.
    """
    if not isinstance(message, str):
        raise ValueError("binary message")
    try:
        content = json.loads(message)
    except (ValueError, RecursionError) as error:
        raise ValueError("not JSON") from error
    match content:
        case {"type": "ready", "scene": str(scene), **rest} if not rest:
            return Ready(scene)
        case {"type": "shown", **rest} if not rest:
            return Shown()
    raise ValueError("neither 'ready' nor 'shown'")


def hello(scene: str) -> str:
    """Return the server's first message: the identity of the scene."""
    return json.dumps({"scene": scene})


class FramePacker:
    """Packs frames of one scene: a header, then float32 values; little-endian.

    Simulated time and wall clock, float64, [s]; poses, n_links times 7; centre of mass, 3; contact
    positions, n_contacts times 3; contact forces, n_contacts times 3.
    """

    def __init__(self, graph: SceneGraph) -> None:
        widths = [4, 7 * graph.n_links, 3, 3 * graph.n_contacts, 3 * graph.n_contacts]
        ends = np.cumsum(widths)
        self._buffer: npt.NDArray[np.float32] = np.zeros(ends[-1], "<f4")
        parts = [self._buffer[end - width : end] for end, width in zip(ends, widths, strict=True)]
        self._clock = parts[0].view("<f8")
        self._poses = parts[1].reshape(graph.n_links, 7)
        self._com = parts[2]
        self._position = parts[3].reshape(graph.n_contacts, 3)
        self._force = parts[4].reshape(graph.n_contacts, 3)

    def pack(self, frame: Frame) -> bytes:
        """Return the message of a frame; copies everything. Too large a number becomes infinite."""
        self._clock[0], self._clock[1] = frame.time, time.perf_counter()
        with np.errstate(over="ignore"):
            self._poses[:] = frame.poses
            self._com[:] = frame.com
            self._position[:] = frame.contact_position
            self._force[:] = frame.contact_force
        return self._buffer.tobytes()
