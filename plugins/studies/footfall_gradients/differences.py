"""Jacobians of a step by central differences, for any law and as a check of exact ones."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from footfall.api.plugin import Floats, SimulationError
from footfall_gradients.manifold import difference, integrate
from footfall_stepper.api import StepperSimulator


class StepDifferences(NamedTuple):
    """Result of ``step_differences``, in the coordinates of ``footfall.derivatives``.

    Attributes:
        state: shape (2 nv, 2 nv), Jacobian of the new q and v by the old ones.
        force: shape (2 nv, nv), Jacobian by generalized forces; empty if not requested.
    """

    state: Floats
    force: Floats


def step_differences(
    sim: StepperSimulator,
    tau: Floats | None = None,
    *,
    size: float = 1e-6,
    speed: float = 1e-5,
    force: float = 0.0,
    held: bool = False,
) -> StepDifferences:
    """Return Jacobians of the *next* step by central differences; the simulator does not change.

    Their accuracy is that of the law's solver: set ``contact.tolerance = 1e-12``. Controllers
    are called in each step, so their response to the change is included. If controllers respond to
    the state, ``sim.derivatives()`` agrees with ``held=True``.

    Args:
        sim: simulator of any scene.
        tau: torques of the step; None: the scene's controllers.
        size: change of positions, [m, rad].
        speed: change of velocities, [m/s, rad/s].
        force: change of generalized forces, [N, N m]; 0: leave those out.
        held: whether controllers hold their commands of the unchanged state.

    Raises:
        SimulationError: if a push acts in the step, and ``force`` is given.
    """
    before, start, nv = sim.state.copy(), sim.state.copy(), sim.world.nv
    external, here, nq = sim.stepper.world.joints.external, np.hstack([sim.q, sim.v]), len(sim.q)

    def after(x: Floats, df: Floats) -> Floats:
        sim.state.restore(start)
        sim.q[:], sim.v[:], external[:] = x[:nq], x[nq:], df
        if held and tau is None and asked:
            sim.make_steps(None, 0, 1, commands=False)
        else:
            sim.step(tau)
        if (external != df).any() and df.any():
            raise SimulationError("step_differences: force: a push in this step replaces it")
        if start.room < sim.state.room:  # or each step would enlarge it again
            start.reserve(sim.state.room)
        return np.hstack([sim.q, sim.v])

    def ends(changes: Floats) -> Floats:
        """Return new states after changes of q, v and forces, shape (n, 3 nv)."""
        starts = integrate(sim, here, changes[:, : 2 * nv])
        found = [after(*one) for one in zip(starts, changes[:, 2 * nv :], strict=True)]
        return np.reshape(found, (-1, nq + nv))

    def columns(change: float, place: int) -> Floats:
        if change <= 0.0:
            return np.zeros((2 * nv, 0))
        changes = np.zeros((2 * nv, 3 * nv))
        changes[:, place * nv : (place + 1) * nv] = change * np.vstack([np.eye(nv), -np.eye(nv)])
        moved = difference(sim, middle, ends(changes))
        return (moved[:nv] - moved[nv:]).T / (2.0 * change)

    kept, asked = external.copy(), False
    try:
        middle = ends(np.zeros((1, 3 * nv)))[0]
        asked = True
        q, v, f = columns(size, 0), columns(speed, 1), columns(force, 2)
    finally:
        external[:] = kept
        sim.state.restore(before)
    return StepDifferences(np.hstack([q, v]), f)
