"""Errors of steps that fail: where, and which number was wrong first."""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

import numpy as np

from footfall.errors import FootfallError, PluginError, SimulationError, error_line
from footfall.typing import Floats

if TYPE_CHECKING:
    from footfall_stepper.simulation.simulator import StepperSimulator


def fail(sim: StepperSimulator, error: Exception, row: Floats) -> NoReturn:
    """Raise an error that says where and why a step has failed."""
    if not isinstance(error, FootfallError):
        when = f"step {sim.state.tick}, t = {sim.time:.6g} s"
        raise SimulationError(f"{when}: {error_line(error)}") from error
    if isinstance(error, PluginError) or bad_signal(sim, row) is None:
        raise error
    # If a law rejects values that are not finite, the cause lies elsewhere.
    told = f" ({error})" if isinstance(error, SimulationError) else ""
    raise SimulationError(told_of_numbers(sim, row) + told) from error


def told_of_numbers(sim: StepperSimulator, row: Floats) -> str:
    """Return the message that a step has numbers that are not finite."""
    name = bad_signal(sim, row) or "velocity after the step"
    return (
        f"step {sim.state.tick}, t = {sim.time:.6g} s: {name} is not finite; "
        "the recording is readable up to this step"
    )


def bad_signal(sim: StepperSimulator, row: Floats) -> str | None:
    """Return the first quantity of the step that is not finite, in order of computation."""
    dynamics, problem = sim.world.dynamics, sim.stepper.problem
    signals = (
        ("position q", sim.layout.view(row, "q")),
        ("velocity v", sim.layout.view(row, "v")),
        ("inertia M (engine)", dynamics.M),
        ("bias force h (engine)", dynamics.h),
        ("twists S (engine)", dynamics.S),
        ("link poses (engine)", dynamics.pose),
        ("tau (controller)", sim.world.joints.tau),
        ("free velocity", dynamics.v_free),
        ("gap (terrain)", sim.world.candidates.gap),
        ("contact impulse (contact law)", problem.impulse),
        ("split impulse (contact law)", problem.correction),
        ("velocity after the step", dynamics.v_new),
    )
    return next((name for name, array in signals if not np.isfinite(array).all()), None)
