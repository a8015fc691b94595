"""Combinations of a contact law, an impact model and an integrator that fit together."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from footfall import scene_from_dict
from footfall.api.contact import BlockKind, ContactProblem, ImpulseLaw, LawState
from footfall.api.plugin import Capability, Floats, PluginConfig, PluginError, Registry
from footfall.api.world import OneStep
from footfall.testing.check import Subject, subject_of
from footfall_stepper.api import (
    Assembly,
    Body,
    GuestSimulator,
    Physics,
    StepperSimulator,
    StepSettings,
    World,
    hosted,
)

SIMULATOR = "simulator "
"""Prefix of the names of simulators that replace a contact law."""


NOBODY = {"bodies": {"cube": {"robot": "cube"}}}
"""Bodies of a scene that are replaced by those of a world."""


@dataclass(frozen=True, slots=True, order=True)
class Names:
    """Names of a contact law, an impact model and an integrator.

    Attributes:
        contact: name of the contact law; or of a simulator, after "simulator ".
        impact: name of the impact model.
        integrator: name of the integrator.
    """

    contact: str
    impact: str
    integrator: str

    def __str__(self) -> str:
        return f"{self.contact} + {self.impact} + {self.integrator}"


def names_of_simulator(registry: Registry, name: str) -> Names:
    """Return the names under which a simulator is measured.

    Raises:
        PluginError: if the simulator does not exist, cannot be loaded, is Footfall itself, or does
            not step Footfall's worlds.
    """
    cls: type[Any] = registry.find("simulator", name).load()
    if name == registry.default("simulator"):
        raise PluginError(f'simulator "{name}" steps with contact laws: name a law with --law')
    if not issubclass(cls, GuestSimulator):
        raise PluginError(f'simulator "{name}" cannot step worlds: it is no guest of Footfall')
    return Names(f"{SIMULATOR}{name}", "none", registry.default("integrator"))


def overrides_of(contact: str) -> dict[str, str]:
    """Return the overrides of a scene that choose a law, or a simulator instead, by name."""
    if contact.startswith(SIMULATOR):
        return {"simulator.plugin": contact.removeprefix(SIMULATOR)}
    return {"contact.plugin": contact}


class Elsewhere(ImpulseLaw):
    """A stand-in for the contact law if another simulator makes the steps."""

    capabilities = frozenset({Capability.FRICTION, Capability.TILTED_TERRAIN})
    blocks = frozenset(BlockKind)
    absorbs_impacts = True

    def solve(self, problem: ContactProblem, state: LawState) -> None:
        """Raise an error; the simulator solves instead."""
        raise NotImplementedError


def _stepped_by(
    registry: Registry, simulator: str, tables: Mapping[str, Any], world: World, physics: Physics
) -> Physics:
    """Return the physics of a world whose steps another simulator makes, as a guest."""
    scene = scene_from_dict({**tables, **NOBODY, "simulator": {"plugin": simulator}}, registry)
    cls: type[GuestSimulator] = registry.find("simulator", simulator).load()
    return hosted(Assembly(scene, world, physics, registry), cls(scene.simulator.config).guest)


@dataclass(frozen=True, slots=True)
class Combination:
    """Plugins of which a check composes its simulators, with default settings.

    Attributes:
        contact: the contact law.
        impact: the impact model.
        integrator: the integrator.
        terrain: class of the ground.
        elsewhere: function that replaces the laws by the steps of another simulator, called with
            the tables of a scene, its world and its laws; None: the laws make the steps.
    """

    contact: Subject
    impact: Subject
    integrator: Subject
    terrain: type[Any]
    elsewhere: Callable[[Mapping[str, Any], World, Physics], Physics] | None = None

    @property
    def names(self) -> Names:
        """Names of the plugins."""
        return Names(self.contact.cls.name, self.impact.cls.name, self.integrator.cls.name)

    @property
    def impacts_act(self) -> bool:
        """Whether the impact model is active."""
        return bool(self.impact.cls.acts)

    @property
    def order(self) -> int:
        """Declared order of the integrator."""
        return int(self.integrator.cls.order)

    @property
    def flight_order(self) -> int:
        """Order of the integrator for a rigid body in flight."""
        return int(self.integrator.cls.flight_order or self.order)

    @property
    def steps_once(self) -> bool:
        """Whether the integrator is a time-stepping scheme, which moves bodies by momentum."""
        return issubclass(self.integrator.cls, OneStep)

    @property
    def creep(self) -> float:
        """Largest creep speed of a sticking point, [m/s]."""
        return self.contact.claims.creep

    @property
    def restitutes(self) -> bool:
        """Whether restitution is declared."""
        subject = self.impact if self.impacts_act else self.contact
        return subject.can(Capability.RESTITUTION)

    def simulator(
        self,
        bodies: Sequence[Body],
        gravity: Floats,
        time_step: float,
        units: Mapping[str, float] | None = None,
        **ground: Any,
    ) -> StepperSimulator:
        """Compose a simulator with fresh objects of the plugins.

        Args:
            bodies: bodies of the world.
            gravity: shape (3,), [m/s^2].
            time_step: time step, [s].
            units: table ``[units]`` of a scene, which the defaults follow.
            ground: settings of the terrain.
        """
        settings, metre, contact, impact = StepSettings(time_step), 1.0, self.contact, self.impact
        if units is not None:
            chosen = {"contact": self.names.contact, "impact": self.names.impact}
            plugins = {role: {"plugin": name} for role, name in chosen.items()}
            scene = scene_from_dict({**NOBODY, **plugins, "units": units})
            metre, table = scene.units.of(1.0, "m"), scene.simulation
            thresholds = table.restitution_threshold, table.max_correction_speed
            settings = StepSettings(time_step, 4, "before_contact", *thresholds, metre)
            contact = replace(contact, config=scene.contact.config)
            impact = replace(impact, config=scene.impact.config)
        physics = Physics(
            contact=contact.make(),
            impact=impact.make(),
            integrator=self.integrator.make(),
            terrain=self.terrain(self.terrain.Config(**ground)),
        )
        world = World(bodies, gravity, metre=metre)
        if self.elsewhere is not None:
            given = {key: value for key, value in ground.items() if value is not None}
            terrain = {"plugin": self.terrain.name, **given}
            around = {"gravity": gravity.tolist(), "terrain": terrain}
            tables = {"simulation": {"time_step": time_step}, "world": around}
            physics = self.elsewhere(tables, world, physics)
        return StepperSimulator(world, physics, settings)


def combine(
    registry: Registry,
    contact: str,
    impact: str | None = None,
    integrator: str | None = None,
    solver: str | None = None,
) -> Combination:
    """Look up plugins by name.

    Args:
        registry: the installed plugins.
        contact: name of the contact law; or of a simulator, after "simulator ".
        impact: name of the impact model; by default the one that suits the law.
        integrator: name of the integrator; by default that of a scene file.
        solver: name of the QP solver for laws that use one; likewise.

    Raises:
        PluginError: if a plugin does not exist or cannot be loaded.
    """
    terrain = registry.find("terrain", registry.default("terrain")).load()
    if contact.startswith(SIMULATOR):
        name = contact.removeprefix(SIMULATOR)
        registry.find("simulator", name).load()
        law: type[ImpulseLaw] = type("Elsewhere", (Elsewhere,), {"name": contact})
        return Combination(
            contact=Subject("contact", law, PluginConfig(), None),
            impact=subject_of("impact", "none", registry),
            integrator=subject_of("integrator", registry.default("integrator"), registry),
            terrain=terrain,
            elsewhere=partial(_stepped_by, registry, name),
        )
    with_solver = solver or registry.default("solver")

    def subject(role: str, name: str) -> Subject:
        return subject_of(role, name, registry, solver=with_solver)

    return Combination(
        contact=subject("contact", contact),
        impact=subject("impact", impact or registry.suiting_impact(contact)),
        integrator=subject("integrator", integrator or registry.default("integrator")),
        terrain=terrain,
    )
