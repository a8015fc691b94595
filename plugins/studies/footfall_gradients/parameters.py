"""Numbers of a world that depend on a key of its scene, and their derivatives by it."""

from __future__ import annotations

import itertools
import math
import re
import warnings
from collections.abc import Mapping, Sequence
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

import footfall
from footfall.api.plugin import Floats, FootfallError, SimulationError
from footfall_gradients.contact_slopes import detector_of
from footfall_stepper.api import StepperSimulator, pair_coefficient, stepped

CHANGE = 1e-5
"""Relative change of a key for the differences of the world's numbers."""
ROUNDING = 1e-10
"""Change of a centre of mass with a relative change of a key that is rounding, [m]."""
JOINTS = ("stiffness", "damping", "rate_gain", "target", "target_rate", "armature")


def numbers(sim: StepperSimulator) -> dict[str, Floats]:
    """Return the numbers of a world with derivatives in a step, by name; see ``Parameters``."""
    candidates, sample, joints = sim.world.candidates, sim.world.sample, sim.world.joints
    found = {name: np.array(getattr(joints, name)) for name in JOINTS}
    for name in ("friction", "restitution"):
        sides = (getattr(sides, name) for sides in (candidates, sample))
        own = getattr(candidates, f"pair_{name}")
        found[name] = np.array([*map(pair_coefficient, *sides, own)], float)
    topology = sim.world.topology
    found["gravity"], found["mass"] = topology.gravity.copy(), topology.mass.copy()
    found["inertia"], found["com"] = topology.inertia.reshape(-1, 9).copy(), topology.com.copy()
    found["bound"] = sim.world.joint_rows.value.copy()
    found["local"], found["radius"] = candidates.local.copy(), candidates.radius.copy()
    if sim.world.collider is not None:
        found["sizes"] = detector_of(sim.world).sizes.copy()
    if (collisions := sim.stepper.collisions) is not None:
        known = collisions.coefficients
        found["sides"], found["pairs"] = (
            np.nan_to_num(a[:, :2]) for a in (known.side, known.value)
        )
    return found


def others(sim: StepperSimulator) -> dict[str, Floats]:
    """Return numbers that affect a step but have no derivative, by description."""
    rows, joints, candidates = sim.world.joint_rows, sim.world.joints, sim.world.candidates
    return {
        "rims": np.column_stack([candidates.axis, candidates.phase]),
        "collision shapes": shape_measures(sim),
        "the length of a step": np.array([sim.time_step]),
        "couplings of joints": np.append(joints.coupling_inertia, joints.coupling_damping),
        "the set of joints with friction or limits": np.array([rows.kind, rows.dof], float),
        "restitution of limits and backlash": rows.restitution,
        "ratios of motors": np.append(rows.sign, rows.more_value),
        "torques": joints.tau,
        "gains that a drive cuts or converts": lost_gains(sim),
    }


def shape_measures(sim: StepperSimulator) -> Floats:
    """Return places and vertices of all shapes that collision detection tests."""
    return np.zeros(0) if sim.world.collider is None else detector_of(sim.world).measures


def acting_gains(sim: StepperSimulator) -> Floats:
    """Return stiffness and rate gain of all joints, shape (2, nv), behind their drives."""
    return np.array([sim.world.joints.stiffness, sim.world.joints.rate_gain])


def commanded_gains(sim: StepperSimulator) -> Floats:
    """Return the stiffness and damping that controllers command, shape (2, nv)."""
    found = np.zeros((2, sim.world.nv))
    for i, body in enumerate(sim.world.bodies):
        command = sim.driving.command(body.name)
        found[:, sim.world.joint_slice(i)] = command.stiffness, command.damping
    return found


def lost_gains(sim: StepperSimulator) -> Floats:
    """Return the gains that controllers command and drives do not pass on."""
    return commanded_gains(sim) - acting_gains(sim)


def scales(sim: StepperSimulator, slopes: Mapping[str, Floats], k: int) -> bool:
    """Return whether parameter k scales all masses and inertias of each body alike, or none.

    And moves no contact points or centres of mass.
    """
    topology = sim.world.topology
    start, inertia = topology.tree_link, topology.inertia.reshape(-1, 9)
    for first, end in itertools.pairwise(start):
        mass, dmass = topology.mass[first:end], slopes["mass"][first:end, k]
        factor = dmass.sum() / mass.sum() if mass.any() else 0.0
        for now, change in (mass, dmass), (inertia[first:end], slopes["inertia"][first:end, :, k]):
            if not np.allclose(change, factor * now, rtol=1e-6, atol=1e-9 * abs(now).max()):
                return False
    moved = ("com", "local", "radius", "sizes")
    return not any(slopes[name][..., k].any() for name in moved if name in slopes)


LINK_NUMBERS = (
    "mass",
    *(f"center_of_mass.{i}" for i in range(3)),
    *(f"inertia.{m}" for m in ("xx", "xy", "xz", "yy", "yz", "zz")),
)
"""Numbers of a robot's link that are parameters, although a scene has no key for them."""


def by_link(sim: StepperSimulator, key: str, out: Mapping[str, Floats], k: int) -> bool:
    """Write the derivative by a number of a robot's link; return whether the key names one.

    ``bodies.NAME.links.LINK.`` and ``mass`` [kg], ``center_of_mass.0`` to ``.2`` [m] or
    ``inertia.xx`` to ``.zz`` [kg m^2], about the centre of mass; both along the link's axes.

    Raises:
        SimulationError: if there is no such link or number, or the link has no mass.
    """
    match path_of(key):
        case ["bodies", body, "links", link, *entry]:
            number = ".".join(entry)
        case _:
            return False
    names = sim.world.link_names
    if f"{body}/{link}" not in names or number not in LINK_NUMBERS:
        known = [name.split("/", 1)[1] for name in names if name.startswith(f"{body}/")]
        told = f"(links: {', '.join(known)}; numbers: {', '.join(LINK_NUMBERS)})"
        raise SimulationError(f"derivatives: {key} is no number of a link {told}")
    i = names.index(f"{body}/{link}")
    if sim.world.topology.mass[i] == 0.0:
        raise SimulationError(f"derivatives: {key}: the link has no mass")
    if number == "mass":
        out["mass"][i, k] = 1.0
    elif entry[0] == "center_of_mass":
        out["com"][i, int(entry[1]), k] = 1.0
    else:
        a, b = ("xyz".index(axis) for axis in entry[1])
        out["inertia"][i, [3 * a + b, 3 * b + a], k] = 1.0
    return True


def path_of(key: str) -> list[str]:
    """Return the names in a dotted key, of which some may be quoted."""
    return [name.strip('"') for name in re.findall(r'"[^"]*"|[^.]+', key)] or [key]


def changed(table: Any, path: Sequence[str], value: float) -> Any:
    """Return tables with another number at a path found by ``value_of``."""
    name, *rest = path
    if isinstance(table, list | tuple):
        items, at = list(table), int(name)
        items[at] = changed(items[at], rest, value) if rest else value
        return items
    return {**table, name: changed(table.get(name, {}), rest, value) if rest else value}


def entry(table: Any, name: str) -> Any:
    """Return the entry of a table or list under a name or number, None if it has none."""
    if isinstance(table, list | tuple):
        return table[int(name)] if name.isdecimal() and int(name) < len(table) else None
    return table.get(name) if isinstance(table, Mapping) else None


def value_of(sim: StepperSimulator, scene: Any, key: str) -> float:
    """Return the number at a dotted key of a scene, or its default if the scene leaves it out.

    Raises:
        SimulationError: if the key has no number.
    """
    *path, last = path_of(key)
    table = scene
    for name in path:
        table = entry(table, name)
    tunable = {shown.path: shown.value for shown in sim.tunables()}
    value = entry(table, last)
    value = tunable.get(key) if value is None else value
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise SimulationError(f"derivatives: {key} is not a number of the scene")
    return float(value)


_Known = tuple[Any, tuple[str, ...], dict[str, Floats]]
_KNOWN: WeakKeyDictionary[Any, _Known] = WeakKeyDictionary()
"""Last result of ``known_slopes`` by world, with its scene and keys."""


def known_slopes(sim: StepperSimulator, keys: tuple[str, ...]) -> dict[str, Floats]:
    """Return ``slopes_of``, computed again if the scene has been tuned."""
    if not keys:
        return {}
    if wrong := [key for key in keys if not isinstance(key, str)]:
        raise SimulationError(f"derivatives: {wrong[0]!r} is not a key of the scene")
    scene, known = sim.provenance.resolved, _KNOWN.get(sim.world)
    if known is None or known[0] is not scene or known[1] != keys:
        known = _KNOWN[sim.world] = (scene, keys, slopes_of(sim, keys))
    start = known[2].get("commanded")
    if start is not None and not np.allclose(commanded_gains(sim), start, rtol=1e-9, atol=1e-12):
        gains = [known[2][name] for name in ("stiffness", "rate_gain") if name in known[2]]
        key = next(key for k, key in enumerate(keys) if any(by[..., k].any() for by in gains))
        raise SimulationError(f"derivatives: {key}: commanded gains vary: not supported")
    return known[2]


def slopes_of(sim: StepperSimulator, keys: Sequence[str]) -> dict[str, Floats]:
    """Return the derivatives of a world's numbers by keys of its scene, along the last axis.

    Also the gains that act and are commanded, if any depends on a key: ``acting``, ``commanded``;
    and ``uneven``, 1 for keys that change masses and inertias of a body other than by a factor.
    Assembles worlds with neighbouring values and compares them, two per key.

    Raises:
        SimulationError: if a key is not a number of the scene, changes a number without derivative,
            or its value is fixed, or where it is one-sided not finite.
    """
    scene = sim.provenance.resolved.get("scene")
    if scene is None:
        raise SimulationError("derivatives: parameters are keys of a scene, and it has none")
    out = {name: np.zeros((*a.shape, len(keys))) for name, a in numbers(sim).items()}
    gains = dict[str, Floats]()
    for k, key in enumerate(keys):
        if by_link(sim, key, out, k):
            continue
        value = value_of(sim, scene, key)
        step = CHANGE * (abs(value) if value else 1.0)
        worlds, sides = neighbours(sim, scene, key, value, step)
        one, other = map(others, worlds[:2])
        if wrong := [name for name in one if not same(one[name], other[name])]:
            raise SimulationError(f"derivatives: {key} changes {', '.join(wrong)}: not supported")
        far, near, *more = map(numbers, worlds)
        for name in far:
            out[name][..., k] = (far[name] - near[name]) / (sides * step)
            if more:  # at the end of a range
                slope = (more[0][name] - near[name]) / (0.5 * sides * step)
                if not np.allclose(slope, out[name][..., k], rtol=1e-3, atol=1e-9):
                    raise SimulationError(
                        f"derivatives: {key} = {value:g} has no finite derivative"
                    )
                out[name][..., k] = 2.0 * slope - out[name][..., k]
        if abs(out["com"][..., k] * (value or 1.0)).max(initial=0.0) < ROUNDING:
            out["com"][..., k] = 0.0  # masses that are scaled
        if reason := fault(sim, out, k, key, worlds[1]):
            raise SimulationError(f"derivatives: {key} {reason}")
        ends = worlds[1:2] if more else worlds
        if out["stiffness"][..., k].any() or out["rate_gain"][..., k].any():
            gains["acting"] = np.mean([acting_gains(one) for one in ends], axis=0)
            gains["commanded"] = np.mean([commanded_gains(one) for one in ends], axis=0)
    for name in ("local", "radius", "sizes"):  # points on curved features move by rounding
        if name in out:
            out[name][abs(out[name]) < ROUNDING] = 0.0
    out["uneven"] = np.array([not scales(sim, out, k) for k in range(len(keys))], float)
    return {name: found for name, found in out.items() if found.any()} | gains


def fault(
    sim: StepperSimulator, slopes: Mapping[str, Floats], k: int, key: str, near: StepperSimulator
) -> str:
    """Return why a key, parameter k, has no derivative although its numbers have; else nothing."""
    idle = (commanded_gains(near) == 0.0).all(axis=0)
    changes = {name for name, found in slopes.items() if found[..., k].any()}
    if slopes["stiffness"][idle, k].any() or slopes["rate_gain"][idle, k].any():
        return "= 0 beside another gain of 0: a step does not tell whether such gains act"
    if path_of(key)[0] != "bodies" and changes & {"local", "radius", "sizes"}:
        return "changes shapes of the ground: not supported"
    patches = getattr(getattr(sim.stepper.terrain, "config", None), "patches", ())
    if patches and changes & {"friction", "restitution"}:
        return "acts by the place on a ground with patches: not supported"
    return "" if changes else "changes no number with a derivative"


def neighbours(
    sim: StepperSimulator, scene: Mapping[str, Any], key: str, value: float, step: float
) -> tuple[list[StepperSimulator], float]:
    """Return simulators with a larger and a smaller value of a key, and their distance in steps.

    At an end of its range: two steps inside and at the value, then one step inside; a warning says
    that the derivative is one-sided.

    Raises:
        SimulationError: if neither side has a neighbour.
    """
    for steps in ((1, -1), (2, 0, 1), (-2, 0, -1)):
        try:
            worlds = [assembled(sim, scene, key, value + s * step) for s in steps]
        except FootfallError as error:
            reason = error
            continue
        if len(steps) > 2:
            text = f"derivatives: {key} = {value:g} is at the end of its range: one-sided"
            warnings.warn(text, stacklevel=5)
        return worlds, float(steps[0] - steps[1])
    raise SimulationError(f"derivatives: {key} = {value:g} has no neighbour ({reason})")


def same(a: Floats, b: Floats) -> bool:
    """Return whether two arrays are the same except for rounding."""
    return a.shape == b.shape and bool(np.allclose(a, b, rtol=1e-12, atol=1e-15, equal_nan=True))


def assembled(
    sim: StepperSimulator, scene: Mapping[str, Any], key: str, value: float
) -> StepperSimulator:
    """Return a simulator with another value of a key, after its controllers have commanded."""
    if not math.isfinite(value):
        raise SimulationError(f"derivatives: {key} is not finite")
    tables = changed(scene, path_of(key), value)
    known, registry = sim.provenance.resolved, sim.provenance.registry or footfall.discover()
    other = footfall.stored_scene({**known, "scene": tables}, registry, trust=True)
    made = stepped(footfall.assemble(other, registry, tell_deep=False))
    made.step()  # so that its controllers have commanded
    if lost_gains(made).any():  # drives cut them, which they do not where joints are at targets
        dofs = made.world.joint_dofs
        made.q[made.world.topology.dof_q[dofs]] = made.world.joints.target[dofs]
        made.v[:] = 0.0
        made.step()
    return made
