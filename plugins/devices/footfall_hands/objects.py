"""Objects, gravity and contact laws that change in a run; the world is assembled anew."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from footfall import assemble, discover, stored_scene
from footfall.api.advanced import sized
from footfall.api.plugin import Floats1, Ints, SimulationError, nearest
from footfall.api.viewer import Visualizer
from footfall_stepper.api import Provenance, StepperSimulator, own_parts, stepped

DEEP = 1e-3
"""Largest depth of a new body in another, [m]."""
Rows = tuple[Ints, Ints]
"""Matching rows of the new and the old array."""


def copy_state(old: StepperSimulator, new: StepperSimulator) -> None:
    """Copy the state of one simulator to another, for bodies with the same names.

    The state of each body, joint, contact point and detected contact moves to its new place, bit
    for bit. New ones keep their initial state. The keys of detected contacts follow their shapes,
    whose numbers can change.
    """
    count = _detected(old)
    keys, kept = _carried_keys(old, new)
    grows = any(part.grows for part in new.state.parts)
    if grows:
        new.state.reserve(max(old.state.room, 0))
    rows = _rows(old, new)
    of = dict(_kinds(new))
    for part in new.state.parts:
        if part.name in ("detected", "detected_key"):
            continue
        values = own_parts(new.state)[part.name]
        if part.name not in old.state:
            continue
        before = old.state[part.name]
        if part.name in of:
            here, there = rows[of[part.name]]
            values[here] = before[there]
        elif not part.grows and values.shape == before.shape:
            values[:] = before
        if part.grows:
            declared, first = part.shape[0], len(before) - old.state.room
            values[declared:] = 0.0
            values[declared : declared + len(keys)] = before[first : first + count][kept]
    if grows:
        own_parts(new.state)["detected"].view(np.int64)[0] = len(keys)
        own_parts(new.state)["detected_key"].view(np.int64)[:] = 0
        own_parts(new.state)["detected_key"].view(np.int64)[: len(keys)] = keys


def _kinds(sim: StepperSimulator) -> Iterator[tuple[str, str]]:
    """Yield the names of the state's arrays with one row per thing, and the kind of thing."""
    yield from (("q", "q"), ("v", "v"), ("nudot", "v"))
    yield from (("impulse", "contact"), ("touching", "contact"))
    yield from (("joint_impulse", "joint_row"), ("foot_wrench", "foot"))
    owners = {"contact": sim.stepper.law, "impact": sim.stepper.impact}
    for prefix, owner in owners.items():
        for part in owner.state_parts:
            if part.per in ("dof", "contact"):
                yield f"{prefix}.{part.name}", "v" if part.per == "dof" else "contact"


def _rows(before: StepperSimulator, after: StepperSimulator) -> dict[str, Rows]:
    """Return the matching rows, by kind of row."""
    old, new = before.world, after.world
    there = {body.name: k for k, body in enumerate(old.bodies)}
    both = [(k, there[body.name]) for k, body in enumerate(new.bodies) if body.name in there]
    return {
        "q": _of_slices(new.q_slice, old.q_slice, both),
        "v": _of_slices(new.v_slice, old.v_slice, both),
        "contact": _of_names(new.contact_names, old.contact_names),
        "joint_row": _of_names(new.joint_row_names, old.joint_row_names),
        "foot": _of_names(new.foot_names, old.foot_names),
    }


def _of_slices(
    new: Callable[[int], slice], old: Callable[[int], slice], both: list[tuple[int, int]]
) -> Rows:
    here = [np.r_[new(k)] for k, _ in both]
    there = [np.r_[old(j)] for _, j in both]
    none = np.zeros(0, np.int64)
    return np.concatenate([none, *here]), np.concatenate([none, *there])


def _of_names(new: Sequence[str], old: Sequence[str]) -> Rows:
    place = {name: k for k, name in enumerate(old)}
    pairs = [(k, place[name]) for k, name in enumerate(new) if name in place]
    table = np.array(pairs, np.int64).reshape(-1, 2)
    return table[:, 0], table[:, 1]


def _detected(sim: StepperSimulator) -> int:
    return int(sim.state["detected"].view(np.int64)[0]) if "detected" in sim.state else 0


def _carried_keys(old: StepperSimulator, new: StepperSimulator) -> tuple[Ints, Ints]:
    """Return the new keys of detected contacts that still exist, and their old rows."""
    here, there = new.world.collider, old.world.collider
    if here is None or there is None:
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    keys = old.state["detected_key"].view(np.int64)[: _detected(old)]
    return there.renumbered(keys, here)


Tables = dict[str, Any]


def reassembled(
    sim: StepperSimulator, tables: Tables, added: str | None = None
) -> StepperSimulator:
    """Return a simulator of a changed scene that continues from another simulator's state.

    Args:
        sim: simulator assembled from a scene; not changed.
        tables: tables of its resolved scene, changed.
        added: name of the new body, if any.

    Raises:
        SimulationError: if that body would be more than 1 mm deep in another or in the ground.
        FootfallError: if a scene with these tables is invalid.
    """
    new = _from_tables(sim.provenance, tables, sim.participants.visualizer)
    sim.stepper.observe(sim.time)
    elastic = sim.world.dynamics.elastic_energy
    copy_state(sim, new)
    for body in sim.motions.changed.intersection(new.motions.names):
        new.set_motion(body, sim.motions.functions.get(body))
    new.stepper.observe(new.time)
    if sim.interaction is not None:
        new.hands.copy_from(sim.interaction)
    new.note_elastic_change(new.world.dynamics.elastic_energy - elastic)
    if added is not None:
        _refuse_deep(new, added)
    return new


def from_start(
    given: Provenance, viewer: Visualizer | None, *, hands: bool = True
) -> StepperSimulator:
    """Assemble a scene anew at its start, without any later change.

    Args:
        given: the ``provenance`` of a simulator that was assembled from the scene.
        viewer: viewer that shows it; None for no viewer.
        hands: whether it has its hands too.

    Raises:
        SimulationError: if that simulator was not made from a scene.
        FootfallError: if the scene can no longer be assembled.
    """
    if not given.resolved:
        raise SimulationError("this simulator was not made from a scene")
    tables = copy.deepcopy(dict(given.resolved["scene"]))
    if not hands:
        tables.pop("hands", None)
    new = _from_tables(given, tables, viewer)
    new.provenance = given
    return new


def _from_tables(given: Provenance, tables: Tables, viewer: Visualizer | None) -> StepperSimulator:
    """Assemble tables with the plugins of a simulator, shown by a viewer, at their start."""
    registry = given.registry if given.registry is not None else discover()
    resolved = given.resolved
    scene = stored_scene({**resolved, "scene": tables}, registry, trust=True)
    new = stepped(assemble(scene, registry, tell_deep=False))
    new.participants = replace(new.participants, visualizer=viewer)
    new.provenance = replace(new.provenance, origin=given.origin or resolved, tuned=given.tuned)
    return new


def _refuse_deep(sim: StepperSimulator, name: str) -> None:
    """Reject a body that is deep in another or in the ground.

    Raises:
        SimulationError: with both names and the depth.
    """
    pairs = [pair for pair in _overlaps(sim) if name in (side.split("/")[0] for side in pair[:2])]
    if pairs:
        one, other, deep = max(pairs, key=lambda pair: pair[2])
        raise SimulationError(
            f"{name} would be {1e3 * deep:.3g} mm deep where {one} and {other} meet "
            f"(allowed: {1e3 * DEEP:g} mm): put it elsewhere"
        )


def _overlaps(sim: StepperSimulator) -> Iterator[tuple[str, str, float]]:
    """Yield two shapes, or a point and the ground, that are deeper than ``DEEP``, and the depth.

    Under compliant laws, points may be as deep in the ground as the weight presses them.
    """
    world, collisions = sim.world, sim.stepper.collisions
    if collisions is not None and world.collider is not None:
        gaps = world.detected.gap[: collisions.count]
        for k in np.flatnonzero(gaps < -DEEP):
            one, other = world.collider.touching(int(collisions.keys[k]))
            yield one, other, -float(gaps[k])
    if sim.stepper.law.rest_depth(1.0) > 0.0:
        return
    for point, gap in zip(world.contact_names, world.candidates.gap, strict=True):
        if gap < -DEEP:
            yield point, "the ground", -float(gap)


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


def with_law(sim: StepperSimulator, law: str) -> StepperSimulator:
    """Return a simulator that continues from here with another contact law.

    The state is copied bit for bit, as by ``with_object``; what only the new law keeps starts as at
    the start of a scene. The new law has its default settings and its default impact model.

    Args:
        sim: simulator assembled from a scene; not changed.
        law: name of a plugin, e.g. ``compliant``; ``footfall plugins`` lists them.

    Raises:
        SimulationError: if ``sim`` was not assembled from a scene.
        FootfallError: if there is no such law, or it cannot honour the scene.
    """
    tables = _tables(sim)
    tables["contact"] = {"plugin": law}
    tables.pop("impact", None)
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
    return copy.deepcopy(dict(sim.provenance.resolved["scene"]))


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
