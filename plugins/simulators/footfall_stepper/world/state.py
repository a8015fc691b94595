"""The state: all values needed for a restore, in one vector; saving it is copying it."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
import numpy.typing as npt
from pydantic import BaseModel, Field

from footfall.config.fields import OPEN_SCHEMA, NonNegativeInt
from footfall.config.validate import given, validate
from footfall.errors import SceneError, SimulationError, error_line
from footfall.jit.tables import read_only
from footfall.typing import Floats
from footfall.whole_file import whole_file
from footfall_stepper.world.step_arrays import StateArrays
from footfall_stepper.world.world import World

FORMAT = 3
"""Version of the state file format."""
LARGEST = 2**31
"""Largest size of the content of a state file, [byte]."""
NUMBERS = frozenset(
    {"tick", "q", "v", "impulse", "touching", "ledger", "joint_impulse", "nudot", "foot_wrench"}
    | {"quadratures", "detected_impulse", "detected_touching"}
)
"""Parts that always hold finite numbers; others may hold the bits of integers."""


@dataclass(frozen=True, slots=True)
class Part:
    """A named part of the state.

    Attributes:
        name: unique, e.g. ``q``, ``contact.deformation``.
        shape: of the array.
        kind: ``continuous`` if it is integrated with the robot, ``discrete`` otherwise.
        grows: whether it has one row per detected contact (including spare room).
    """

    name: str
    shape: tuple[int, ...]
    kind: str = "discrete"
    grows: bool = False


class State:
    """The simulation's state: one float64 vector, seen through named views.

    The views never move, so that kernels can hold them; restoring copies values in. Only parts that
    grow with the number of detected contacts are in a second vector, which moves when it needs
    more room. All but ``q`` and ``v`` is read-only, see ``own_parts``.

    Attributes:
        parts: its parts.
        vector: of all parts that do not grow, read-only.
        grown: of the parts that grow, read-only.
        room: rows that the growing parts have for detected contacts.
        moved: called after the room of the growing parts has changed.
    """

    __slots__ = ("_numbers", "_own", "_shown", "grown", "moved", "parts", "room", "vector")

    def __init__(self, parts: tuple[Part, ...], room: int = 0) -> None:
        self.parts = parts
        self._own: dict[str, Floats] = {}
        self._shown: dict[str, Floats] = {}
        self.moved: Callable[[], None] | None = None
        vector = self._allocate(tuple(part for part in parts if not part.grows))
        self._numbers, self.vector = (vector, vector), read_only(vector)
        self.reserve(room)

    def _allocate(self, parts: tuple[Part, ...]) -> Floats:
        vector: Floats = np.zeros(sum(int(np.prod(part.shape)) for part in parts))
        at = 0
        for part in parts:
            size = int(np.prod(part.shape))
            view = self._own[part.name] = vector[at : at + size].reshape(part.shape)
            self._shown[part.name] = view if part.name in ("q", "v") else read_only(view)
            at += size
        return vector

    def reserve(self, room: int) -> None:
        """Set the number of rows of the growing parts, larger or smaller than now."""
        growing = [part for part in self.parts if part.grows]
        old = {part.name: self._own.get(part.name) for part in growing}
        self.room = room
        grown = self._allocate(
            tuple(replace(p, shape=(p.shape[0] + room, *p.shape[1:])) for p in growing)
        )
        self._numbers, self.grown = (self._numbers[0], grown), read_only(grown)
        for name, values in old.items():
            if values is not None:
                kept = min(len(values), len(self._own[name]))
                self._own[name][:kept] = values[:kept]
        if self.moved is not None:
            self.moved()

    def __getitem__(self, name: str) -> Floats:
        return self._shown[name]

    def __contains__(self, name: str) -> bool:
        return name in self._own

    def copy(self) -> State:
        """Return an independent copy."""
        other = State(self.parts, self.room)
        other.assign(self.vector, self.grown)
        return other

    def assign(self, vector: Floats, grown: Floats | None = None) -> None:
        """Overwrite ``vector``, and ``grown`` if given, by numbers of a state with the same room.

        Raises:
            SimulationError: if number or keys of detected contacts are wrong; nothing changes.
        """
        new = vector, self.grown if grown is None else grown
        kept = [numbers.copy() for numbers in self._numbers]
        for mine, numbers in zip(self._numbers, new, strict=True):
            mine[:] = numbers
        if "detected" in self._own:
            try:
                _check_detected(self)
            except ValueError as error:
                self._numbers[0][:], self._numbers[1][:] = kept
                raise SimulationError(f"the state cannot be restored: {error}") from error

    def restore(self, other: State) -> None:
        """Take over the values of a state with the same parts.

        Raises:
            SimulationError: if the parts differ, or as ``assign``.
        """
        if other.parts != self.parts:
            mine, theirs = set(self.parts), set(other.parts)
            names = sorted(part.name for part in mine ^ theirs)
            raise SimulationError(f"the state does not fit this simulation: differs in {names}")
        if other.room != self.room:
            self.reserve(other.room)
        self.assign(other.vector, other.grown)

    @property
    def tick(self) -> int:
        """Number of steps done."""
        return int(self._own["tick"][0])


def own_parts(state: State) -> Mapping[str, Floats]:
    """Return the parts of a state for those who may write to them: kernels keep their addresses."""
    return state._own


def own_numbers(state: State) -> tuple[Floats, Floats]:
    """Return ``vector`` and ``grown`` of a state, likewise."""
    return state._numbers


def save_state(path: Path, state: State, metadata: Mapping[str, Any], *, overwrite: bool) -> None:
    """Write a state with its metadata (scene hash, versions) to one file, completely or not at all.

    Raises:
        SimulationError: if the path exists and ``overwrite`` is not set, or cannot be written; an
            existing file stays.
    """
    if path.exists() and not overwrite:
        raise SimulationError(f"{path} exists; set overwrite to replace it")
    header = {
        "footfall_state": FORMAT,
        "parts": [[p.name, list(p.shape), p.kind, p.grows] for p in state.parts],
        "room": state.room,
        **metadata,
    }
    text = json.dumps(header)
    held = {"vector": state.vector, "grown": state.grown, "header": np.array(text)}
    try:
        with whole_file(path) as file:
            np.savez(file, allow_pickle=False, **held, digest=_digest(held))
    except OSError as error:
        kept = "; the existing file is kept" if path.exists() else ""
        raise SimulationError(f"cannot write {path}: {error.strerror or error}{kept}") from error


class _Header(BaseModel):
    """The description of a state file's numbers. Its scene data are read when a scene is built."""

    model_config = OPEN_SCHEMA
    footfall_state: int
    parts: list[tuple[str, list[NonNegativeInt], Literal["continuous", "discrete"], bool]]
    room: Annotated[NonNegativeInt, Field(le=10_000_000)]
    resolved: dict[str, Any]
    origin: dict[str, Any] | None = None
    tuned: list[tuple[float, str, float, float]] = []


def load_state(path: Path) -> tuple[State, dict[str, Any]]:
    """Read a state and its metadata, and check them.

    Files of format 2 have no digest of their content; they are read without this check.

    Raises:
        SimulationError: if the file is missing, not a saved state, of another format or damaged;
            names the damage.
    """
    try:
        # Opened here: NumPy does not close a file with a truncated archive.
        with path.open("rb") as file, np.load(file, allow_pickle=False) as data:
            if sum(member.file_size for member in data.zip.infolist()) > LARGEST:
                raise ValueError(f"it holds more than {LARGEST:.0e} bytes")
            held = {"grown": np.zeros(0), **data}
        header = json.loads(str(held["header"]))
        if header["footfall_state"] not in (2, FORMAT):
            found = given(header["footfall_state"])
            raise ValueError(f"has state format {found}, this version reads 2 to {FORMAT}")
        return _believed(held, validate(_Header, header, file=None, lines={})), header
    except FileNotFoundError as error:
        raise SimulationError(f"no such state file: {path}") from error
    except Exception as error:  # readers of a damaged archive raise whatever they come to
        why = error if isinstance(error, SceneError | ValueError) else error_line(error)
        why = "it is not an archive of arrays" if "pickle" in str(why) else why  # from NumPy
        told = f"{path} is not a saved Footfall state, or damaged: {why}"
        raise SimulationError(told) from error


def _believed(held: Mapping[str, Any], header: _Header) -> State:
    """Return the state held by a file's arrays.

    Raises:
        ValueError: if they were changed, do not fit the header, or are inconsistent.
    """
    if header.footfall_state == FORMAT and str(held["digest"]) != str(_digest(held)):
        raise ValueError("its content has changed since it was saved (SHA-256 differs)")
    parts = [Part(name, tuple(shape), kind, grows) for name, shape, kind, grows in header.parts]
    sizes = {"vector": 0, "grown": 0}
    for _, shape, _, grows in header.parts:
        rows = [shape[0] + header.room, *shape[1:]] if grows else shape
        sizes["grown" if grows else "vector"] += math.prod(rows)
    for name, size in sizes.items():
        if held[name].dtype != float or held[name].shape != (size,):
            raise ValueError(
                f"{name} holds {held[name].dtype} of shape {held[name].shape}, its parts are {size}"
            )
    state = State(tuple(parts), header.room)
    state._numbers[0][:], state._numbers[1][:] = held["vector"], held["grown"]
    for part in parts:
        if part.name in NUMBERS and not np.isfinite(state[part.name]).all():
            raise ValueError(f"{part.name} is not finite")
    if not (0 <= state.tick == state["tick"][0] < 2**53):
        raise ValueError(f"tick is {state['tick'][0]:g}")
    if set(DETECTED) <= set(parts):
        _check_detected(state)
    return state


def _check_detected(state: State) -> None:
    """Check number and keys of detected contacts: kernels use them as they are.

    Raises:
        ValueError: if there is no room for so many, or the keys are not ascending.
    """
    n, keys = int(state["detected"].view(np.int64)[0]), state["detected_key"].view(np.int64)
    if not 0 <= n <= state.room:
        raise ValueError(f"it has {n} detected contacts, and room for {state.room}")
    if (keys[1:n] <= keys[: max(0, n - 1)]).any():
        raise ValueError("the keys of its detected contacts are not unique and ascending")


def _digest(held: Mapping[str, Any]) -> npt.NDArray[np.str_]:
    """Return the SHA-256 of header and numbers, in hexadecimal digits."""
    content = [str(held["header"]).encode(), held["vector"].tobytes(), held["grown"].tobytes()]
    return np.array(hashlib.sha256(b"".join(content)).hexdigest())


DETECTED = [
    Part("detected", (1,)),
    Part("detected_key", (0,), grows=True),
    Part("detected_impulse", (0, 3), grows=True),
    Part("detected_touching", (0,), grows=True),
]
"""Parts of worlds with collision detection: the number of contacts, and their data.

Number and keys are integers: the state holds their bits. Rows are in the order of the keys;
unused rows are zero.
"""


def state_arrays(state: State) -> StateArrays:
    """Return the views; those of detected contacts move when the state gets more room."""
    always = [name for name in StateArrays._fields if not name.startswith("detected")]
    views: list[Any] = [own_parts(state)[name] for name in always]
    if "detected" in state:
        views += [own_parts(state)["detected"].view(np.int64), own_parts(state)["detected_impulse"]]
        views.append(own_parts(state)["detected_touching"])
    else:
        views += [np.zeros(1, np.int64), np.zeros((0, 3)), np.zeros(0)]
    return StateArrays(*views)


def note_touching(state: State, world: World, touch: float) -> None:
    """Store which points and contacts are closed, with a gap of at most ``touch`` [m]."""
    own_parts(state)["touching"][:] = world.candidates.gap <= touch
    if "detected" in state:
        n = int(state["detected"].view(np.int64)[0])
        own_parts(state)["detected_touching"][:n] = world.detected.gap[:n] <= touch
