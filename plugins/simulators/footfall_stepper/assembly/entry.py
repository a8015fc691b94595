"""Simulators of saved states, and of copies and pickles."""

from __future__ import annotations

import copy
import copyreg
from dataclasses import replace
from pathlib import Path
from typing import Any

from footfall.config.toml import parse_key
from footfall.errors import SimulationError
from footfall.registry.discover import discover
from footfall.registry.registry import Registry
from footfall.scene.scene import Scene
from footfall.simulator.role import assemble
from footfall.simulator.run_record import Tuned
from footfall.typing import Floats
from footfall_stepper.simulation.restore import Header, believe, header_of, read_state, refuse_other
from footfall_stepper.simulation.simulator import StepperSimulator, stepped
from footfall_stepper.world.state import State


def restore(
    path: Path, registry: Registry, scene: Scene | None, *, trust: bool
) -> StepperSimulator:
    """Make the simulator again that a state was saved from; see ``footfall.restore``."""
    if scene is None:
        return _restored(path, registry, {"visualizer": {"plugin": "none"}}, trust)
    _, header = read_state(path)
    if not header.get("origin"):  # no object or setting changed: use the scene itself
        sim = stepped(assemble(scene, registry))
        sim.resume(path)
        return sim
    from footfall.scene.resolved import named_functions, resolved

    here = resolved(scene, header["origin"].get("robots"))
    without = set(here["scene"]["simulation"]) - set(header["origin"]["scene"]["simulation"])
    for key in without:
        del here["scene"]["simulation"][key]
    refuse_other(path, header["origin"], here)
    hands = _tuned_hands(here["scene"].get("hands", {}), header)
    tables = {"visualizer": here["scene"]["visualizer"], "hands": hands}
    known = set(named_functions(here["scene"]))
    trust = trust or known >= set(named_functions(header["resolved"]["scene"]))
    sim = _restored(path, registry, tables, trust)
    sim.provenance = replace(sim.provenance, duration=scene.simulation.duration)
    return sim


def _tuned_hands(hands: Header, header: Header) -> Header:
    """Return the tables of a scene's hands, with the settings tuned before a state was saved.

    Hands driven by a user may have changed; their settings are those of the scene.
    """
    found = copy.deepcopy(hands)
    for _, path, _, value in header.get("tuned", ()):
        key = parse_key(path)
        if key[0] == "hands" and key[1] in found:
            found[key[1]][key[2]] = value
    return found


def _restored(
    path: Path, registry: Registry, tables: Header, trust: bool, copied: Any = None
) -> StepperSimulator:
    """Build the simulator of a state saved at a path, or of a copy and its header."""
    from footfall.scene.resolved import stored_scene

    state, header = copied or read_state(path)
    there = header.get("resolved")
    if not there:
        raise SimulationError(f"{path} holds no scene: its simulator was composed of objects")
    there = copy.deepcopy(there)
    scene = stored_scene(there, registry, trust=trust, **tables)
    sim = stepped(assemble(scene, registry, tell_deep=False))
    refuse_other(path, there, sim.provenance.resolved)
    tuned = tuple(Tuned(*one) for one in header.get("tuned", ()))
    sim.provenance = replace(sim.provenance, origin=header.get("origin"), tuned=tuned)
    believe(sim, state, path)
    return sim


def _reduced(sim: StepperSimulator) -> tuple[Any, ...]:
    """Return the recipe for ``copy`` and ``pickle``: a simulator's scene and its state.

    Raises:
        SimulationError: if it has no scene.
    """
    if not sim.provenance.resolved:
        raise SimulationError(
            "a simulator composed of objects cannot be copied: copy its state (sim.state.copy()) "
            "and compose another"
        )
    state = sim.state
    return _again, (header_of(sim), state.parts, state.room, state.vector, state.grown)


def _again(
    header: Header, parts: Any, room: int, vector: Floats, grown: Floats
) -> StepperSimulator:
    state = State(parts, room)
    state.assign(vector, grown)
    tables = {"visualizer": {"plugin": "none"}}
    return _restored(Path("the copy"), discover(), tables, trust=True, copied=(state, header))


copyreg.pickle(StepperSimulator, _reduced)
