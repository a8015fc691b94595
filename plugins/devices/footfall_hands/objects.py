"""Objects that are added and deleted while a simulation runs."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from footfall.api.advanced import sized
from footfall.api.plugin import Floats1, SimulationError, nearest
from footfall_hands.reassembly import reassembled
from footfall_stepper.api import StepperSimulator, stepped

if TYPE_CHECKING:
    from footfall_stepper.api import StepperSimulator


Tables = dict[str, Any]


def with_object(sim: StepperSimulator, name: str, table: Mapping[str, Any]) -> StepperSimulator:
    """Return a simulator that continues from here with one more body.

    The world is assembled anew. The state of the other bodies is copied bit for bit: a body that
    does not meet the new one moves exactly as without it. From now on contacts between bodies are
    detected, unless the scene sets ``detect = false``. Grips stay closed: ``hands.grips`` has
    those of ``sim``, in the same order. Changes that Python made in the world's arrays are lost.
    ``sim`` itself is not changed.

    Args:
        sim: simulator assembled from a scene.
        name: name of the new body.
        table: the table ``[bodies.NAME]`` of a scene, e.g. ``{"shape": {"type": "sphere",
            "radius": 0.1}, "base_position": [0, 0, 1], "friction": 0.5}``.

    Raises:
        SimulationError: if a body has that name, ``sim`` was not assembled from a scene, or the
            body would be more than 1 mm deep in another or in the ground.
        FootfallError: if a scene with this table is invalid.
    """
    tables = _tables(sim)
    _check_name(name)
    if not isinstance(table, Mapping):
        raise SimulationError(f"with_object: the description must be a table, got {table!r}")
    if name in tables["bodies"]:
        raise SimulationError(f"there is a body {name!r} already: give another name")
    _name_only_body(tables)
    tables["bodies"][name] = dict(table)
    return reassembled(stepped(sim), tables, name)


def with_gravity(sim: StepperSimulator, gravity: Sequence[float] | Floats1) -> StepperSimulator:
    """Return a simulator that continues from here with another acceleration of gravity.

    The state is copied bit for bit, as by ``with_object``. From now on potential energy is counted
    with the new gravity, so the total energy jumps. The jump is neither work nor an error.

    Args:
        sim: simulator assembled from a scene; not changed.
        gravity: shape (3,), [m/s^2], world axes.

    Raises:
        SimulationError: if it is not three numbers, or ``sim`` was not assembled from a scene.
        SceneError: if the numbers are outside the range that a scene allows.
    """
    tables = _tables(sim)
    tables["world"]["gravity"] = sized(gravity, 3, "gravity").tolist()
    return reassembled(stepped(sim), tables)


def without_object(sim: StepperSimulator, name: str) -> StepperSimulator:
    """Return a simulator that continues from here without an object given by its shape.

    Pairs, filters and pushes that name it are deleted too; otherwise as ``with_object``.

    Raises:
        SimulationError: if there is no such object, or ``sim`` was not assembled from a scene.
        FootfallError: if no moving body would be left, or another part of the scene names it.
    """
    tables = _tables(sim)
    bodies = tables["bodies"]
    _check_name(name)
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
    return reassembled(stepped(sim), tables)


def _check_name(name: object) -> None:
    if not isinstance(name, str):
        raise SimulationError(f"the name of a body must be text, got {name!r}")


def _tables(sim: StepperSimulator) -> Tables:
    if not sim.provenance.resolved:
        raise SimulationError("objects can change only in a simulator that was made from a scene")
    tables: Tables = copy.deepcopy(dict(sim.provenance.resolved["scene"]))
    return tables


def _name_only_body(tables: Tables) -> None:
    """Write the name of a scene's only body wherever the scene may omit it."""
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
