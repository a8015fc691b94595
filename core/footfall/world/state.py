"""The state: everything that must survive a restore, in one vector; saving it is copying it."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from footfall.errors import SimulationError
from footfall.typing import Floats
from footfall.world.arrays import StateArrays
from footfall.world.world import World

FORMAT = 2


@dataclass(frozen=True, slots=True)
class Part:
    """A named part of the state.

    Attributes:
        name: unique, e.g. ``q``, ``contact.deformation``.
        shape: of the array.
        kind: ``continuous`` if it is integrated with the robot, ``discrete`` otherwise.
        grows: whether it has a row more for each detected contact that there is room for.
    """

    name: str
    shape: tuple[int, ...]
    kind: str = "discrete"
    grows: bool = False


class State:
    """The simulation's state: one float64 vector, seen through named views.

    The views never move, so that kernels can hold them; restoring copies values in. Only parts that
    grow with the number of detected contacts are in a second vector, which moves when it needs
    more room.

    Attributes:
        parts: what it consists of.
        vector: of all parts but those that grow.
        grown: of those that grow.
        room: rows that these have for detected contacts.
    """

    __slots__ = ("_views", "grown", "parts", "room", "vector")

    def __init__(self, parts: tuple[Part, ...], room: int = 0) -> None:
        self.parts = parts
        self._views: dict[str, Floats] = {}
        self.vector = self._allocate(tuple(part for part in parts if not part.grows))
        self.reserve(room)

    def _allocate(self, parts: tuple[Part, ...]) -> Floats:
        vector: Floats = np.zeros(sum(int(np.prod(part.shape)) for part in parts))
        at = 0
        for part in parts:
            size = int(np.prod(part.shape))
            self._views[part.name] = vector[at : at + size].reshape(part.shape)
            at += size
        return vector

    def reserve(self, room: int) -> None:
        """Give the parts that grow room for so many detected contacts, more or fewer than now."""
        growing = [part for part in self.parts if part.grows]
        old = {part.name: self._views.get(part.name) for part in growing}
        self.room = room
        self.grown = self._allocate(
            tuple(replace(p, shape=(p.shape[0] + room, *p.shape[1:])) for p in growing)
        )
        for name, values in old.items():
            if values is not None:
                kept = min(len(values), len(self._views[name]))
                self._views[name][:kept] = values[:kept]

    def __getitem__(self, name: str) -> Floats:
        return self._views[name]

    def __contains__(self, name: str) -> bool:
        return name in self._views

    def copy(self) -> State:
        """Return an independent copy."""
        other = State(self.parts, self.room)
        other.vector[:], other.grown[:] = self.vector, self.grown
        return other

    def restore(self, other: State) -> None:
        """Take over the values of a state with the same parts.

        Raises:
            SimulationError: if the parts differ.
        """
        if other.parts != self.parts:
            mine, theirs = set(self.parts), set(other.parts)
            names = sorted(part.name for part in mine ^ theirs)
            raise SimulationError(f"the state does not fit this simulation: differs in {names}")
        if other.room != self.room:
            self.reserve(other.room)
        self.vector[:], self.grown[:] = other.vector, other.grown

    @property
    def tick(self) -> int:
        """Number of steps done."""
        return int(self["tick"][0])


def save_state(path: Path, state: State, metadata: Mapping[str, Any], *, overwrite: bool) -> None:
    """Write a state with its metadata (scene hash, versions) to one file.

    Raises:
        SimulationError: if the path exists and ``overwrite`` is not set, or cannot be written.
    """
    if path.exists() and not overwrite:
        raise SimulationError(f"{path} exists; use overwrite to replace it")
    header = {
        "footfall_state": FORMAT,
        "parts": [[p.name, list(p.shape), p.kind, p.grows] for p in state.parts],
        "room": state.room,
        **metadata,
    }
    try:
        with path.open("wb") as file:
            text = np.array(json.dumps(header))
            np.savez(file, vector=state.vector, grown=state.grown, header=text)
    except OSError as error:
        raise SimulationError(f"cannot write {path}: {error.strerror or error}") from error


def load_state(path: Path) -> tuple[State, dict[str, Any]]:
    """Read a state and its metadata.

    Raises:
        SimulationError: if the file is missing, not a saved state, or of another format.
    """
    try:
        # Opened here: NumPy leaves a file open that ends in the middle of its archive.
        with path.open("rb") as file, np.load(file, allow_pickle=False) as data:
            header = json.loads(str(data["header"]))
            vector = np.asarray(data["vector"], float)
            grown = np.asarray(data["grown"], float) if "grown" in data else np.zeros(0)
    except FileNotFoundError as error:
        raise SimulationError(f"no such state file: {path}") from error
    except (OSError, ValueError, KeyError, zipfile.BadZipFile, EOFError) as error:
        raise SimulationError(f"{path} is not a saved Footfall state") from error
    if header.get("footfall_state") != FORMAT:
        raise SimulationError(
            f"{path} has state format {header.get('footfall_state')}, this version reads {FORMAT}"
        )
    parts = [(name, tuple(shape), *rest) for name, shape, *rest in header["parts"]]
    state = State(tuple(Part(*part) for part in parts), header["room"])
    if vector.shape != state.vector.shape or grown.shape != state.grown.shape:
        raise SimulationError(f"{path} is damaged: its vector does not fit its parts")
    state.vector[:], state.grown[:] = vector, grown
    return state, header


DETECTED = [
    Part("detected", (1,)),
    Part("detected_key", (0,), grows=True),
    Part("detected_impulse", (0, 3), grows=True),
    Part("detected_touching", (0,), grows=True),
]
"""Parts of worlds with collision detection: how many contacts there are, and what is known of each.

Number and keys are integers: the state holds their bits. Rows are in the order of the keys; those
of contacts that there is only room for are zero.
"""


def state_arrays(state: State) -> StateArrays:
    """Return the views; those of detected contacts move when the state gets more room."""
    detects = "detected" in state
    return StateArrays(
        state["q"],
        state["v"],
        state["impulse"],
        state["touching"],
        state["ledger"],
        state["joint_impulse"],
        state["nudot"],
        state["foot_wrench"],
        state["detected"].view(np.int64) if detects else np.zeros(1, np.int64),
        state["detected_impulse"] if detects else np.zeros((0, 3)),
        state["detected_touching"] if detects else np.zeros(0),
    )


def note_touching(state: State, world: World, touch: float) -> None:
    """Note which points and contacts are closed, with a gap of at most ``touch`` [m]."""
    state["touching"][:] = world.candidates.gap <= touch
    if "detected" in state:
        n = int(state["detected"].view(np.int64)[0])
        state["detected_touching"][:n] = world.detected.gap[:n] <= touch
