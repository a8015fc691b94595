"""Messages of the server to a page: one JSON object as text, or a frame as bytes.

``docs/reference/viewer-messages.md`` lists them, and the messages of pages.
"""

from __future__ import annotations

import json
import time
from typing import Any

import numpy as np

from footfall.api.plugin import Floats
from footfall.api.viewer import Frame, SceneGraph

HAND = 12
"""Number of values of the hand in a frame."""
PAIR = 7
"""Number of values of a contact between bodies in a frame, beside its position and force."""


def hello(scene: str, you: int) -> str:
    """Return the first message: the identity of the scene, and the number of the page."""
    return _text("hello", {"scene": scene, "you": you})


def scene_changed(scene: str) -> str:
    """Return the message that another scene is to be loaded."""
    return _text("scene", {"scene": scene})


def pong(serial: int) -> str:
    """Return the answer to a ping."""
    return _text("pong", {"serial": serial})


def _text(kind: str, fields: dict[str, Any]) -> str:
    return json.dumps({"type": kind, **fields}, allow_nan=False, separators=(",", ":"))


class FramePacker:
    """A packer of frames of one scene: a float64 header, then float32 values; little-endian.

    The header has simulated time [s], wall clock [s], serial of the newest hand move that has
    acted, and number of the list of watched signals. Then come poses, n_links times 7; centre of
    mass, 3; number of contacts; position of each, 3; force of each, 3; ``Frame.between`` of each
    contact between bodies, 7; hand, 12 (position, held point, force, moment; NaN: none); values of
    the watched signals, to the end. Only existing contacts between bodies are sent.
    """

    def __init__(self, graph: SceneGraph) -> None:
        self._points = min(len(graph.points), graph.n_contacts)
        self._shapes = {
            "poses": (graph.n_links, 7),
            "com": (3,),
            "contact_position": (graph.n_contacts, 3),
            "contact_force": (graph.n_contacts, 3),
            "hand": (HAND,),
        }

    def pack(self, frame: Frame, watch: int = 0) -> bytes:
        """Return the message of a frame; copies all data. Too large numbers become infinite.

        Args:
            frame: frame to show.
            watch: number of the list of watched signals.

        Raises:
            ValueError: if the arrays do not have the scene's shapes.
        """
        for name, shape in self._shapes.items():
            if getattr(frame, name).shape != shape:
                given = getattr(frame, name).shape
                raise ValueError(f"{name} has shape {given}, the scene needs {shape}")
        between, n = self._between(frame), self._points
        end = n + len(between)
        header = np.array([frame.time, time.perf_counter(), frame.serial, watch], "<f8")
        contacts = [frame.contact_position[:end], frame.contact_force[:end], between]
        parts = [frame.poses, frame.com, np.array(end), *contacts, frame.hand, frame.values]
        with np.errstate(over="ignore"):
            values = np.concatenate([np.ravel(part) for part in parts]).astype("<f4")
        return header.tobytes() + values.tobytes()

    def _between(self, frame: Frame) -> Floats:
        """Return ``between`` of the contacts between bodies, up to the last existing one."""
        force = frame.contact_force[self._points :]
        known = np.zeros((len(force), PAIR))
        known[: len(frame.between)] = frame.between
        there = np.flatnonzero(known[:, :3].any(axis=1) | force.any(axis=1))
        return known[: there[-1] + 1 if len(there) else 0]
