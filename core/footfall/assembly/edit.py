"""Objects that come and go while a simulation runs."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from footfall.assembly.assemble import assembled
from footfall.assembly.carry_over import carry_over
from footfall.assembly.deep_start import DEEP, deep_starts, sunk_starts
from footfall.config.where import Where
from footfall.errors import SimulationError, nearest
from footfall.registry.discover import discover
from footfall.scene.compose import compose
from footfall.simulation.simulator import Simulator

Tables = dict[str, Any]


def with_object(sim: Simulator, name: str, table: Mapping[str, Any]) -> Simulator:
    """Return a simulator that goes on from here with one more body.

    The world is assembled anew. What the state holds of the other bodies is taken over with its
    bits, so that a body that the new one does not meet moves as if nothing had happened, bit for
    bit. Contacts between bodies are looked for from now on, unless the scene says
    ``detect = false``. Grips hold on: ``hands.grips`` has those of ``sim``, in the same order. What
    Python changed in the world's arrays is not taken over. ``sim`` itself stays as it is.

    Args:
        sim: assembled from a scene.
        name: of the new body.
        table: what ``[bodies.NAME]`` would hold in the scene, e.g. ``{"shape": {"type": "sphere",
            "radius": 0.1}, "base_position": [0, 0, 1], "friction": 0.5}``.

    Raises:
        SimulationError: if there is a body of that name, ``sim`` was not assembled from a scene, or
            the body would be more than 1 mm deep in another or in the ground.
        FootfallError: what a scene with this table would be refused for.
    """
    tables = _tables(sim)
    if name in tables["bodies"]:
        raise SimulationError(f"there is a body {name!r} already: give another name")
    _name_only_body(tables)
    tables["bodies"][name] = dict(table)
    new = gone_on(sim, tables)
    _refuse_deep(new, name)
    return new


def without_object(sim: Simulator, name: str) -> Simulator:
    """Return a simulator that goes on from here without an object that was given by its shape.

    Pairs, filters and pushes that name it go with it; else as ``with_object``.

    Raises:
        SimulationError: if there is no such object, or ``sim`` was not assembled from a scene.
        FootfallError: if nothing would be left that moves, or something else names it.
    """
    tables = _tables(sim)
    bodies = tables["bodies"]
    if name not in bodies:
        raise SimulationError(f"no body {name!r}{nearest(name, list(bodies))}")
    if "shape" not in bodies[name]:
        raise SimulationError(f"{name!r} is a robot: only objects given by their shape can go")
    del bodies[name]
    tables["pairs"] = {k: v for k, v in tables["pairs"].items() if name not in k.split("/")}
    if "pushes" in tables:
        tables["pushes"] = [push for push in tables["pushes"] if not _pushes(push, name)]
    for key in ("ignore", "keep"):
        if key in tables["collisions"]:
            pairs = tables["collisions"][key]
            kept = [p for p in pairs if name not in (side.split("/")[0] for side in p)]
            tables["collisions"][key] = kept
    return gone_on(sim, tables)


def gone_on(sim: Simulator, tables: Tables) -> Simulator:
    """Assemble the tables of a scene that has been changed and go on from a simulator's state."""
    new = from_tables(sim, tables)
    sim.stepper.observe(sim.time)
    elastic = float(sim.world.dynamics.energy[6])
    carry_over(sim, new)
    new.stepper.observe(new.time)
    new.hands.copy_grips(sim.hands)
    new.state["ledger"][5] += float(new.world.dynamics.energy[6]) - elastic
    return new


def from_tables(sim: Simulator, tables: Tables) -> Simulator:
    """Assemble tables with the plugins of a simulator, seen by the same viewer, at their start."""
    registry = sim.about.registry if sim.about.registry is not None else discover()
    resolved = sim.about.resolved
    where = Where(resolved.get("file"), {})
    scene = compose(tables, registry, name=resolved["name"], where=where)
    new = assembled(scene, registry)
    new.company = replace(new.company, visualizer=sim.company.visualizer)
    origin = sim.about.origin or resolved
    new.about = replace(new.about, origin=origin, tuned=sim.about.tuned)
    return new


def _tables(sim: Simulator) -> Tables:
    if not sim.about.resolved:
        raise SimulationError("objects come and go in scenes: this simulator was not made from one")
    tables: Tables = copy.deepcopy(dict(sim.about.resolved["scene"]))
    return tables


def _name_only_body(tables: Tables) -> None:
    """Write out the name of a scene's only body where it could be left out."""
    if len(tables["bodies"]) > 1:
        return
    (only,) = tables["bodies"]
    for push in tables.get("pushes", ()):
        push.setdefault("body", only)
    signals = tables["recorder"].get("signals", ())
    tables["recorder"]["signals"] = [
        name if name.startswith(f"{only}/") else f"{only}/{name}" for name in signals
    ]


def _pushes(push: Mapping[str, Any], body: str) -> bool:
    return push.get("body") == body or str(push.get("link", "")).split("/")[0] == body


def _refuse_deep(sim: Simulator, name: str) -> None:
    """Refuse a body that has come deep inside another or the ground.

    Raises:
        SimulationError: names both and the depth.
    """
    pairs = [(a, b, deep) for a, b, deep in deep_starts(sim) if name in (_body(a), _body(b))]
    sunk = [(point, deep) for point, deep in sunk_starts(sim, sim.stepper.law)]
    pairs += [(point, "the ground", deep) for point, deep in sunk if _body(point) == name]
    if pairs:
        one, other, deep = max(pairs, key=lambda pair: pair[2])
        raise SimulationError(
            f"{name} would be {1e3 * deep:.3g} mm deep where {one} and {other} meet "
            f"(allowed: {1e3 * DEEP:g} mm): put it elsewhere"
        )


def _body(path: str) -> str:
    return path.split("/")[0]
