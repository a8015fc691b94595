"""Entry points: build a simulator from a scene's name or a saved state in one call."""

from __future__ import annotations

import copy
import copyreg
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from footfall.assembly.assemble import assemble
from footfall.config.toml import Where, parse_key
from footfall.config.validate import given, plain
from footfall.errors import SceneError, SimulationError
from footfall.registry.discover import discover
from footfall.scene.load import load_scene
from footfall.simulation.composition import Tuned
from footfall.simulation.restore import Header, header_of, read_state, refuse_other
from footfall.simulation.simulator import Simulator
from footfall.typing import Floats
from footfall.whole_file import path_of
from footfall.world.state import State

if TYPE_CHECKING:
    from footfall.registry.registry import Registry
    from footfall.scene.scene import Scene


def restore(
    path: str | Path,
    registry: Registry | None = None,
    scene: Scene | None = None,
    *,
    trust: bool = False,
) -> Simulator:
    """Rebuild the simulator of a saved state, and continue from there, bit for bit.

    The file holds the scene, with the objects added while it ran and the tuned settings.

    Args:
        path: a file written by ``Simulator.save`` or ``footfall run --save``.
        registry: the plugins to choose from; by default those that are installed.
        scene: the scene of the state; its viewer, duration and hands are used. By default there is
            no viewer: that of the saved scene is left out.
        trust: whether functions named in the file (``module:function``) may be imported, which
            runs code. Functions also named in ``scene`` need no trust.

    Raises:
        SceneError: if it names functions and is not trusted; lists them.
        SimulationError: if the file is not a saved state, holds no scene, or belongs to another
            scene than the given one; or if the installed versions or the robots' files have
            changed since; names the differences.
        FootfallError: if the scene can no longer be assembled; names the cause.
    """
    path, registry = path_of(path), registry if registry is not None else discover()
    if scene is None:
        return _restored(path, registry, {"visualizer": {"plugin": "none"}}, trust)
    _, header = read_state(path)
    if not header.get("origin"):  # no object or setting changed: use the scene itself
        sim = assemble(scene, registry)
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
) -> Simulator:
    """Build the simulator of a state saved at a path, or of a copy and its header."""
    from footfall.scene.resolved import stored_scene

    state, header = copied or read_state(path)
    there = header.get("resolved")
    if not there:
        raise SimulationError(f"{path} holds no scene: its simulator was composed of objects")
    there = copy.deepcopy(there)
    scene = stored_scene(there, registry, trust=trust, **tables)
    sim = assemble(scene, registry, tell_deep=False)
    refuse_other(path, there, sim.provenance.resolved)
    tuned = tuple(Tuned(*one) for one in header.get("tuned", ()))
    sim.provenance = replace(sim.provenance, origin=header.get("origin"), tuned=tuned)
    sim.state.restore(state)
    return sim


def load(scene: str | Path, overrides: Mapping[str, Any] | None = None) -> Simulator:
    """Load a scene and assemble its simulator.

    Args:
        scene: ``robot/scene`` of a bundled scene, or path of a scene file.
        overrides: values by dotted key, or nested; they replace values of the file.

    Raises:
        FootfallError: names file and key, what was given and what is allowed.
    """
    registry, changes = discover(), {} if overrides is None else overrides
    try:
        changes = plain(changes, Where(None, {}), ())
    except RecursionError as error:
        raise SceneError("the overrides are nested too deeply, or contain themselves") from error
    if not isinstance(changes, dict):
        raise SceneError(f"overrides must be a table (dict), got {given(changes)}")
    return assemble(load_scene(path_of(scene), changes, registry), registry)


def _reduced(sim: Simulator) -> tuple[Any, ...]:
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


def _again(header: Header, parts: Any, room: int, vector: Floats, grown: Floats) -> Simulator:
    state = State(parts, room)
    state.vector[:], state.grown[:] = vector, grown
    tables = {"visualizer": {"plugin": "none"}}
    return _restored(Path("the copy"), discover(), tables, trust=True, copied=(state, header))


copyreg.pickle(Simulator, _reduced)
