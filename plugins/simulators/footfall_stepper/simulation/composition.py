"""The parts that a simulator is composed of."""

from __future__ import annotations

from collections.abc import Iterator

from footfall.errors import PluginError
from footfall.interfaces.integrator import Continuous
from footfall.interfaces.plugin import Plugin
from footfall_stepper.devices.participants import Participants, hand_part, own_state
from footfall_stepper.devices.sensors import seed_part
from footfall_stepper.stepping.law import QUADRATURES
from footfall_stepper.stepping.settings import Physics
from footfall_stepper.world.state import COUNT, DETECTED, FLAG, Bounds, Part
from footfall_stepper.world.world import World


def state_parts(world: World, physics: Physics, participants: Participants) -> tuple[Part, ...]:
    """List the parts of the state: the core's own and those declared by plugins."""
    n = world.n_contacts
    parts = [
        Part("tick", (1,), bounds=COUNT),
        Part("q", (world.nq,), "continuous"),
        Part("v", (world.nv,), "continuous"),
        Part("impulse", (n, 3)),
        Part("touching", (n,), bounds=FLAG),
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
            parts.append(Part.of(part, f"{prefix}.{part.name}", shape, grows=grows))
    parts += [
        part for name in participants.controllers for part in _kept(world, participants, name)
    ]
    parts += seed_part(participants.sensors)
    parts += [part for sensor in participants.sensors for part in sensor.parts()]
    if participants.interaction is not None:
        sizes = participants.interaction.memory_sizes
        bounds = participants.interaction.memory_bounds(world.link_names)
        for name, size in sizes.items():
            limits = Bounds(*bounds.get(name, ()))
            parts.append(Part(hand_part(name), (size,), bounds=limits))
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
        yield Part.of(part, f"{own_state(name)}{part.name}", (rows[part.per], part.width))
