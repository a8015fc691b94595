"""What is refused of an assembled scene: coefficients that nothing gives, keys without effect.

Each check is called with the scene, its simulator at the start, and whether to warn; it refuses or
warns, and returns the parts that a step must be made in for it: 1.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from fnmatch import fnmatchcase
from itertools import combinations
from typing import Any

import numpy as np

from footfall import Scene, Simulator
from footfall.api.contact import ForceLaw, Need
from footfall.api.errors import RobotWarning, SceneError, nearest
from footfall.api.integrator import Continuous, OneStep
from footfall.api.plugin import Capability

TERRAIN = "terrain"
"""What the ground is called among bodies."""
LENGTHS = ("torsional_friction", "rolling_friction")


def check_friction(scene: Scene, sim: Simulator, tell: bool) -> int:
    """Refuse contacts for which nothing gives a coefficient of friction.

    Raises:
        SceneError: names the body, and the other one if both have shapes.
    """
    world = sim.world
    c = world.candidates
    missing = np.isnan(c.friction) & np.isnan(world.sample.friction) & np.isnan(c.pair_friction)
    if missing.any():
        name = world.contact_names[int(np.argmax(missing))].split("/")[0]
        raise scene.error(
            f"no coefficient of friction of {name} with the ground: give world.terrain.friction, "
            f"bodies.{name}.friction or pairs",
            *("world", "terrain"),
        )
    if world.collider is not None:
        _check_pairs(scene, world.collider.detector)
    return 1


def _check_pairs(scene: Scene, detector: Any) -> None:
    """Refuse pairs of bodies that can touch, and for which nothing gives a coefficient."""
    shapes = detector.shapes
    bare: dict[str, list[int]] = {}
    for k, shape in enumerate(shapes):
        if np.isnan(shape.friction):
            bare.setdefault(shape.body, []).append(k)
    moving = {shape.body for shape in shapes if shape.link >= 0}
    apart = set(detector.excluded.tolist())
    for one, other in combinations(bare, 2):
        pair = scene.pair(one, other)
        if (pair is not None and pair.friction is not None) or moving.isdisjoint((one, other)):
            continue
        if any(i * len(shapes) + j not in apart for i in bare[one] for j in bare[other]):
            raise _missing(scene, one, other)


def _missing(scene: Scene, one: str, other: str) -> SceneError:
    # The ground's shapes come last.
    of_other = f"bodies.{other}.friction" if other != TERRAIN else "world.terrain.friction"
    return scene.error(
        f"no coefficient of friction of {one} with {other}: give bodies.{one}.friction, "
        f'{of_other} or pairs."{one}/{other}"',
        *("bodies", one),
    )


def check_contacts(scene: Scene, sim: Simulator, tell: bool) -> int:
    """Refuse features that the ground cannot meet, and coefficients of contacts that do not exist.

    Raises:
        SceneError: names the feature and what the ground can meet; or the key, and the nearest
            name that there is.
    """
    terrain = sim.stepper.terrain
    names: dict[str, list[str]] = {name: [] for name in scene.bodies}
    for body in sim.world.bodies:
        for feature in body.features:
            foot = [] if feature.foot is None else [feature.foot.name]
            names[body.name] += [feature.name, *foot, body.model.link_names[feature.link]]
            if feature.kind not in terrain.kinds:
                raise scene.error(
                    f"meets {' and '.join(sorted(terrain.kinds))} features alone: a {feature.kind} "
                    "takes the ground below it as one plane, and "
                    f"{body.name}/{feature.name} is one",
                    *("world", "terrain", "plugin"),
                )
    collider = sim.world.collider
    for shape in collider.shapes if collider is not None else ():
        one, link, _ = shape.name.split("/")
        if one in names:
            names[one].append(link)
    for name, table in scene.bodies.items():
        known = list(dict.fromkeys(names[name]))
        for pattern in table.contacts:
            if not any(fnmatchcase(each, pattern) for each in known):
                hint = nearest(pattern, known) or f" (there are {', '.join(known) or 'none'})"
                where = "bodies", name, "contacts", pattern
                raise scene.error(f"no contact, foot or link of {name} is called so{hint}", *where)
    return 1


def check_moments(scene: Scene, sim: Simulator, tell: bool) -> int:
    """Refuse torsional and rolling friction where it would not act.

    Raises:
        SceneError: on a ground that moves, how it turns is not known; and contacts that are found
            by collision detection have none.
    """
    moves = Capability.MOVING_GROUND in sim.stepper.terrain.capabilities
    for path in _lengths(scene):
        key, body = ".".join(path), path[1]
        if moves:
            ground = f"the ground {scene.world.terrain.plugin} moves"
            raise scene.error(f"{ground}, and how it turns is not known", *path)
        if path[0] == "bodies" and not _declares(sim, body):
            raise scene.error(
                f"has no effect: {body} declares no contact points, and contacts that collision "
                "detection finds have no torsional or rolling friction",
                *path,
            )
        if path[0] == "pairs" and TERRAIN not in body.split("/"):
            raise scene.error(f"{key} has no effect: of contacts with the ground alone", *path)
    return 1


def _declares(sim: Simulator, body: str) -> bool:
    return any(name.startswith(f"{body}/") for name in sim.world.contact_names)


def _lengths(scene: Scene) -> Iterator[tuple[str, ...]]:
    """Yield the keys of lengths of torsional and rolling friction that are not 0."""
    tables: list[tuple[tuple[str, ...], Any]] = [(("world", "terrain"), scene.world.terrain.config)]
    for name, body in scene.bodies.items():
        tables.append((("bodies", name), body))
        tables += [(("bodies", name, "contacts", one), of) for one, of in body.contacts.items()]
    tables += [(("pairs", "/".join(names)), pair) for names, pair in scene.pairs.items()]
    for path, table in tables:
        for key in LENGTHS:
            if getattr(table, key, None):
                yield (*path, key)


def check_effects(scene: Scene, sim: Simulator, tell: bool) -> int:
    """Refuse controllers of bodies that have nothing to be driven, and objects nothing can touch.

    Raises:
        SceneError: for the first one.
    """
    joints = {body.name: len(body.model.joint_names) for body in sim.world.bodies}
    for name, body in scene.bodies.items():
        driven = body.controller.plugin != "zero" or body.pace.model_fields_set
        if driven and not joints.get(name):
            why = "on a fixed object" if body.fixed else f": {name} has no joints"
            told = f"has no effect{' ' if body.fixed else ''}{why}"
            raise scene.error(told, "bodies", name, "controller")
        if body.fixed and not scene.detects:
            raise scene.error(
                "has no effect: nothing touches it with [collisions] detect = false",
                *("bodies", name, "fixed"),
            )
    return 1


def check_accelerations(scene: Scene, sim: Simulator, tell: bool) -> int:
    """Refuse a law that is stated with accelerations where surfaces are curved.

    Raises:
        SceneError: names the laws that could; it would need the surfaces' curvature.
    """
    law, registry = sim.stepper.law, sim.provenance.registry
    if Need.JDOT_V not in law.needs:
        return 1
    assert registry is not None
    if sim.world.collider is not None:
        cure = "where only the ground is touched: [collisions] detect = false"
        curved = f"bodies that touch each other ({cure})"
    elif Capability.CURVED_TERRAIN in sim.stepper.terrain.capabilities:
        curved = f"the ground {scene.world.terrain.plugin}"
    else:
        return 1
    others = [name for name, cls in registry.contact.loadable() if Need.JDOT_V not in cls.needs]
    raise scene.error(
        f'contact "{scene.contact.plugin}" is stated with accelerations, for which it would need '
        f"the curvature of {curved} (contact plugins that do without: {', '.join(others)})",
        *("contact", "plugin"),
    )


TIME_STEPPING_KEYS = (
    "substeps",
    "max_impact_splits",
    "impact_order",
    "restitution_threshold",
    "max_correction_speed",
    "delassus",
)
"""Settings of ``[simulation]`` that only time stepping has."""


def check_continuous_time(scene: Scene, sim: Simulator, tell: bool) -> int:
    """Refuse what an integrator of continuous time has no place for.

    Raises:
        SceneError: for limits and friction of joints, contacts between bodies, an impact model that
            acts, or a setting of time steps.
    """
    registry = sim.provenance.registry
    assert registry is not None
    if not issubclass(registry.integrator[scene.integrator.plugin].load(), Continuous):
        return 1
    integrator, world = f'integrator "{scene.integrator.plugin}"', sim.world
    if world.joint_row_names:
        raise scene.error(
            f"{integrator} has no place for limits and friction of joints "
            f"({world.joint_row_names[0]}): choose a one-step integrator",
            *("integrator", "plugin"),
        )
    if world.collider is not None:
        steps = [n for n, cls in registry.integrator.loadable() if not issubclass(cls, Continuous)]
        raise scene.error(
            f"{integrator} knows no contacts between bodies "
            f"(integrators that do: {', '.join(steps)})",
            *("integrator", "plugin"),
        )
    if registry.impact[scene.impact.plugin].load().acts:
        raise scene.error(
            f'{integrator} makes no impacts, and impact "{scene.impact.plugin}" acts: choose '
            f'impact.plugin = "none" or a time-stepping integrator',
            *("impact", "plugin"),
        )
    for key in TIME_STEPPING_KEYS:
        if key in scene.simulation.model_fields_set:
            raise scene.error(
                f"has no effect: it belongs to time stepping, not {integrator}; leave it out",
                *("simulation", key),
            )
    return 1


def check_scheme(scene: Scene, sim: Simulator, tell: bool) -> int:
    """Refuse explicit positions beside a law that needs them to move with the new velocity.

    Raises:
        SceneError: names the integrators that do.
    """
    registry, choice, law = sim.provenance.registry, scene.integrator, sim.stepper.law
    assert registry is not None
    if law.explicit_position or not _is_explicit(
        registry.integrator[choice.plugin].load(), choice.config
    ):
        return 1
    sound = [
        name
        for name, other in registry.integrator.loadable()
        if name != choice.plugin
        and not (issubclass(other, Continuous) and not isinstance(law, ForceLaw))
        and not _is_explicit(other, other.Config.model_construct())
    ]
    raise scene.error(
        f'integrator "{choice.plugin}" moves positions with the old velocity, which does not suit '
        f'contact "{scene.contact.plugin}" (integrators that do: {", ".join(sound) or "none"})',
        *("integrator", "plugin"),
    )


def _is_explicit(cls: type[Any], config: Any) -> bool:
    scheme = cls(config)
    return isinstance(scheme, OneStep) and scheme.theta == 0.0


def check_delassus(scene: Scene, sim: Simulator, tell: bool) -> int:
    """Refuse a method of the Delassus matrix that does not know all that is in the problem.

    Raises:
        SceneError: says what.
    """
    method, world = scene.simulation.delassus, sim.world
    registry = sim.provenance.registry
    assert registry is not None
    if method == "sparse" or not registry.find("delassus", method).load().open_chains_only:
        return 1
    there = {
        "closed loops": bool(world.loop_names),
        "limits or friction of joints": bool(world.joint_row_names)
        and bool(world.joint_rows.active.any()),
        "drives that couple joints": bool(len(world.joints.coupling)),
        "torsional or rolling friction": world.moments,
    }
    for what, found in there.items():
        if found:
            told = f'"{method}" does not know {what}: choose "sparse"'
            raise scene.error(told, "simulation", "delassus")
    return 1


def tell_of_triangles(scene: Scene, sim: Simulator, tell: bool) -> int:
    """Warn of two bodies that touch each other with triangles, which holds for shallow depths."""
    collider = sim.world.collider
    shapes: Any = () if collider is None or not tell else collider.shapes
    hollow = [s for s in shapes if type(s.geometry).__name__ in ("TriangleMesh", "HeightField")]
    bodies = list(dict.fromkeys(s.body for s in sorted(hollow, key=lambda s: s.link < 0)))
    if len(bodies) > 1 and any(s.link >= 0 for s in hollow):
        one, other, *_ = bodies
        warnings.warn(
            f"{one} and {other} touch with triangles as they are: that holds while they are less "
            "deep in each other than their triangles are large "
            '(use = "hull", or convex parts, holds at any depth)',
            RobotWarning,
            stacklevel=3,
        )
    return 1
