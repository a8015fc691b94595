"""Settings of the step, and the laws of a simulation."""

from __future__ import annotations

from collections.abc import MutableSequence
from dataclasses import dataclass
from math import inf
from typing import Any, Literal, cast

import numpy.typing as npt

from footfall.interfaces.contact import ContactModel, DelassusMethod, ImpactModel
from footfall.interfaces.integrator import Integrator
from footfall.interfaces.terrain import Terrain
from footfall_stepper.guest import Guest


@dataclass(frozen=True, slots=True)
class StepSettings:
    """Settings of the step.

    Attributes:
        time_step: [s].
        max_impact_splits: largest number of parts between impacts in one step.
        impact_order: whether impacts are resolved before contact forces (correct) or after them
            (with the velocity before, as Guedelha's simulator of open chains does).
        restitution_threshold: approach speed up to which an impact is inelastic, [m/s].
        max_correction_speed: largest speed at which rigid laws remove penetration, [m/s].
        metre: length of a metre in the scene's units.
        delassus: method for the Delassus matrix, ``sparse`` or a method's class.
    """

    time_step: float
    max_impact_splits: int = 4
    impact_order: Literal["before_contact", "after_contact"] = "before_contact"
    restitution_threshold: float = 1e-2
    max_correction_speed: float = 0.5
    metre: float = 1.0
    delassus: type[DelassusMethod] | Literal["sparse"] = "sparse"

    def deepest(self, gain: float) -> float:
        """Return the depth above which a law that removes ``gain`` of it per step is slow, [m]."""
        return self.max_correction_speed * self.time_step / gain if gain > 0.0 else inf


def cells(array: npt.NDArray[Any]) -> MutableSequence[Any]:
    """Return the entries of a one-dimensional array as plain numbers, to read and write singly.

    Reading one takes a third of the time of reading it from the array.
    """
    return cast(MutableSequence[Any], memoryview(cast(Any, array)))


@dataclass(frozen=True, slots=True)
class Physics:
    """The laws of a simulation.

    Attributes:
        contact: contact law.
        impact: impact model.
        integrator: advances the state; its family selects the stepper.
        terrain: the ground.
        guest: another simulator that makes the steps; None: the laws make them.
    """

    contact: ContactModel
    impact: ImpactModel
    integrator: Integrator
    terrain: Terrain
    guest: Guest | None = None
