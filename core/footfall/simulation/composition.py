"""The parts that a simulator is composed of."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from footfall.devices.drives import Drives
from footfall.devices.pacing import Ticks
from footfall.devices.pushes import JointPush, LinkPush
from footfall.devices.recorded_signals import RecordedSignal
from footfall.devices.sensors import Sensing, seed_part
from footfall.errors import PluginError
from footfall.interfaces.contact import ContactModel
from footfall.interfaces.controller import Controller
from footfall.interfaces.impact import ImpactModel
from footfall.interfaces.integrator import Continuous, Integrator
from footfall.interfaces.plugin import Plugin
from footfall.interfaces.terrain import Terrain
from footfall.interfaces.visualizer import Node, Visualizer
from footfall.registry.registry import Registry
from footfall.stepping.law_arrays import QUADRATURES
from footfall.world.state import Part
from footfall.world.state_arrays import DETECTED
from footfall.world.world import World
from footfall_hands.hand_plan import HandPlan


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
class Tuned:
    """A setting that was changed while the simulation ran.

    Attributes:
        time: simulated, from which it counts, [s].
        path: key in the scene.
        old: value before, in the key's own unit.
        new: value since.
    """

    time: float
    path: str
    old: float
    new: float


@dataclass(frozen=True, slots=True)
class About:
    """What a recording and a saved state say of where they come from.

    Attributes:
        name: of the scene.
        resolved: the resolved scene, plain tables.
        nodes: what a visualizer draws, links numbered as in the world.
        duration: default length of a run, [s].
        interval: steps between recorded rows.
        registry: the plugins that it was assembled from, None if from objects.
        origin: the resolved scene as it was given, where objects have come or gone or settings
            were tuned since; None where ``resolved`` is that.
        tuned: what has been tuned so far, oldest first.
    """

    name: str = "simulation"
    resolved: Mapping[str, Any] = field(default_factory=dict)
    nodes: tuple[Node, ...] = ()
    duration: float = 1.0
    interval: int = 1
    registry: Registry | None = None
    origin: Mapping[str, Any] | None = None
    tuned: tuple[Tuned, ...] = ()


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
        paces: of controllers that are not called every step, by body name.
        signals: of bodies that are recorded.
        hands: that reach into it.
    """

    controllers: Mapping[str, Controller] = field(default_factory=dict)
    visualizer: Visualizer | None = None
    drives: Sequence[Drives] = ()
    pushes: tuple[LinkPush | JointPush, ...] = ()
    sensors: Sequence[Sensing] = ()
    seed: int = 0
    paces: Mapping[str, Ticks] = field(default_factory=dict)
    signals: Sequence[RecordedSignal] = ()
    hands: Sequence[HandPlan] = ()


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
    ]
    rows = {"global": 1, "dof": world.nv, "contact": n}
    for prefix, owner in owners:
        for part in owner.state_parts:
            shape, grows = (rows[part.per], part.width), detects and part.per == "contact"
            parts.append(Part(f"{prefix}.{part.name}", shape, part.kind, grows))
    parts += [part for name in company.controllers for part in _kept(world, company, name)]
    parts += seed_part(company.sensors)
    parts += [part for sensor in company.sensors for part in sensor.parts()]
    parts += [part for hand in company.hands for part in hand.parts()]
    parts += [part for drives in company.drives for part in drives.parts()]
    for name, ticks in company.paces.items():
        parts += ticks.parts(name, len(world.bodies[world.index(name)].model.joint_names))
    if isinstance(physics.integrator, Continuous):
        parts.append(Part(QUADRATURES, (3,), "continuous"))
    return tuple(parts)


def own_state(body: str) -> str:
    """Return what the names of the state's parts begin with that a body's controller owns."""
    return f"controller.{body}."


def _kept(world: World, company: Company, name: str) -> Iterator[Part]:
    """Yield what the controller of a body keeps in the state."""
    model = world.bodies[world.index(name)].model
    rows = {"global": 1, "dof": model.nv, "joint": len(model.joint_names)}
    for part in company.controllers[name].state_parts:
        if part.per not in rows:
            raise PluginError(
                f"controller of {name}: its state part {part.name!r} is per {part.per}, "
                f"allowed is {', '.join(rows)}"
            )
        yield Part(f"{own_state(name)}{part.name}", (rows[part.per], part.width), part.kind)
