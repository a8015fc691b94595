"""The parts that a simulator is composed of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from footfall.plugin import Plugin
from footfall.roles.contact import ContactModel
from footfall.roles.controller import Controller
from footfall.roles.impact import ImpactModel
from footfall.roles.integrator import Continuous, Integrator
from footfall.roles.terrain import Terrain
from footfall.roles.visualizer import Node, Visualizer
from footfall.simulation.drives import Drives
from footfall.simulation.law_arrays import QUADRATURES
from footfall.simulation.pushes import JointPush, LinkPush
from footfall.simulation.sensing import Sensing, seed_part
from footfall.simulation.state import Part
from footfall.simulation.state_arrays import DETECTED
from footfall.world.world import World


@dataclass(frozen=True, slots=True)
class Physics:
    """The laws of a simulation.

    Attributes:
        contact: contact law.
        impact: impact model.
        integrator: how the state moves on; its family decides which stepper does it.
        terrain: the ground.
    """

    contact: ContactModel
    impact: ImpactModel
    integrator: Integrator
    terrain: Terrain


@dataclass(frozen=True, slots=True)
class About:
    """What a recording and a saved state say of where they come from.

    Attributes:
        name: of the scene.
        resolved: the resolved scene, plain tables.
        nodes: what a visualizer draws, links numbered as in the world.
        duration: default length of a run, [s].
        interval: steps between recorded rows.
    """

    name: str = "simulation"
    resolved: Mapping[str, Any] = field(default_factory=dict)
    nodes: tuple[Node, ...] = ()
    duration: float = 1.0
    interval: int = 1


@dataclass(frozen=True, slots=True)
class Company:
    """Who acts in and watches a simulation.

    Attributes:
        controllers: by body name.
        drives: groups of joints with actuators; other joints get what is commanded.
        visualizer: shows the run.
        pushes: what pushes bodies from outside.
        sensors: what is measured.
        seed: of their noise.
    """

    controllers: Mapping[str, Controller] = field(default_factory=dict)
    visualizer: Visualizer | None = None
    drives: Sequence[Drives] = ()
    pushes: tuple[LinkPush | JointPush, ...] = ()
    sensors: Sequence[Sensing] = ()
    seed: int = 0


def state_parts(world: World, physics: Physics, company: Company) -> tuple[Part, ...]:
    """List the parts of the state: the core's own and those that plugins declare."""
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
        *((f"controller.{name}", controller) for name, controller in company.controllers.items()),
    ]
    rows = {"global": 1, "dof": world.nv, "contact": n}
    for prefix, owner in owners:
        for part in owner.state_parts:
            shape, grows = (rows[part.per], part.width), detects and part.per == "contact"
            parts.append(Part(f"{prefix}.{part.name}", shape, part.kind, grows))
    parts += seed_part(company.sensors)
    parts += [part for sensor in company.sensors for part in sensor.parts()]
    parts += [part for drives in company.drives for part in drives.parts()]
    if isinstance(physics.integrator, Continuous):
        parts.append(Part(QUADRATURES, (3,), "continuous"))
    return tuple(parts)
