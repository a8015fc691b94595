"""Events: the instants at which a contact touches, leaves, begins to slip or to stick."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from footfall.interfaces.integrator import InnerStep
from footfall.recording.layout import RaggedTable, Variable
from footfall.recording.variables import STATUS_FLAGS
from footfall.typing import Floats
from footfall_stepper.stepping.state_rates import WorldRates

LOOKS = (0.25, 0.5, 0.75, 1.0)
"""Positions, relative to its length, at which a step is checked for mode changes within it."""
EVENTS = RaggedTable(
    "events",
    (
        Variable("time", units="s", long_name="time of the event"),
        Variable("contact", dtype="int64", long_name="contact point, by its place along contact"),
        Variable(
            "from", dtype="int8", long_name="status of the contact before", attributes=STATUS_FLAGS
        ),
        Variable(
            "to", dtype="int8", long_name="status of the contact after", attributes=STATUS_FLAGS
        ),
    ),
)
"""The event table of a recording."""


class Event(NamedTuple):
    """A contact that changes its mode.

    Attributes:
        time: [s].
        contact: index of the contact candidate.
        before: 0 open, 1 stick, 2 slip.
        after: likewise.
    """

    time: float
    contact: int
    before: int
    after: int


def events_between(time: float, before: Floats, after: Floats) -> list[Event]:
    """Return the events that change the modes of all candidates to others."""
    return [
        Event(time, int(c), int(before[c]), int(after[c])) for c in np.flatnonzero(before != after)
    ]


def located(rates: WorldRates, now: float, step: InnerStep, tolerance: float) -> float | None:
    """Return an instant just after the first change of mode in a step, or None.

    Bisection on the step's interpolation; the modes before the interval equal the reference, those
    at the returned instant do not. A mode that comes and goes between two checks is not seen.
    """
    low, high = now, None
    for part in LOOKS if rates.other else LOOKS[-1:]:
        time = step.time if part == 1.0 else now + part * (step.time - now)
        x = step.x if part == 1.0 else step.interpolate(time)
        if rates.changes(time, x):
            high = time
            break
        low = time
    if high is None:
        return None
    while high - low > tolerance:
        middle = 0.5 * (low + high)
        if not low < middle < high:
            break
        if rates.changes(middle, step.interpolate(middle)):
            high = middle
        else:
            low = middle
    return high
