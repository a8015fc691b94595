"""The header of a saved state, and resuming from one."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from footfall.errors import SimulationError
from footfall.scene.fingerprint import difference
from footfall.scene.resolved import check_stored
from footfall_stepper.world.state import State, load_state

if TYPE_CHECKING:
    from footfall_stepper.simulation.simulator import StepperSimulator


Header = dict[str, Any]


def read_state(path: Path) -> tuple[State, Header]:
    """Read a state and its header; validate the scenes in it.

    Raises:
        SimulationError: if it cannot be read, or is damaged.
        SceneError: if a scene in it is damaged.
    """
    state, header = load_state(path)
    for key in ("resolved", "origin"):
        if header.get(key):
            check_stored(header[key], str(path))
    return state, header


def resume(sim: StepperSimulator, path: Path) -> None:
    """Continue a simulator from a saved state; see ``Simulator.resume``."""
    state, header = read_state(path)
    there = header.get("resolved")
    if there and sim.provenance.resolved:
        if header.get("origin") and difference(there, sim.provenance.resolved):
            raise SimulationError(
                f"{path} was saved after objects came or went or settings were tuned: "
                f"use footfall.restore({str(path)!r})"
            )
        refuse_other(path, there, sim.provenance.resolved)
    believe(sim, state, path)


def believe(sim: StepperSimulator, state: State, path: Path) -> None:
    """Check a saved state and take over its values.

    Raises:
        SimulationError: if it does not fit, or holds what it may not.
    """
    try:
        sim.state.check(state)
    except SimulationError as error:
        raise SimulationError(f"{path}: {error}") from error
    sim.state.restore(state)


def header_of(sim: StepperSimulator) -> Header:
    """Return the origin of a simulator, for a saved state."""
    provenance = sim.provenance
    header: Header = {"resolved": provenance.resolved}
    if provenance.origin is not None:
        tuned = [[one.time, one.path, one.old, one.new] for one in provenance.tuned]
        header |= {"origin": provenance.origin, "tuned": tuned}
    return header


def refuse_other(path: Path, there: Any, here: Any) -> None:
    """Reject a saved state whose scene, version or robot file differs from ``here``."""
    differs = difference(there, here)
    if differs:
        raise SimulationError(f"{path} is of another scene or version: {differs}")
