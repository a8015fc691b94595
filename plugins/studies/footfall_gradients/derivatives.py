"""The function behind ``sim.derivatives()``: Jacobians of the last step."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import cast

import numpy as np

from footfall.api.plugin import Floats, Ints, SimulationError
from footfall_gradients.drives import driven, through_drives
from footfall_gradients.kernels.answer import Mode
from footfall_gradients.kernels.move import FLYING
from footfall_gradients.kernels.part import TOUCHING
from footfall_gradients.manifold import integrate, turn
from footfall_gradients.parameters import known_slopes
from footfall_gradients.part import workspace_of
from footfall_gradients.parts import PartWise
from footfall_gradients.refusals import LAW, coulomb_settings, own_slopes, refuse
from footfall_stepper.api import Commands, StepperSimulator, TimeStepping, note_touching, own_parts

IMPACTS = "impacts", "impact_splits"
"""Recorded numbers of impacts."""


@dataclass(frozen=True)
class Derivatives:
    """Jacobians of a step ``(q, v, tau) -> (q+, v+)``.

    Positions have tangent coordinates, shape (nv,). For a floating base they are the displacement
    of its origin and a small rotation, both along the base's *own* axes (columns: the old base,
    rows: the new one); the joints follow. Velocities are as in ``sim.v``.

    Attributes:
        dq_dq, dq_dv, dv_dq, dv_dv: shape (nv, nv).
        dq_dtau, dv_dtau: shape (nv, joints), by the joints' torques or forces, in order.
        dq_dforce, dv_dforce: shape (nv, nv), by generalized forces on all dofs, for bases along
            their own axes, in midpoint schemes those at the midpoint unless a rigid body flies;
            times the transposed Jacobian of a point: by forces there.
        dq_dp, dv_dp: shape (nv, parameters), by the requested parameters.
        mode: shape (blocks,), mode of each block of the contact problem: 0 open, 1 stick or held,
            2 slip or sliding, -1 unknown (laws other than ``coulomb``); if impacts have split the
            step, of all its problems.
        margin: shape (blocks,), distance to the next mode, also of split impulses, [m/s]; within
            it the step is smooth.
        gap_margin: distance of the nearest gap to 0 or to the law's slop, where the rules for
            positions change, [m]; at the start of the step also of the first impact that splits
            it, and of all points in midpoint schemes.
        drives: shape (joints, joints), the delivered torques by those given for the step, where
            drives have cut or converted them; None: passed on, or commanded by controllers.
    """

    rows: Floats
    joints: Ints
    mode: Ints
    margin: Floats
    gap_margin: float
    drives: Floats | None = None

    def by_torques(self, columns: Floats) -> Floats:
        """Return columns by torques from those by generalized forces, shape (n, nv)."""
        picked: Floats = columns[:, self.joints]
        return picked if self.drives is None else picked @ self.drives

    @property
    def _nv(self) -> int:
        return len(self.rows) // 2

    def _block(self, row: int, column: int) -> Floats:
        n = self._nv
        return self.rows[row * n : (row + 1) * n, column * n : (column + 1) * n]

    @property
    def dq_dq(self) -> Floats:
        """Jacobian of positions by positions."""
        return self._block(0, 0)

    @property
    def dq_dv(self) -> Floats:
        """Jacobian of positions by velocities."""
        return self._block(0, 1)

    @property
    def dv_dq(self) -> Floats:
        """Jacobian of velocities by positions."""
        return self._block(1, 0)

    @property
    def dv_dv(self) -> Floats:
        """Jacobian of velocities by velocities."""
        return self._block(1, 1)

    @property
    def dq_dforce(self) -> Floats:
        """Jacobian of positions by generalized forces."""
        return self._block(0, 2)

    @property
    def dv_dforce(self) -> Floats:
        """Jacobian of velocities by generalized forces."""
        return self._block(1, 2)

    @property
    def dq_dtau(self) -> Floats:
        """Jacobian of positions by torques."""
        return self.by_torques(self.dq_dforce)

    @property
    def dv_dtau(self) -> Floats:
        """Jacobian of velocities by torques."""
        return self.by_torques(self.dv_dforce)

    @property
    def dq_dp(self) -> Floats:
        """Jacobian of positions by parameters."""
        return self.rows[: self._nv, 3 * self._nv :]

    @property
    def dv_dp(self) -> Floats:
        """Jacobian of velocities by parameters."""
        return self.rows[self._nv :, 3 * self._nv :]

    @property
    def state(self) -> Floats:
        """Jacobian of the state, shape (2 nv, 2 nv)."""
        return self.rows[:, : len(self.rows)]

    @property
    def control(self) -> Floats:
        """Jacobian by the joints' torques, shape (2 nv, joints)."""
        n = len(self.rows)
        return self.by_torques(self.rows[:, n : n + n // 2])

    @property
    def parameters(self) -> Floats:
        """Jacobian by the parameters, shape (2 nv, parameters)."""
        return self.rows[:, 3 * self._nv :]

    @property
    def least_margin(self) -> float:
        """Smallest margin of any contact to another mode, [m/s]."""
        return min(self.margin.tolist(), default=math.inf)

    @property
    def one_sided(self) -> bool:
        """Whether contacts lie at a gap of 0 to rounding; ``at_rest`` chooses the side."""
        return self.gap_margin <= TOUCHING

    def vjp(self, dq: Floats, dv: Floats) -> tuple[Floats, Floats, Floats, Floats]:
        """Return the gradient by old q and v, torques and parameters, from that by the new state.

        Args:
            dq: shape (nv,), gradient by the new tangent coordinates.
            dv: shape (nv,), gradient by the new velocity.

        Raises:
            SimulationError: if the shapes do not fit.
        """
        n = self._nv
        if np.shape(dq) != (n,) or np.shape(dv) != (n,):
            raise SimulationError(
                f"derivatives: gradients must have the shape ({n},), "
                f"got {np.shape(dq)}, {np.shape(dv)}"
            )
        found = np.concatenate([dq, dv]) @ self.rows
        of_tau = self.by_torques(found[None, 2 * n : 3 * n])[0]
        return found[:n], found[n : 2 * n], of_tau, found[3 * n :]

    def __repr__(self) -> str:
        """Return the size, and the number of contacts in each mode."""
        numbers = [(int((self.mode == mode).sum()), mode.name.lower()) for mode in Mode]
        counts = ", ".join(f"{n} {name}" for n, name in numbers if n or name != "unknown")
        more = self.rows.shape[1] - 3 * self._nv
        return (
            f"Derivatives(nv={self._nv}, joints={len(self.joints)}, parameters={more}, "
            f"blocks: {counts}, least_margin={self.least_margin:.3g} m/s"
            f"{', one-sided' if self.one_sided else ''})"
        )


def derivatives(
    sim: StepperSimulator,
    *,
    parameters: Sequence[str] = (),
    at_rest: str = "inside",
    axes: str = "own",
) -> Derivatives:
    """Return the Jacobians of the last step made by ``sim.step()``.

    The answer of ``coulomb`` is differentiated by the implicit function theorem, in its modes.
    Other laws give their derivative themselves (``slopes``), without modes and margins.
    Commands are held constant: the response of a controller to the state is left out. Gains and
    damping act implicitly and are included.

    Args:
        sim: simulator that has just made a step.
        parameters: keys of the scene that are one number each: friction and restitution (also of
            the terrain and of pairs), gains, damping, reflected inertia, ``mass_scale``, mass,
            centre of mass and sizes of objects, gravity; an entry of a list by its number
            (``world.gravity.2``). Also numbers of links as they act, without a key:
            ``bodies.NAME.links.LINK`` with ``.mass``, ``.center_of_mass.0`` to ``.2`` or
            ``.inertia.xx`` to ``.zz``, both along the link's axes.
        at_rest: treatment of contacts with a gap of zero to rounding. ``inside``: as pressed into
            the ground; they resist motion into it and none out of it. ``outside``: as just above
            the ground; they close their gap. Steps split by impacts use ``inside``.
        axes: axes of positions, velocities and forces of floating bases: ``own``, those of
            each base; or ``world``, about its origin: R <- exp(dtheta) R, v <- R v. In midpoint
            schemes columns by forces on bases along ``world`` have a relative error below dt |w|:
            their effect on the velocity in h is that of axes at the midpoint.

    Raises:
        SimulationError: if no step has been made since the state was last set, or the step has
            a part without a known derivative; the message names it.
    """
    if at_rest not in ("inside", "outside"):
        raise SimulationError(f"derivatives: at_rest must be inside or outside, got {at_rest!r}")
    if axes not in ("own", "world"):
        raise SimulationError(f"derivatives: axes must be own or world, got {axes!r}")
    refuse(sim)
    if isinstance(parameters, str):
        raise SimulationError(f"derivatives: parameters must be a list of keys, got {parameters!r}")
    arrays = known_slopes(sim, tuple(parameters))
    split, outside = has_impacts(sim), at_rest == "outside"
    if by_parts(sim, split):
        outside = outside and not split
        found = of_repeated_step(sim, PartWise(sim, arrays, len(parameters), outside))
    else:
        found = of_whole_step(sim, arrays, len(parameters), outside)
    return along_world(sim, found) if axes == "world" else found


def has_impacts(sim: StepperSimulator) -> bool:
    """Return whether the last step had impacts."""
    return bool(sim.signal(IMPACTS[0]) or sim.signal(IMPACTS[1]))


def by_parts(sim: StepperSimulator, split: bool) -> bool:
    """Return whether a step is differentiated while it is made, by ``PartWise``."""
    stepper = cast("TimeStepping", sim.stepper)
    return stepper.scheme.by_middle or (split and stepper.law.name == LAW)


def along_world(sim: StepperSimulator, found: Derivatives) -> Derivatives:
    """Return Jacobians of the last step with floating bases along the world's axes."""
    n, rows = len(found.rows) // 2, found.rows.copy()
    of_old, of_new = (
        world_axes(sim, *x) for x in ((sim.signal("q"), sim.signal("v")), (sim.q, sim.v))
    )
    rows[:, : 2 * n] = rows[:, : 2 * n] @ np.linalg.inv(of_old)
    of_force = world_axes(sim, where_forces_act(sim), sim.signal("v"))[:n, :n]
    rows[:, 2 * n : 3 * n] = rows[:, 2 * n : 3 * n] @ of_force.T
    return replace(found, rows=of_new @ rows)


def where_forces_act(sim: StepperSimulator) -> Floats:
    """Return the positions in the last step whose axes forces have: its start or its midpoint."""
    q, v, world = sim.signal("q"), sim.signal("v").copy(), sim.world
    if not cast("TimeStepping", sim.stepper).scheme.by_middle:
        return q
    for tree in np.flatnonzero((world.topology.free == 1) & (world.dynamics.airborne == FLYING)):
        v[world.v_slice(int(tree))] = 0.0  # rigid bodies in flight fly from the start
    return integrate(sim, q, 0.5 * sim.time_step * v)


def world_axes(sim: StepperSimulator, q: Floats, v: Floats) -> Floats:
    """Return the matrix that converts changes along the bases' own axes to the world's.

    With R of the base: ``dp -> R dp``, ``dtheta -> R dtheta``, and for each half w of its velocity
    ``dw -> R (dw + dtheta x w)``.

    Returns:
        Shape (2 nv, 2 nv).
    """
    topology, n = sim.world.topology, sim.world.nv
    found = np.eye(2 * n)
    for tree in np.flatnonzero(topology.floating):
        i, p = topology.tree_v[tree], topology.tree_q[tree]
        R = np.transpose([turn(q[p + 3 : p + 7], axis) for axis in np.eye(3)])
        for half in (i, i + 3):
            at, of_v = slice(half, half + 3), slice(n + half, n + half + 3)
            found[at, at] = found[of_v, of_v] = R
            found[of_v, i + 3 : i + 6] = R @ np.cross(np.eye(3), v[at]).T
    return found


def of_whole_step(
    sim: StepperSimulator, arrays: Mapping[str, Floats], more: int, outside: bool = False
) -> Derivatives:
    """Differentiate the last step if no impact has split it; arguments as in ``Workspace``."""
    space = workspace_of(sim, arrays, more)
    known = sim.stepper.law.name == LAW
    law = coulomb_settings(sim) if known else own_slopes(sim, arrays, has_impacts(sim))
    with driven(sim) as through:
        space.step(law, sim.signal("q"), sim.signal("v"), sim.time_step, outside and known)
    space.refuse_edited()
    nearest = float(space.part.nearest[0]) if known else math.inf
    rows = space.of_free(space.from_open(space.found))
    found = Derivatives(rows, space.joints, *space.modes, nearest)
    return through_drives(found, through)


def of_repeated_step(sim: StepperSimulator, parts: PartWise) -> Derivatives:
    """Repeat the last step and differentiate it part by part; the state does not change.

    Points in the ground at its start have touched it before, unless positions were set since;
    commands were the last ones, or given torques. The repetition that ends in the same state is
    taken.

    Raises:
        SimulationError: if there is none, e.g. because a push acted in that step only.
    """
    after, rows = sim.state.copy(), np.zeros((1, sim.row.size))
    commands = sim.stepper.program.source & Commands.GIVEN
    close = 1e-9  # from another first guess
    if sim.stepper.law.name == LAW:
        close += 100.0 * coulomb_settings(sim).tolerance
    sim.watch_parts(parts)
    try:
        for touch in (0.0, -np.inf):
            sim.q[:], sim.v[:] = sim.signal("q"), sim.signal("v")
            own_parts(sim.state)["tick"][0] -= 1.0
            sim.stepper.observe(float(sim.signal("time")))
            note_touching(sim.state, sim.world, touch)
            parts.begin()
            sim.make_steps(rows, 0, 1, commands=commands)
            there = [np.allclose(sim.state[x], after[x], rtol=1e-9, atol=close) for x in "qv"]
            sim.state.restore(after)
            same = [sim.layout.view(rows, name)[0] == sim.signal(name) for name in IMPACTS]
            if all(there + same):
                return of_parts(parts)
    finally:
        sim.watch_parts(None)
        sim.state.restore(after)
    raise SimulationError(
        "derivatives: the step could not be repeated: the state has been changed, or pushes for "
        "this step only are forgotten"
    )


def of_parts(parts: PartWise) -> Derivatives:
    """Return the derivatives found while a step was made; raise the error if a part has none."""
    if parts.failure is not None:
        raise parts.failure
    mode = np.concatenate([modes.mode for modes in parts.modes])
    margin = np.concatenate([modes.margin for modes in parts.modes])
    rows = parts.space.of_free(parts.state)
    with driven(parts.sim) as through:
        found = Derivatives(rows, parts.joints, mode, margin, parts.gap_margin)
    return through_drives(found, through)
