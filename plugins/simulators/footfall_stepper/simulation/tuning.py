"""Settings that can be changed while a simulation runs, friction included."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from functools import partial
from itertools import groupby
from operator import attrgetter
from typing import TYPE_CHECKING, Any

import numpy as np

from footfall.config.toml import dotted
from footfall.config.validate import validate
from footfall.errors import SimulationError, nearest
from footfall.interfaces.interactive_visualizer import LiveTunable
from footfall.interfaces.plugin import Plugin, PluginConfig
from footfall.registry.catalog import tunable_fields
from footfall.scene.schema import TERRAIN, BodyFields, Pair
from footfall.simulator.run_record import Provenance, Tuned
from footfall_stepper.stepping.time_stepping import TimeStepping
from footfall_stepper.world.body import body_name

if TYPE_CHECKING:
    from footfall_stepper.simulation.simulator import StepperSimulator


GRAVITY = tuple(f"world.gravity.{axis}" for axis in range(3))
"""Keys that an assignment of ``gravity`` changes: they are no sliders."""
Path = tuple[str, ...]
Tables = Mapping[str, Any]
HIGH = 2.0
"""Upper end of the sliders of friction coefficients, [-]."""


@dataclass(frozen=True, slots=True)
class Setting:
    """One number that can be changed during a simulation.

    Attributes:
        path: key in the scene.
        shown: its description for users.
        check: validates the table of the key with a new value.
        take: applies the result of ``check`` to the simulation.
    """

    path: Path
    shown: LiveTunable
    check: Callable[[float], Any]
    take: Callable[[Any], None]


def friction_tunables(sim: StepperSimulator, tables: Mapping[str, Any]) -> Iterator[Setting]:
    """Yield the setting of each friction coefficient."""
    own = _own(sim)
    for name, table in tables["bodies"].items():
        value = table.get("friction", own.get(name, math.nan))
        if not isinstance(value, dict) and math.isfinite(value):
            yield _of_body(sim, name, table, value)
    yield from _of_points(sim, tables["bodies"])
    for key, table in tables["pairs"].items():
        if "friction" in table and not isinstance(table["friction"], dict):
            yield _of_pair(sim, key, table)


def _of_body(sim: StepperSimulator, name: str, table: Mapping[str, Any], value: float) -> Setting:
    path = ("bodies", name, "friction")
    given = {key: table[key] for key in BodyFields.model_fields if key in table}

    def take(friction: float) -> None:
        world = sim.stepper.world
        own = [pattern for pattern, one in table.get("contacts", {}).items() if "friction" in one]
        for k, point in enumerate(world.contact_names):
            body, feature = point.split("/", 1)
            if body == name and not any(fnmatchcase(feature, pattern) for pattern in own):
                world.candidates.friction[k] = friction
        if sim.stepper.collisions is not None:
            sim.stepper.collisions.set_friction(dict.fromkeys(_shapes(sim, name), friction))

    return Setting(path, _shown(path, name, value), _check(BodyFields, given, path), take)


def _of_points(sim: StepperSimulator, bodies: Tables) -> Iterator[Setting]:
    """Yield the body's friction at each contact point of bodies with joints."""
    directions = sim.world.candidates.directions
    friction = sim.stepper.world.candidates.friction
    robots = {b.name for b in sim.world.bodies if b.tree}
    for k, title in enumerate(sim.world.contact_names):
        body, feature = title.split("/", 1)
        if body in robots and not np.isfinite(directions[k : k + 1, 0]).any():
            path = ("bodies", body, "contacts", feature, "friction")
            given = bodies[body].get("contacts", {}).get(feature, {})
            ground = sim.world.ground.friction[k]
            value = ground if math.isnan(friction[k]) else friction[k]
            shown = _shown(path, body, value, f"friction of {feature}")
            yield Setting(path, shown, _check(Pair, given, path), partial(friction.__setitem__, k))


def _of_pair(sim: StepperSimulator, key: str, table: Mapping[str, Any]) -> Setting:
    path, sides = ("pairs", key, "friction"), key.split("/")

    def take(friction: float) -> None:
        world = sim.stepper.world
        if TERRAIN in sides:
            other = sides[0] if sides[1] == TERRAIN else sides[1]
            mine = [k for k, point in enumerate(world.contact_names) if body_name(point) == other]
            world.candidates.pair_friction[mine] = friction
        if sim.stepper.collisions is not None:
            sim.stepper.collisions.set_pair_friction(sides[0], sides[1], friction)

    shown = _shown(path, " and ".join(sides), table["friction"])
    return Setting(path, shown, _check(Pair, table, path), take)


def _check(model: type[PluginConfig], table: Tables, path: Path) -> Callable[[float], Any]:
    """Return a function that validates a table with a new value at a path, and returns it."""
    *outer, key = path
    return lambda new: getattr(validated(model, {**table, key: new}, tuple(outer)), key)


def ground_retuned(sim: StepperSimulator) -> None:
    """Apply the tuned coefficients of a ground, also to its shapes."""
    terrain = sim.stepper.terrain
    terrain.prepare(sim.stepper.world.sample)
    numbers = _shapes(sim, TERRAIN)
    if numbers and sim.stepper.collisions is not None:
        given = [np.nan if s.friction is None else s.friction for s in terrain.solids()]
        sim.stepper.collisions.set_friction(dict(zip(numbers, given, strict=True)))


def _shapes(sim: StepperSimulator, name: str) -> list[int]:
    """Return the numbers of a body's shapes, or of the ground's."""
    collider = sim.world.collider
    return [s.number for s in collider.shapes if body_name(s.name) == name] if collider else []


def _own(sim: StepperSimulator) -> dict[str, float]:
    """Return the coefficient of each body whose points and shapes all have the same one.

    NaN for friction by direction, which cannot be tuned.
    """
    world, frictions = sim.world, sim.world.candidates.friction.copy()
    directed = world.collider.directions if world.collider is not None else {}
    frictions[np.flatnonzero(np.isfinite(world.candidates.directions[:, 0]))] = np.nan
    values: dict[str, set[float]] = {}
    for point, friction in zip(world.contact_names, frictions, strict=True):
        values.setdefault(body_name(point), set()).add(float(friction))
    for shape in world.collider.shapes if world.collider is not None else ():
        friction = math.nan if shape.number in directed else float(shape.friction)
        values.setdefault(body_name(shape.name), set()).add(friction)
    return {name: found.pop() for name, found in values.items() if len(found) == 1}


def _shown(path: Path, owner: str, value: float, name: str = "friction") -> LiveTunable:
    return LiveTunable(dotted(path), float(value), 0.0, HIGH, "-", f"{owner}: {name}")


def tunables(sim: StepperSimulator) -> tuple[LiveTunable, ...]:
    """Return the settings that can be changed; see ``Simulator.tunables``."""
    first = {one.path: one.old for one in reversed(sim.provenance.tuned)}
    shown = [setting.shown for setting in _settings(sim)]
    return tuple(replace(one, start=first.get(one.path, one.value)) for one in shown)


def tune(sim: StepperSimulator, path: str, value: float) -> None:
    """Change a setting; see ``Simulator.tune``."""
    found = {setting.shown.path: setting for setting in _settings(sim)}
    if isinstance(path, str) and path in GRAVITY:
        found[path] = _of_gravity(sim, path)
    if str(path) not in found:
        known = f" (tunable: {', '.join(found)})" if len(found) <= 12 else ""
        raise SimulationError(f"tune: {path!r} cannot be tuned{nearest(path, found)}{known}")
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise SimulationError(f"tune: {path} must be a finite number, got {value!r}")
    setting = found[path]
    setting.take(setting.check(float(value)))
    sim.provenance = _noted(sim.provenance, setting, float(value), sim.time)


def _of_gravity(sim: StepperSimulator, path: str) -> Setting:
    """Return the setting of an entry of gravity, for which the world is assembled again."""
    axis = int(path[-1])
    shown = LiveTunable(path, float(sim.gravity[axis]), -math.inf, math.inf, "m/s^2", "gravity")

    def check(new: float) -> list[float]:
        return [new if k == axis else float(old) for k, old in enumerate(sim.gravity)]

    return Setting(tuple(path.split(".")), shown, check, partial(setattr, sim, "gravity"))


def tuned_attribute(provenance: Provenance) -> dict[str, Any]:
    """Return the recording's attribute on tuned settings: time, path, old and new value of each."""
    if not provenance.tuned:
        return {}
    return {"tuned": [[one.time, one.path, one.old, one.new] for one in provenance.tuned]}


MOST_NOTED = 2000
"""Largest number of noted changes. Above it, consecutive changes of one setting are merged, then
the oldest are dropped."""


def _noted(provenance: Provenance, setting: Setting, value: float, time: float) -> Provenance:
    """Store a change in the resolved scene, so that saved states and later worlds include it."""
    resolved = {
        **provenance.resolved,
        "scene": _with(provenance.resolved["scene"], setting.path, value),
    }
    tuned, old = list(provenance.tuned), setting.shown.value
    if tuned and (tuned[-1].path, tuned[-1].time) == (setting.shown.path, time):
        old = tuned.pop().old
    tuned.append(Tuned(time, setting.shown.path, old, value))
    if len(tuned) > MOST_NOTED:
        runs = (list(run) for _, run in groupby(tuned, attrgetter("path")))
        tuned = [replace(run[-1], old=run[0].old) for run in runs][-MOST_NOTED:]
    origin = provenance.origin if provenance.origin is not None else provenance.resolved
    return replace(provenance, resolved=resolved, origin=origin, tuned=tuple(tuned))


def _with(table: Tables, path: Path, value: float) -> dict[str, Any]:
    """Return tables with another value at a path; other tables are shared."""
    if len(path) == 1:
        return {**table, path[0]: value}
    if isinstance(entries := table.get(path[0]), list):
        return {
            **table,
            path[0]: [value if str(k) == path[1] else e for k, e in enumerate(entries)],
        }
    return {**table, path[0]: _with(table.get(path[0], {}), path[1:], value)}


def _settings(sim: StepperSimulator) -> Iterator[Setting]:
    if not sim.provenance.resolved:
        return
    tables = sim.provenance.resolved["scene"]
    yield from friction_tunables(sim, tables)
    for tuned in (*_hands(sim, tables), *_plugins(sim)):
        table: Tables = tables
        for key in tuned.path:
            table = table[key]
        yield from _of_table(tuned, table)


@dataclass(frozen=True, slots=True)
class TunedTable:
    """A table of the scene whose marked fields can be changed.

    Attributes:
        path: key of the table.
        owner: its name for users.
        config: model of its fields.
        retune: applies new settings to the simulation.
        plugin: the plugin of the table.
    """

    path: Path
    owner: str
    config: type[PluginConfig]
    retune: Callable[[Any], None]
    plugin: Plugin | None = None


def _hands(sim: StepperSimulator, tables: Tables) -> Iterator[TunedTable]:
    hands = sim.interaction
    if hands is None:
        return
    for name in tables.get("hands", {}):
        take = partial(hands.retune_hand, name)
        yield TunedTable(("hands", name), f"hand {name}", type(hands).Config, take)


def _plugins(sim: StepperSimulator) -> Iterator[TunedTable]:
    stepper = sim.stepper
    yield _of_plugin(("world", "terrain"), "ground", stepper.terrain, lambda: ground_retuned(sim))
    if isinstance(stepper, TimeStepping):
        yield _of_plugin(("contact",), stepper.law.name, stepper.law, stepper.renew)
        yield _of_plugin(("impact",), stepper.impact.name, stepper.impact)
    for body, controller in sim.participants.controllers.items():
        yield _of_plugin(("bodies", body, "controller"), body, controller)


def _nothing() -> None:
    """Do nothing."""


def _of_plugin(
    path: Path, owner: str, plugin: Plugin, settle: Callable[[], None] = _nothing
) -> TunedTable:
    """Return the table of a plugin; ``settle`` is called after a change."""

    def retune(config: PluginConfig) -> None:
        plugin.retune(config)
        settle()

    return TunedTable(path, owner, type(plugin).Config, retune, plugin)


def _of_table(tuned: TunedTable, table: Tables) -> Iterator[Setting]:
    path, model = tuned.path, tuned.config
    given = {key: value for key, value in table.items() if key in model.model_fields}
    fields = list(tunable_fields(model))
    now = validated(model, given, path) if fields else None
    numbers = [(f, *one) for f in fields for one in f.values(now, tuned.plugin).items()]
    for field, key, value in numbers:

        def check(new: float, at: Path = (field.name, *key)) -> PluginConfig:
            config: PluginConfig = validated(model, _with(given, at, new), path)
            return config

        if field.name not in given and not _may_be(check, value):
            continue
        at, mark = (*path, field.name, *key), field.mark
        name = " ".join([mark.label or field.name.replace("_", " "), *key])
        shown = LiveTunable(
            dotted(at), value, mark.low, mark.high, field.unit, f"{tuned.owner}: {name}"
        )
        yield Setting(at, replace(shown, logarithmic=mark.logarithmic), check, tuned.retune)


def _may_be(check: Callable[[float], Any], value: float) -> bool:
    """Return whether a value is valid together with the other values of its table."""
    from footfall.errors import SceneError

    try:
        check(value)
    except SceneError:
        return False
    return True


def validated(model: type[PluginConfig], table: Tables, path: Path) -> Any:
    """Return the model of a table; an error is one line with the key."""
    return validate(model, table, file=None, lines={}, prefix=path)
