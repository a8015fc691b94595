"""Find what stopped being finite first."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from footfall.typing import Floats

if TYPE_CHECKING:
    from footfall.simulation.simulator import Simulator


def bad_signal(sim: Simulator, row: Floats) -> str | None:
    """Return the first quantity of the step that is not finite, in the order they are made."""
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
