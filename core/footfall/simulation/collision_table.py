"""The table of detected contacts in a recording: as many rows a step as bodies touch."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from footfall.recording.layout import RaggedTable, Variable
from footfall.recording.variables import CONTACT_STATUS
from footfall.world.world import World

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
_STATUS = {"flag_values": [0, 1, 2], "flag_meanings": " ".join(CONTACT_STATUS)}
_AXIS = ("axis",), (3,)
COLLISIONS = RaggedTable(
    "collisions",
    (
        Variable("key", dtype="int64", long_name="identity of the contact: shapes and feature"),
        Variable("body_1", dtype="int64", long_name="body 1 by its place along body, -1: fixed"),
        Variable("body_2", dtype="int64", long_name="body 2 by its place along body"),
        Variable("position", *_AXIS, "m", "contact point at the start of the step, world frame"),
        Variable("normal", *_AXIS, "1", "from body 1 to body 2, world frame"),
        Variable("gap", units="m", long_name="distance at the start of the step"),
        Variable("force", *_AXIS, "N", "mean force on body 2 over the step, world frame"),
        Variable("status", dtype="int8", long_name="state of the contact", attributes=_STATUS),
    ),
)
"""Contacts that are closed or carried a force. In a step that is split at impacts, position, normal
and gap are those of the last part that found the contact."""


def collision_rows(world: World, keys: Ints, chosen: Ints) -> npt.NDArray[np.void]:
    """Return rows of the table for some detected contacts; ``force`` holds impulses, [N s].

    Args:
        world: whose arrays hold them.
        keys: of all detected contacts.
        chosen: places of those that are wanted.
    """
    detected, trees = world.detected, world.topology.link_tree
    rows = np.zeros(len(chosen), COLLISIONS.dtype)
    link = detected.link[chosen]
    rows["key"] = keys[chosen]
    rows["body_1"] = np.where(link[:, 0] < 0, -1, trees[link[:, 0]])
    rows["body_2"] = trees[link[:, 1]]
    for name in ("position", "normal", "gap", "status"):
        rows[name] = getattr(detected, name)[chosen]
    rows["force"] = _along_world(detected.normal[chosen], detected.impulse[chosen])
    return rows


def _along_world(normal: Floats, impulse: Floats) -> Floats:
    """Return vectors given in contact frames along the world's axes; see ``tangent_basis``."""
    x, y, z = normal.T
    sign = np.where(z >= 0.0, 1.0, -1.0)
    a = -1.0 / (sign + z)
    b = x * y * a
    first = np.column_stack([1.0 + sign * x * x * a, sign * b, -sign * x])
    second = np.column_stack([b, sign + y * y * a, -y])
    found: Floats = impulse[:, :1] * first + impulse[:, 1:2] * second + impulse[:, 2:] * normal
    return found
