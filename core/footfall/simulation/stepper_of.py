"""Which stepper makes the steps."""

from __future__ import annotations

from typing import TYPE_CHECKING

from footfall.interfaces.integrator import Continuous
from footfall.simulation.composition import Physics
from footfall.stepping.stepper import StepSettings, TimeStepping
from footfall.world.state import State
from footfall.world.world import World

if TYPE_CHECKING:
    from footfall.stepping.continuous_time import ContinuousTime


def stepper_of(
    world: World, state: State, physics: Physics, settings: StepSettings
) -> TimeStepping | ContinuousTime:
    """Make the stepper that the integrator is for."""
    if isinstance(physics.integrator, Continuous):
        from footfall.stepping.continuous_time import ContinuousTime

        return ContinuousTime(world, state, physics=physics, settings=settings)
    return TimeStepping(world, state, physics=physics, settings=settings)
