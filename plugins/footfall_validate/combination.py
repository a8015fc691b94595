"""Combinations of plugins that go together: a contact law, an impact model, an integrator."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from footfall import Body, Simulator
from footfall.api.integrator import OneStep
from footfall.api.plugin import Capability, Floats, Registry
from footfall.testing.bench import simulator
from footfall.testing.check import Subject, subject_of


@dataclass(frozen=True, slots=True, order=True)
class Names:
    """Names of a contact law, an impact model and an integrator.

    Attributes:
        contact: of the contact law.
        impact: of the impact model.
        integrator: of the integrator.
    """

    contact: str
    impact: str
    integrator: str

    def __str__(self) -> str:
        return f"{self.contact} + {self.impact} + {self.integrator}"


@dataclass(frozen=True, slots=True)
class Combination:
    """Plugins that a check composes its simulators of, each with its default settings.

    Attributes:
        contact: the contact law.
        impact: the impact model.
        integrator: the integrator.
        terrain: class of the ground.
    """

    contact: Subject
    impact: Subject
    integrator: Subject
    terrain: type[Any]

    @property
    def names(self) -> Names:
        """Names of the plugins."""
        return Names(self.contact.cls.name, self.impact.cls.name, self.integrator.cls.name)

    @property
    def impacts_act(self) -> bool:
        """Whether the impact model does anything."""
        return bool(self.impact.cls.acts)

    @property
    def order(self) -> int:
        """Declared order of the integrator."""
        return int(self.integrator.cls.order)

    @property
    def flight_order(self) -> int:
        """The same of a rigid body in flight."""
        return int(self.integrator.cls.flight_order or self.order)

    @property
    def steps_once(self) -> bool:
        """Whether it is a scheme of time stepping, which moves rigid bodies by their momentum."""
        return issubclass(self.integrator.cls, OneStep)

    @property
    def creep(self) -> float:
        """Speed up to which a point that sticks may slide, [m/s]."""
        return self.contact.claims.creep

    @property
    def restitutes(self) -> bool:
        """Whether the coefficient of restitution is declared to be honoured."""
        subject = self.impact if self.impacts_act else self.contact
        return subject.can(Capability.RESTITUTION)

    def simulator(
        self, bodies: Sequence[Body], gravity: Floats, time_step: float, **ground: Any
    ) -> Simulator:
        """Compose a simulator with fresh objects of the plugins.

        Args:
            bodies: in the world.
            gravity: shape (3,), [m/s^2].
            time_step: [s].
            ground: settings of the terrain.
        """
        return simulator(
            bodies,
            contact=self.contact.make(),
            impact=self.impact.make(),
            integrator=self.integrator.make(),
            terrain=self.terrain(self.terrain.Config(**ground)),
            gravity=gravity,
            time_step=time_step,
        )


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
        contact: name of the contact law.
        impact: name of the impact model; by default the one that suits the law.
        integrator: name of the integrator; by default that of a scene file.
        solver: name of the QP solver for laws that are made with one; likewise.

    Raises:
        PluginError: if a plugin does not exist or cannot be loaded.
    """
    with_solver = solver or registry.default("solver")

    def subject(role: str, name: str) -> Subject:
        return subject_of(role, name, registry, solver=with_solver)

    return Combination(
        contact=subject("contact", contact),
        impact=subject("impact", impact or registry.suiting_impact(contact)),
        integrator=subject("integrator", integrator or registry.default("integrator")),
        terrain=registry.find("terrain", registry.default("terrain")).load(),
    )
