"""A validated scene, from which a simulator is assembled, and its chosen plugins."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

from pydantic import InstanceOf

from footfall.config.friction import largest
from footfall.config.toml import KeyPath, Where
from footfall.errors import SceneError
from footfall.interfaces.plugin import PluginConfig
from footfall.model.object_schema import CollisionTable
from footfall.registry.defaults import DEFAULTS
from footfall.registry.loaders import Origin
from footfall.scene.external_forces import PushTable
from footfall.scene.schema import (
    BodyFields,
    BodyPair,
    HandTable,
    Pace,
    Pair,
    Recorder,
    SceneFile,
    Simulation,
    Table,
)
from footfall.scene.units import Units

ANY = "*"
"""Wildcard for any name in the path of a slot."""


@dataclass(frozen=True, slots=True)
class Slot:
    """A place in a scene file where a plugin is chosen.

    Attributes:
        path: keys of its table.
        role: name of the catalog of its plugins.
        default: name of the default plugin; None if it depends on the contact law.
        beside: model of the keys in the same table that do not belong to the plugin.
    """

    path: KeyPath
    role: str
    default: str | None
    beside: type[Table] | None = None

    def matches(self, path: KeyPath) -> bool:
        """Return whether a path is this place."""
        return len(path) == len(self.path) and all(
            mine in (ANY, part) for mine, part in zip(self.path, path, strict=True)
        )


TERRAIN = Slot(("world", "terrain"), "terrain", DEFAULTS["terrain"])
CONTROLLER = Slot(("bodies", ANY, "controller"), "controller", DEFAULTS["controller"], Pace)
CONTROLLER_SOLVER = Slot(("bodies", ANY, "controller", "solver"), "solver", DEFAULTS["solver"])
SIMULATOR = Slot(("simulator",), "simulator", DEFAULTS["simulator"])
ENGINE = Slot(("engine",), "engine", DEFAULTS["engine"])
CONTACT = Slot(("contact",), "contact", DEFAULTS["contact"])
CONTACT_SOLVER = Slot(("contact", "solver"), "solver", DEFAULTS["solver"])
IMPACT = Slot(("impact",), "impact", None)
IMPACT_SOLVER = Slot(("impact", "solver"), "solver", DEFAULTS["solver"])
INTEGRATOR = Slot(("integrator",), "integrator", DEFAULTS["integrator"])
VISUALIZER = Slot(("visualizer",), "visualizer", DEFAULTS["visualizer"])
DEVICE = Slot(("hands", ANY, "device"), "input_device", DEFAULTS["input_device"])
HAND = Slot(("hands", ANY), "interaction", "hands", HandTable)

_SLOTS = (
    TERRAIN,
    CONTROLLER,
    CONTROLLER_SOLVER,
    SIMULATOR,
    ENGINE,
    CONTACT,
    CONTACT_SOLVER,
    IMPACT,
    IMPACT_SOLVER,
    INTEGRATOR,
    VISUALIZER,
    HAND,
    DEVICE,
)


@dataclass(frozen=True, slots=True)
class Choice:
    """A plugin that a scene chooses, with its settings.

    Attributes:
        role: name of the catalog.
        plugin: name in the catalog.
        config: the plugin's settings.
        solver: QP solver for its constructor, if its class uses one.
        origin: its distribution, None if it was registered in Python.
        requires: import names of the packages that it needs.
        live: whether it is a device that a user moves during the run.
    """

    role: str
    plugin: str
    config: PluginConfig
    solver: Choice | None = None
    origin: Origin | None = None
    requires: tuple[str, ...] = ()
    live: bool = False


@dataclass(frozen=True, slots=True)
class Hand:
    """A hand of a scene.

    Attributes:
        interaction: the plugin that acts for it.
        device: the device that moves it.
    """

    interaction: Choice
    device: Choice


PairKey = tuple[str, str]
"""Names of two bodies, or of one and ``terrain``, in alphabetical order."""


@dataclass(frozen=True, slots=True)
class World:
    """The surroundings of the bodies.

    Attributes:
        gravity: [m/s^2], world frame.
        terrain: the ground.
    """

    gravity: tuple[float, float, float]
    terrain: Choice


class Body(BodyFields):
    """A robot or an object of a scene."""

    name: str
    """Unique in the scene."""
    controller: InstanceOf[Choice]
    """Controller of its joints."""
    pace: Pace = Pace()
    """Rate and delay of the controller."""


@dataclass(frozen=True, slots=True)
class Scene:
    """A validated scene with all content of its file.

    Attributes:
        name: ``robot/scene`` for a bundled scene, else the file's name without its ending.
        description: one line.
        file: path of its file, None for a scene that was composed in Python.
        simulation: duration, time step, treatment of impacts.
        world: gravity and terrain.
        bodies: bodies by name, in the file's order.
        simulator: maker of the steps.
        engine: dynamics engine.
        contact: contact law.
        impact: impact model.
        integrator: scheme that moves positions by velocities.
        visualizer: viewer of the run.
        recorder: settings of the recording.
        pairs: coefficients of pairs, see ``pair``.
        collisions: settings of contacts between bodies.
        pushes: external wrenches on links and efforts on joints.
        hands: hands that act on the run, by name.
        units: units of all numbers.
        notes: notes for the user, e.g. on settings dropped with a replaced plugin.
        where: lines of its keys, for later errors.
    """

    name: str
    description: str
    file: str | None
    simulation: Simulation
    world: World
    bodies: Mapping[str, Body]
    simulator: Choice
    engine: Choice
    contact: Choice
    impact: Choice
    integrator: Choice
    visualizer: Choice
    recorder: Recorder = field(default_factory=Recorder)
    pairs: Mapping[PairKey, BodyPair] = field(default_factory=dict)
    collisions: CollisionTable = field(default_factory=CollisionTable)
    pushes: tuple[PushTable, ...] = ()
    hands: Mapping[str, Hand] = field(default_factory=dict)
    units: Units = field(default_factory=Units)
    notes: tuple[str, ...] = ()
    where: Where = field(default=Where(None, {}), compare=False, repr=False)

    File: ClassVar[type[SceneFile]] = SceneFile
    """Model of a scene file, without the tables of plugins."""
    SLOTS: ClassVar[tuple[Slot, ...]] = _SLOTS
    """All places of a scene's file where a plugin is chosen."""

    LAWS: ClassVar = ("contact", "impact", "integrator")
    """Roles that another simulator replaces."""

    @property
    def set_aside(self) -> bool:
        """Whether another simulator makes the steps, so that the scene's laws are not used."""
        return self.simulator.plugin != SIMULATOR.default

    @property
    def detects(self) -> bool:
        """Whether contacts between bodies are detected."""
        if self.collisions.detect is not None:
            return self.collisions.detect
        if self.collisions.ground == "shapes":
            return True
        return any(body.shape is not None for body in self.bodies.values())

    @property
    def folder(self) -> Path:
        """The folder that paths in the scene are relative to."""
        return Path(self.file).parent if self.file else Path()

    def pair(self, first: str, second: str) -> BodyPair | None:
        """Return the table in ``[pairs]`` of two bodies, or a body and ``terrain``."""
        return self.pairs.get(pair_key(first, second))

    def coefficients(self) -> Iterator[tuple[KeyPath, float]]:
        """Yield key and value of each contact coefficient that is given and not 0.

        Of friction by direction it is the larger one.
        """
        tables: list[tuple[KeyPath, Any]] = [(TERRAIN.path, self.world.terrain.config)]
        for name, body in self.bodies.items():
            tables.append((("bodies", name), body))
            for one, contact in body.contacts.items():
                tables.append((("bodies", name, "contacts", one), contact))
        tables += [(("pairs", "/".join(names)), table) for names, table in self.pairs.items()]
        for path, table in tables:
            for key in Pair.model_fields:
                if value := largest(getattr(table, key, None) or 0.0):
                    yield (*path, key), value

    def error(self, message: str, *path: str | int) -> SceneError:
        """Return an error about a key of the scene, e.g. ``("bodies", "icub", "robot")``."""
        return self.where.error(message, path)

    def choices(self) -> Iterator[tuple[str, Choice]]:
        """Yield every chosen plugin that is used, with the key of its table."""
        tables = {
            "world.terrain": self.world.terrain,
            **{f"bodies.{name}.controller": body.controller for name, body in self.bodies.items()},
            "simulator": self.simulator,
            "engine": self.engine,
            **({} if self.set_aside else {name: getattr(self, name) for name in self.LAWS}),
            "visualizer": self.visualizer,
            **{f"hands.{name}": hand.interaction for name, hand in self.hands.items()},
            **{f"hands.{name}.device": hand.device for name, hand in self.hands.items()},
        }
        for key, choice in tables.items():
            yield key, choice
            if choice.solver:
                yield f"{key}.solver", choice.solver


def pair_key(first: str, second: str) -> PairKey:
    """Return the key of a pair, in any order of names."""
    return (first, second) if first <= second else (second, first)
