"""The laws of a simulation."""

from __future__ import annotations

from dataclasses import dataclass

from footfall.interfaces.contact import ContactModel
from footfall.interfaces.impact import ImpactModel
from footfall.interfaces.integrator import Integrator
from footfall.interfaces.terrain import Terrain


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
