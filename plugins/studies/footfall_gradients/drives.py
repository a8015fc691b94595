"""Torques given for a step, on their way through the drives of their joints."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from footfall.api.plugin import Floats, SimulationError
from footfall_gradients.refusals import drive_memory
from footfall_stepper.api import Commands, Phase, StepperSimulator

if TYPE_CHECKING:
    from footfall_gradients.derivatives import Derivatives

SIZE = 1e-6
"""Change of a torque, position or velocity for differences, [N m, rad, rad/s]; drives are linear
between their limits."""
INSIDE = 1e-5
"""Part of a torque, beside the size of differences, by which slopes are taken nearer to zero: at a
limit that of its inner side."""


_PASSED: AbstractContextManager[Floats | None] = nullcontext()


def driven(sim: StepperSimulator) -> AbstractContextManager[Floats | None]:
    """Let torques given for the last step act again; without drives they have acted as given."""
    through = sim.stepper.program.source & Commands.GIVEN and sim.driving.drives
    return _driven(sim) if through else _PASSED


@contextmanager
def _driven(sim: StepperSimulator) -> Iterator[Floats | None]:
    """Let torques given for the last step act again, as their drives have delivered them.

    Yields:
        Shape (nu, 3 nu): derivative of the delivered torques by positions and velocities of the
        joints and by the given torques; None if drives pass them on.

    Raises:
        SimulationError: if a drive has a memory.
    """
    program, joints, driving = sim.stepper.program, sim.world.joints, sim.driving
    if part := drive_memory(sim):
        raise SimulationError(f"derivatives: torques given through drives that remember ({part})")
    after, motors = sim.state.copy(), driving.motors
    dofs = sim.world.joint_dofs[motors]
    places = (sim.q, sim.world.topology.dof_q[dofs]), (sim.v, dofs), (driving.torque, motors)
    n, given = len(motors), driving.torque.copy()
    inside = np.sign(given) * np.maximum((1.0 - INSIDE) * abs(given) - 4.0 * SIZE, 0.0)

    def delivered(change: Floats) -> Floats:
        for (array, at), part in zip(places, np.split(change, 3), strict=True):
            array[at] += part
        program.run(Phase.GIVE)
        program.run(Phase.DRIVE)
        torque: Floats = joints.tau[dofs].copy()
        program.run(Phase.TAKE_BACK)
        sim.q[:], sim.v[:], driving.torque[:] = sim.signal("q"), sim.signal("v"), inside
        return torque

    def slope(change: Floats) -> Floats:
        return np.subtract(delivered(SIZE * change), delivered(-SIZE * change)) / (2.0 * SIZE)

    try:
        sim.q[:], sim.v[:], driving.torque[:] = sim.signal("q"), sim.signal("v"), inside
        mixed, through = np.linspace(1.0, 2.0, 3 * n), None
        if abs(slope(mixed) - mixed[2 * n :]).max(initial=0.0) > 1e-6:
            through = np.array([slope(e) for e in np.eye(3 * n)]).T
        driving.torque[:] = given
        program.run(Phase.GIVE)
        program.run(Phase.DRIVE)
        sim.state.restore(after)
        yield through
    finally:
        driving.torque[:] = given
        program.run(Phase.TAKE_BACK)
        sim.state.restore(after)


def through_drives(found: Derivatives, through: Floats | None) -> Derivatives:
    """Return Jacobians by torques before their drives, from those by torques behind them."""
    if through is None:
        return found
    n, at = len(found.rows) // 2, found.joints
    rows, by_state, drives = found.rows.copy(), *np.split(through, [2 * len(at)], axis=1)
    rows[:, np.r_[at, n + at]] += rows[:, 2 * n + at] @ by_state
    return replace(found, rows=rows, drives=drives)
