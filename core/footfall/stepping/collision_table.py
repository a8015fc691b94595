"""The table of detected contacts in a recording: as many rows a step as bodies touch."""

from __future__ import annotations

from footfall.recording.layout import RaggedTable, Variable
from footfall.recording.variables import CONTACT_STATUS

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
