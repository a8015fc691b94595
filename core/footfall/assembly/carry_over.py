"""What one simulator hands over to another whose bodies are partly the same."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from footfall.typing import Floats, Ints
from footfall.world.key import ENVIRONMENT, contact_key, unpack_key
from footfall_hands.hand_memory import HandMemory

if TYPE_CHECKING:
    from footfall.simulation.simulator import Simulator
    from footfall.world.world import World

Rows = tuple[Ints, Ints]
"""Rows in the new array, and in the old one, that belong to the same thing."""


def carry_over(old: Simulator, new: Simulator) -> None:
    """Let a simulator go on from the state of another, as far as their bodies have the same names.

    Whatever the state holds of a body, a joint, a contact point or a detected contact moves to
    its new place with its bits unchanged; what there was not before keeps its own start. Keys of
    detected contacts follow their shapes, whose numbers change with what stands before them.
    """
    count = _detected(old)
    keys, kept = _carried_keys(old, new)
    grows = any(part.grows for part in new.state.parts)
    if grows:
        new.state.reserve(max(old.state.room, 0))
    rows = _rows(old.world, new.world)
    of = dict(_kinds(new))
    for part in new.state.parts:
        if part.name in ("detected", "detected_key"):
            continue
        values = new.state[part.name]
        if part.name not in old.state:
            continue
        before = old.state[part.name]
        if part.name in of:
            here, there = rows[of[part.name]]
            values[here] = before[there]
        elif not part.grows and values.shape == before.shape:
            values[:] = before
        if part.name.startswith("hand."):
            _hold_again(old.world, new.world, values)
        if part.grows:
            declared, first = part.shape[0], len(before) - old.state.room
            values[declared:] = 0.0
            values[declared : declared + len(keys)] = before[first : first + count][kept]
    if grows:
        new.state["detected"].view(np.int64)[0] = len(keys)
        new.state["detected_key"].view(np.int64)[:] = 0
        new.state["detected_key"].view(np.int64)[: len(keys)] = keys


def _hold_again(old: World, new: World, memory: Floats) -> None:
    """Give what a hand remembers to hold its link in the new world; see ``HandMemory``."""
    remembered = HandMemory(memory)
    held, touched = (_same_link(old, new, link) for link in remembered.links)
    remembered.renumber(held, touched)


def _same_link(old: World, new: World, link: int) -> int:
    """Return the number of a global link in the new world, -1: it is gone, or there is none."""
    if link < 0:
        return -1
    tree = int(old.topology.link_tree[link])
    name, index = old.bodies[tree].name, link - int(old.topology.tree_link[tree])
    there = [k for k, body in enumerate(new.bodies) if body.name == name]
    return int(new.topology.tree_link[there[0]]) + index if there else -1


def _kinds(sim: Simulator) -> Iterator[tuple[str, str]]:
    """Yield the names of parts whose rows belong to things, and to what."""
    yield from (("q", "q"), ("v", "v"), ("nudot", "v"))
    yield from (("impulse", "contact"), ("touching", "contact"))
    yield from (("joint_impulse", "joint_row"), ("foot_wrench", "foot"))
    owners = {"contact": sim.stepper.law, "impact": sim.stepper.impact}
    for prefix, owner in owners.items():
        for part in owner.state_parts:
            if part.per in ("dof", "contact"):
                yield f"{prefix}.{part.name}", "v" if part.per == "dof" else "contact"


def _rows(old: World, new: World) -> dict[str, Rows]:
    """Return what belongs together, by kind of row."""
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


def _detected(sim: Simulator) -> int:
    return int(sim.state["detected"].view(np.int64)[0]) if "detected" in sim.state else 0


def _carried_keys(old: Simulator, new: Simulator) -> tuple[Ints, Ints]:
    """Return the new keys of detected contacts whose shapes are both still there, and their rows.

    Shapes keep their order among each other, so the keys stay ascending.
    """
    count = _detected(old)
    if not count or "detected" not in new.state:
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    here = _numbers(new.world)
    number = {n: here[place] for place, n in _numbers(old.world).items() if place in here}
    number[ENVIRONMENT] = ENVIRONMENT
    keys, kept = [], []
    for row, key in enumerate(old.state["detected_key"].view(np.int64)[:count]):
        a, b, feature = unpack_key(int(key))
        if a in number and b in number:
            keys.append(contact_key(number[a], number[b], feature))
            kept.append(row)
    return np.array(keys, np.int64), np.array(kept, np.int64)


def _numbers(world: World) -> dict[tuple[str, int], int]:
    """Return the numbers of the shapes by their body and their place in it."""
    assert world.collider is not None
    found: dict[tuple[str, int], int] = {}
    seen: dict[str, int] = {}
    for shape in world.collider.shapes:
        body = shape.name.split("/")[0]
        found[body, seen.get(body, 0)] = shape.number
        seen[body] = seen.get(body, 0) + 1
    return found
