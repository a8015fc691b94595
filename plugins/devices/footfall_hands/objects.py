"""Objects that come and go while a simulation runs."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from footfall.api.config import sized
from footfall.api.errors import SimulationError, nearest
from footfall.api.plugin import Floats1
from footfall_hands.reassembly import reassembled
from footfall_stepper.api import StepperSimulator, stepped

if TYPE_CHECKING:
    from footfall_stepper.api import StepperSimulator


Tables = dict[str, Any]


def with_object(sim: StepperSimulator, name: str, table: Mapping[str, Any]) -> StepperSimulator:
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
    _check_name(name)
    if not isinstance(table, Mapping):
        raise SimulationError(f"with_object: what it is must be a table, got {table!r}")
    if name in tables["bodies"]:
        raise SimulationError(f"there is a body {name!r} already: give another name")
    _name_only_body(tables)
    tables["bodies"][name] = dict(table)
    return reassembled(stepped(sim), tables, name)


def with_gravity(sim: StepperSimulator, gravity: Sequence[float] | Floats1) -> StepperSimulator:
    """Return a simulator that goes on from here with another acceleration of gravity.

    The state is taken over with its bits, as by ``with_object``. Potential energy is counted with
    the new gravity from now on, so that the total energy jumps; none of it is work, or an error.

    Args:
        sim: assembled from a scene; stays as it is.
        gravity: shape (3,), [m/s^2], world axes.

    Raises:
        SimulationError: if it is no three numbers, or ``sim`` was not assembled from a scene.
        SceneError: if the numbers are beyond what a scene allows.
    """
    tables = _tables(sim)
    tables["world"]["gravity"] = sized(gravity, 3, "gravity").tolist()
    return reassembled(stepped(sim), tables)


def without_object(sim: StepperSimulator, name: str) -> StepperSimulator:
    """Return a simulator that goes on from here without an object that was given by its shape.

    Pairs, filters and pushes that name it go with it; else as ``with_object``.

    Raises:
        SimulationError: if there is no such object, or ``sim`` was not assembled from a scene.
        FootfallError: if nothing would be left that moves, or something else names it.
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
        raise SimulationError("objects come and go in scenes: this simulator was not made from one")
    tables: Tables = copy.deepcopy(dict(sim.provenance.resolved["scene"]))
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
