"""Everything that must survive a restore, in one value: saving it is copying one vector."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from footfall.errors import SimulationError

Floats = npt.NDArray[np.float64]
FORMAT = 1


@dataclass(frozen=True, slots=True)
class Part:
    """A named part of the state.

    Attributes:
        name: unique, e.g. ``q``, ``contact.deformation``.
        shape: of the array.
        kind: ``continuous`` if it is integrated with the robot, ``discrete`` otherwise.
    """

    name: str
    shape: tuple[int, ...]
    kind: str = "discrete"


class State:
    """The simulation's state: one float64 vector, seen through named views.

    The views never move, so that kernels can hold them; restoring copies values in.
    """

    __slots__ = ("_views", "parts", "vector")

    def __init__(self, parts: tuple[Part, ...]) -> None:
        self.parts = parts
        self.vector: Floats = np.zeros(sum(int(np.prod(part.shape)) for part in parts))
        self._views: dict[str, Floats] = {}
        at = 0
        for part in parts:
            size = int(np.prod(part.shape))
            self._views[part.name] = self.vector[at : at + size].reshape(part.shape)
            at += size

    def __getitem__(self, name: str) -> Floats:
        return self._views[name]

    def __contains__(self, name: str) -> bool:
        return name in self._views

    def copy(self) -> State:
        """Return an independent copy."""
        other = State(self.parts)
        other.vector[:] = self.vector
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
        self.vector[:] = other.vector

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
        "parts": [[part.name, list(part.shape), part.kind] for part in state.parts],
        **metadata,
    }
    try:
        with path.open("wb") as file:
            np.savez(file, vector=state.vector, header=np.array(json.dumps(header)))
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
    except FileNotFoundError as error:
        raise SimulationError(f"no such state file: {path}") from error
    except (OSError, ValueError, KeyError, zipfile.BadZipFile, EOFError) as error:
        raise SimulationError(f"{path} is not a saved Footfall state") from error
    if header.get("footfall_state") != FORMAT:
        raise SimulationError(
            f"{path} has state format {header.get('footfall_state')}, this version reads {FORMAT}"
        )
    state = State(tuple(Part(name, tuple(shape), kind) for name, shape, kind in header["parts"]))
    if vector.shape != state.vector.shape:
        raise SimulationError(f"{path} is damaged: its vector does not fit its parts")
    state.vector[:] = vector
    return state, header
