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
    external = sim.stepper.world.joints.external

    def after(q: Floats, v: Floats, df: Floats) -> tuple[Floats, Floats]:
        sim.state.restore(start)
        sim.q[:], sim.v[:] = q, v
        external[:] = df
        if held and tau is None and asked:
            sim.make_steps(None, 0, 1, commands=False)
        else:
            sim.step(tau)
        if (external != df).any() and df.any():
            raise SimulationError("step_differences: force: a push in this step replaces it")
        if start.room < sim.state.room:  # or each step would enlarge it again
            start.reserve(sim.state.room)
        return sim.q.copy(), sim.v.copy()

    def ends(changes: Floats) -> tuple[Floats, Floats]:
        """Return new positions and velocities after changes of q, v and forces, (3, n, nv)."""
        starts = integrate(sim, start["q"], changes[0]), start["v"] + changes[1], changes[2]
        found = [after(*one) for one in zip(*starts, strict=True)]
        q, v = ([one[k] for one in found] for k in (0, 1))
        return np.reshape(q, (-1, len(sim.q))), np.reshape(v, (-1, nv))

    def columns(change: float, place: int) -> Floats:
        if change == 0.0:
            return np.zeros((2 * nv, 0))
        changes = np.zeros((3, 2 * nv, nv))
        changes[place] = change * np.vstack([np.eye(nv), -np.eye(nv)])
        q, v = ends(changes)
        moved = np.hstack([difference(sim, middle, q), v])
        return (moved[:nv] - moved[nv:]).T / (2.0 * change)

    kept, asked = external.copy(), False
    try:
        middle = ends(np.zeros((3, 1, nv)))[0][0]
        asked = True
        q, v, f = columns(size, 0), columns(speed, 1), columns(force, 2)
    finally:
        external[:] = kept
        sim.state.restore(before)
    return StepDifferences(np.hstack([q, v]), f)
