"""Signals of a live run: those that its users watch, and the events that they count."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from footfall.api.advanced import Variable
from footfall.api.plugin import Floats, SimulationError, nearest

if TYPE_CHECKING:
    from footfall_stepper.api import StepperSimulator


MOST = 32
"""Largest number of signals watched at the same time."""
_NAME = re.compile(r"(\w+)((?:\[[^\]]*\])*)(?:\.(\w+))?")


class Watched:
    """A reader of chosen entries of the row of each step.

    Attributes:
        names: the requested names.
    """

    def __init__(
        self, names: Sequence[str], sim: StepperSimulator, labels: Mapping[str, Sequence[str]]
    ) -> None:
        """Find the entries.

        Args:
            names: ``NAME``, ``NAME[3]``, ``NAME[label]``, ``NAME[label,z]`` or ``NAME[3].z``;
                ``NAME[*]``: every entry.
            sim: simulator that writes the row.
            labels: names along the recording's dimensions.

        Raises:
            SimulationError: if an entry does not exist, or there are too many names.
        """
        if len(names) > MOST:
            raise SimulationError(f"watch: {len(names)} signals; at most {MOST}")
        self.names = tuple(names)
        self._at = np.array([k for name in names for k in _entries(name, sim, labels)], np.int64)

    def values(self, row: Floats) -> Floats:
        """Return the values of a row, one per name, and one per entry for ``NAME[*]``."""
        return row[self._at]


def _entries(
    text: str, sim: StepperSimulator, labels: Mapping[str, Sequence[str]]
) -> Sequence[int]:
    """Return the indices in the row of a name's values."""
    variables = {variable.name: variable for variable in sim.layout.variables}
    match = _NAME.fullmatch(text)
    if match is None or match[1] not in variables:
        name = match[1] if match else text
        raise SimulationError(f"watch: no signal {name!r}{nearest(name, variables)}")
    variable = variables[match[1]]
    parts = [part.strip() for part in re.findall(r"\[([^\]]*)\]", match[2])]
    parts = [piece.strip() for part in parts for piece in part.split(",")]
    if match[3]:
        parts.append(match[3])
    start: int = sim.layout.slice_of(variable.name).start
    if parts == ["*"]:
        return range(start, start + variable.width)
    return (start + _place(text, variable, parts, labels),)


def _place(
    text: str, variable: Variable, parts: Sequence[str], labels: Mapping[str, Sequence[str]]
) -> int:
    """Return the index of the entry within its variable."""
    if len(parts) == 1 and len(variable.shape) > 1:
        return _index(text, parts[0], (), variable.width)
    if len(parts) != len(variable.shape):
        if not parts and variable.width == 1:
            return 0
        dims = ", ".join(variable.dims)
        raise SimulationError(
            f"watch {text!r}: {variable.name} has {variable.width} entries along {dims}: "
            f"choose one, e.g. {variable.name}[0]"
        )
    place = 0
    for part, dim, size in zip(parts, variable.dims, variable.shape, strict=True):
        place = place * size + _index(text, part, labels.get(dim, ()), size)
    return place


def _index(text: str, part: str, labels: Sequence[str], size: int) -> int:
    if part in labels:
        return list(labels).index(part)
    if part.isdecimal() and int(part) < size:
        return int(part)
    offer = nearest(part, labels) if labels else ""
    raise SimulationError(f"watch {text!r}: no entry {part!r}{offer} among {size}")


COUNTS = ("impacts", "solver_failures", "unresolved_splits", "restitution_cuts")
"""Signals that count events of a step."""
NEAR = 0.05
"""Steps with the same signal closer together than this form one event, [s]."""
KEPT = 32
"""Number of events kept (the newest), [-]: every status contains them."""

Event = tuple[str, float, float, int]
"""Name of the counting signal, or ``push on LINK``; start and end, [s]; count."""


class Events:
    """Collector of events from the rows of a run; a step without events takes 0.5 microseconds."""

    def __init__(self, sim: StepperSimulator) -> None:
        self._seen: deque[list[str | float | int]] = deque(maxlen=KEPT)
        self._last: dict[str, list[str | float | int]] = {}
        self.follow(sim)

    def follow(self, sim: StepperSimulator, *, anew: bool = False) -> None:
        """Continue with another simulator; ``anew``: forget earlier events."""
        if anew:
            self._seen.clear()
            self._last.clear()
        variables = {variable.name for variable in sim.layout.variables}
        names = [name for name in COUNTS if name in variables]
        self._columns = [(name, sim.layout.slice_of(name).start) for name in names]
        self._time = sim.layout.slice_of("time").start
        self._pushes = sim.participants.pushes

    def see(self, row: Floats) -> None:
        """Record the events in the row of a step."""
        for name, column in self._columns:
            if row[column] > 0.0:
                self._count(name, float(row[self._time]), int(row[column]))

    def _count(self, name: str, time: float, count: int) -> None:
        last = self._last.get(name)
        if last is not None and time - float(last[2]) <= NEAR:
            last[2:] = time, int(last[3]) + count
        else:
            self._last[name] = [name, time, time, count]
            self._seen.append(self._last[name])

    def until(self, time: float) -> tuple[Event, ...]:
        """Return the newest events, and the pushes that began before a time [s]."""
        pushes = [
            (f"push on {push.name.split('/')[-1]}", push.start, push.start + push.duration, 1)
            for push in self._pushes
            if push.start <= time
        ]
        seen = [(str(name), float(a), float(b), int(n)) for name, a, b, n in self._seen]
        return (*pushes[:KEPT], *seen)
