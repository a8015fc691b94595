"""The parts that a simulator is composed of."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from footfall.devices.participants import Participants, hand_part, own_state
from footfall.devices.sensors import seed_part
from footfall.errors import PluginError
from footfall.interfaces.integrator import Continuous
from footfall.interfaces.plugin import Plugin
from footfall.interfaces.visualizer import Node
from footfall.registry.registry import Registry
from footfall.stepping.law import QUADRATURES
from footfall.stepping.settings import Physics
from footfall.world.state import DETECTED, Part
from footfall.world.world import World


@dataclass(frozen=True, slots=True)
class Tuned:
    """A setting that was changed during the simulation.

    Attributes:
        time: simulated time of the change, [s].
        path: key in the scene.
        old: value before, in the key's own unit.
        new: value since.
    """

    time: float
    path: str
    old: float
    new: float


@dataclass(frozen=True, slots=True)
class Provenance:
    """The origin of a simulation, for recordings and saved states.

    Attributes:
        name: of the scene.
        resolved: the resolved scene, plain tables.
        nodes: nodes drawn by a visualizer, links numbered as in the world.
        duration: default length of a run, [s].
        interval: steps between recorded rows.
        registry: the plugins of the assembly, None if composed from objects.
        origin: the resolved scene as given, if objects have come or gone or settings were tuned
            since; None if ``resolved`` is the given scene.
        tuned: the tuned settings so far, oldest first.
    """

    name: str = "simulation"
    resolved: Mapping[str, Any] = field(default_factory=dict)
    nodes: tuple[Node, ...] = ()
    duration: float = 1.0
    interval: int = 1
    registry: Registry | None = None
    origin: Mapping[str, Any] | None = None
    tuned: tuple[Tuned, ...] = ()


def state_parts(world: World, physics: Physics, participants: Participants) -> tuple[Part, ...]:
    """List the parts of the state: the core's own and those declared by plugins."""
    n = world.n_contacts
    parts = [
        Part("tick", (1,)),
        Part("q", (world.nq,), "continuous"),
        Part("v", (world.nv,), "continuous"),
        Part("impulse", (n, 3)),
        Part("touching", (n,)),
        Part("ledger", (8,)),
        Part("joint_impulse", (len(world.joint_row_names),)),
        Part("nudot", (world.nv,)),
        Part("foot_wrench", (len(world.foot_names), 6)),
    ]
    detects = world.collider is not None
    if detects:
        parts += DETECTED
    owners: list[tuple[str, Plugin]] = [
        ("contact", physics.contact),
        ("impact", physics.impact),
        ("integrator", physics.integrator),
    ]
    rows = {"global": 1, "dof": world.nv, "contact": n}
    for prefix, owner in owners:
        for part in owner.state_parts:
            shape, grows = (rows[part.per], part.width), detects and part.per == "contact"
            parts.append(Part(f"{prefix}.{part.name}", shape, part.kind, grows))
    parts += [
        part for name in participants.controllers for part in _kept(world, participants, name)
    ]
    parts += seed_part(participants.sensors)
    parts += [part for sensor in participants.sensors for part in sensor.parts()]
    if participants.interaction is not None:
        sizes = participants.interaction.memory_sizes
        parts += [Part(hand_part(name), (size,)) for name, size in sizes.items()]
    parts += [part for drives in participants.drives for part in drives.parts()]
    for name, ticks in participants.rates.items():
        parts += ticks.parts(name, len(world.bodies[world.index(name)].model.joint_names))
    if isinstance(physics.integrator, Continuous):
        parts.append(Part(QUADRATURES, (3,), "continuous"))
    return tuple(parts)


def _kept(world: World, participants: Participants, name: str) -> Iterator[Part]:
    """Yield the state parts of a body's controller."""
    model = world.bodies[world.index(name)].model
    rows = {"global": 1, "dof": model.nv, "joint": len(model.joint_names)}
    for part in participants.controllers[name].state_parts:
        if part.per not in rows:
            raise PluginError(
                f"controller of {name}: its state part {part.name!r} is per {part.per}, "
                f"allowed is {', '.join(rows)}"
            )
        yield Part(f"{own_state(name)}{part.name}", (rows[part.per], part.width), part.kind)
