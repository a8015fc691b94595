"""Numbers of a world that a key of its scene decides, and how they change with it."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

import numpy as np

import footfall
from footfall.api.errors import SceneError, SimulationError
from footfall.api.plugin import Floats
from footfall_stepper.api import stepped

if TYPE_CHECKING:
    from footfall_stepper.api import StepperSimulator


CHANGE = 1e-5
"""Relative change of a key by which the change of the world's numbers is found."""
JOINTS = ("stiffness", "damping", "rate_gain", "target", "target_rate", "armature")


def combined(one: Floats, other: Floats, pair: Floats) -> Floats:
    """Return coefficients of pairs: the pair's, that of one side, or the harmonic mean of both."""
    given = np.where(np.isnan(one), other, np.where(np.isnan(other), one, 0.0))
    both = ~(np.isnan(one) | np.isnan(other))
    total = np.where(both & (one + other > 0.0), one + other, 1.0)
    mean = np.where(both, 2.0 * one * other / total, given)
    return np.nan_to_num(np.where(np.isnan(pair), mean, pair))


def numbers(sim: StepperSimulator) -> dict[str, Floats]:
    """Return the numbers of a world that a step is differentiated by; see ``Directions``."""
    candidates, sample, joints = sim.world.candidates, sim.world.sample, sim.world.joints
    found = {name: np.array(getattr(joints, name)) for name in JOINTS}
    friction = candidates.friction, sample.friction, candidates.pair_friction
    bounce = candidates.restitution, sample.restitution, candidates.pair_restitution
    found["friction"], found["restitution"] = combined(*friction), combined(*bounce)
    topology = sim.world.topology
    found["gravity"], found["mass"] = topology.gravity.copy(), topology.mass.copy()
    found["inertia"] = topology.inertia.reshape(-1, 9).copy()
    found["bound"] = sim.world.joint_rows.value.copy()
    return found


def others(sim: StepperSimulator) -> dict[str, Floats]:
    """Return numbers that decide a step, too, and have no derivative, by what they are."""
    rows, joints, candidates = sim.world.joint_rows, sim.world.joints, sim.world.candidates
    return {
        "centres of mass": sim.world.topology.com,
        "places of contact points": np.column_stack([candidates.local, candidates.radius]),
        "the length of a step": np.array([sim.time_step]),
        "couplings of joints": np.append(joints.coupling_inertia, joints.coupling_damping),
        "which joints have friction or limits": np.array([rows.kind, rows.dof], float),
        "ratios of motors": np.append(rows.sign, rows.more_value),
        "torques": joints.tau,
    }


def scales(sim: StepperSimulator, slopes: Mapping[str, Floats], k: int) -> bool:
    """Whether parameter k scales all masses and inertias of each body alike, or none."""
    topology = sim.world.topology
    start, inertia = topology.tree_link, topology.inertia.reshape(-1, 9)
    for first, end in itertools.pairwise(start):
        mass, dmass = topology.mass[first:end], slopes["mass"][first:end, k]
        factor = dmass.sum() / mass.sum() if mass.any() else 0.0
        for now, change in (mass, dmass), (inertia[first:end], slopes["inertia"][first:end, :, k]):
            if not np.allclose(change, factor * now, rtol=1e-6, atol=1e-9 * abs(now).max()):
                return False
    return True


def changed(table: Any, path: Sequence[str], value: float) -> Any:
    """Return tables with another number at a path that ``value_of`` has found."""
    name, *rest = path
    if isinstance(table, list | tuple):
        items, at = list(table), int(name)
        items[at] = changed(items[at], rest, value) if rest else value
        return items
    return {**table, name: changed(table[name], rest, value) if rest else value}


def entry(table: Any, name: str) -> Any:
    """Return what a table or a list has under a name or a number, None if it has nothing there."""
    if isinstance(table, list | tuple):
        return table[int(name)] if name.isdecimal() and int(name) < len(table) else None
    return table.get(name) if isinstance(table, Mapping) else None


def value_of(sim: StepperSimulator, scene: Any, key: str) -> float:
    """Return the number at a dotted key of a scene, or what it is where the scene does not give it.

    Raises:
        SimulationError: if there is none.
    """
    *path, last = key.split(".")
    table = scene
    for name in path:
        table = entry(table, name)
    tunable = {shown.path: shown.value for shown in sim.tunables()}
    value = entry(table, last)
    if value is None and isinstance(table, Mapping):
        value = tunable.get(key)
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise SimulationError(f"derivatives: {key} is no number that the scene gives")
    return float(value)


_Known = tuple[Any, tuple[str, ...], dict[str, Floats]]
_KNOWN: WeakKeyDictionary[Any, _Known] = WeakKeyDictionary()
"""The last answer of ``known_slopes`` by world, with the scene and the keys that it is of."""


def known_slopes(sim: StepperSimulator, keys: tuple[str, ...]) -> dict[str, Floats]:
    """Return ``slopes_of``, found anew if the scene has been tuned."""
    if not keys:
        return {}
    if wrong := [key for key in keys if not isinstance(key, str)]:
        raise SimulationError(f"derivatives: {wrong[0]!r} is no key of the scene")
    scene, known = sim.provenance.resolved, _KNOWN.get(sim.world)
    if known is None or known[0] is not scene or known[1] != keys:
        known = _KNOWN[sim.world] = (scene, keys, slopes_of(sim, keys))
    return known[2]


def slopes_of(sim: StepperSimulator, keys: Sequence[str]) -> dict[str, Floats]:
    """Return the derivatives of a world's numbers by keys of its scene, their last axis.

    Worlds with neighbouring values are assembled and compared, three a key.

    Raises:
        SimulationError: if a key is no number of the scene, decides what has no derivative, or a
            neighbouring value is not allowed.
    """
    scene = sim.provenance.resolved.get("scene")
    if scene is None:
        raise SimulationError("derivatives: parameters are keys of a scene, and this has none")
    out = {name: np.zeros((*a.shape, len(keys))) for name, a in numbers(sim).items()}
    for k, key in enumerate(keys):
        value = value_of(sim, scene, key)
        step = CHANGE * (abs(value) if value else 1.0)
        try:
            worlds = [assembled(sim, scene, key, value + s) for s in (step, -step)]
        except SceneError as error:
            raise SimulationError(
                f"derivatives: {key} = {value:g} is at the end of what it may be and has no "
                f"neighbour there: take a value inside ({error})"
            ) from error
        one, other = map(others, worlds)
        if wrong := [name for name in one if not same(one[name], other[name])]:
            raise SimulationError(f"derivatives: {key} changes {', '.join(wrong)}: not covered")
        upper, lower = map(numbers, worlds)
        for name in upper:
            out[name][..., k] = (upper[name] - lower[name]) / (2.0 * step)
        if not scales(sim, out, k):
            raise SimulationError(
                f"derivatives: {key} changes masses or inertias one by one: not covered"
            )
        if not any(out[name][..., k].any() for name in out):
            raise SimulationError(f"derivatives: {key} changes nothing that a step depends on")
    return {name: found for name, found in out.items() if found.any()}


def same(a: Floats, b: Floats) -> bool:
    """Whether two arrays are the same but for rounding."""
    return a.shape == b.shape and bool(np.allclose(a, b, rtol=1e-12, atol=1e-15, equal_nan=True))


def assembled(
    sim: StepperSimulator, scene: Mapping[str, Any], key: str, value: float
) -> StepperSimulator:
    """Return the world of a scene with another value of a key, after a step."""
    if not math.isfinite(value):
        raise SimulationError(f"derivatives: {key} is not finite")
    tables = changed(scene, key.split("."), value)
    registry = sim.provenance.registry
    made = stepped(footfall.assemble(footfall.scene_from_dict(tables, registry=registry), registry))
    made.step()  # its controllers have commanded then
    return made
