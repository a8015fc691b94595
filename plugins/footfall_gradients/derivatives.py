"""``sim.derivatives()``: Jacobians of the last step."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

import footfall
from footfall.api.errors import SimulationError
from footfall.api.plugin import Floats, Ints
from footfall_gradients.answer import Modes
from footfall_gradients.directions import Directions
from footfall_gradients.motion import move
from footfall_gradients.parameters import known_slopes
from footfall_gradients.part import Part
from footfall_gradients.parts import PartWise
from footfall_gradients.refusals import refuse
from footfall_gradients.solve import check_state, rooms_of, solve_part


@dataclass(frozen=True)
class Derivatives:
    """Jacobians of a step ``(q, v, tau) -> (q+, v+)``.

    Rows and columns of positions are tangent coordinates, shape (nv,): of a floating base the
    displacement of its origin and a small rotation, both along the base's *own* axes (those of the
    old base for columns, of the new one for rows); then the joints. Velocities are as in ``sim.v``.

    Attributes:
        dq_dq, dq_dv, dv_dq, dv_dv: shape (nv, nv).
        dq_dtau, dv_dtau: shape (nv, joints), by the joints' torques or forces, in order.
        dq_dforce, dv_dforce: shape (nv, nv), by generalized forces on all dofs, of bases along
            their own axes; with the Jacobian of a point: by forces there.
        dq_dp, dv_dp: shape (nv, parameters), by the parameters that were asked for.
        mode: shape (blocks,), of each block of the contact problem: 0 open, 1 stick or held, 2 slip
            or sliding; of a step that impacts have split those of all its problems.
        margin: shape (blocks,), by how much its mode holds, [m/s]; within it, the step is as smooth
            as the rest.
        gap_margin: distance of the nearest gap to 0 and to the law's slop, where the rules for
            positions change, [m].
    """

    dq_dq: Floats
    dq_dv: Floats
    dv_dq: Floats
    dv_dv: Floats
    dq_dtau: Floats
    dv_dtau: Floats
    dq_dforce: Floats
    dv_dforce: Floats
    dq_dp: Floats
    dv_dp: Floats
    mode: Ints
    margin: Floats
    gap_margin: float

    @property
    def state(self) -> Floats:
        """Jacobian of the state, shape (2 nv, 2 nv)."""
        return np.block([[self.dq_dq, self.dq_dv], [self.dv_dq, self.dv_dv]])

    @property
    def control(self) -> Floats:
        """Jacobian by the joints' torques, shape (2 nv, joints)."""
        return np.vstack([self.dq_dtau, self.dv_dtau])

    @property
    def least_margin(self) -> float:
        """Margin of the contact that is nearest to a change of its mode, [m/s]."""
        return float(self.margin.min(initial=np.inf))

    @property
    def parameters(self) -> Floats:
        """Jacobian by the parameters, shape (2 nv, parameters)."""
        return np.vstack([self.dq_dp, self.dv_dp])

    def vjp(self, dq: Floats, dv: Floats) -> tuple[Floats, Floats, Floats, Floats]:
        """Return what a gradient by the new state is by the old q and v, torques and parameters.

        Args:
            dq: shape (nv,), with respect to the new tangent coordinates.
            dv: shape (nv,), with respect to the new velocity.
        """
        return (
            dq @ self.dq_dq + dv @ self.dv_dq,
            dq @ self.dq_dv + dv @ self.dv_dv,
            dq @ self.dq_dtau + dv @ self.dv_dtau,
            dq @ self.dq_dp + dv @ self.dv_dp,
        )


def derivatives(
    sim: footfall.Simulator, *, parameters: Sequence[str] = (), at_rest: str = "inside"
) -> Derivatives:
    """Return the Jacobians of the last step, which ``sim.step()`` has made.

    The contact law's answer is differentiated by the implicit function theorem, at its modes.
    Commands are held: what a controller would have commanded in another state is not in it; gains
    and damping, which act implicitly, are.

    Args:
        sim: which has just made a step.
        parameters: keys of the scene that are one number each: friction and restitution (also of
            the terrain and of pairs), gains, damping, reflected inertia.
        at_rest: what counts of contacts whose gap is zero to rounding: ``inside``, as of such that
            are pressed into the ground, which resist motion into it and none out of it; or
            ``outside``, as of such that just do not touch, which close their gap. Steps that
            impacts have split take the former.

    Raises:
        SimulationError: if no step has been made since the state was last set, or the step has
            something whose derivative is not known; says what.
    """
    if at_rest not in ("inside", "outside"):
        raise SimulationError(f'derivatives: at_rest is "inside" or "outside", not {at_rest!r}')
    refuse(sim)
    if isinstance(parameters, str):
        raise SimulationError(f"derivatives: parameters is a list of keys, not {parameters!r}")
    arrays = known_slopes(sim, tuple(parameters))
    if int(sim.signal("impact_splits")) > 0:
        return jacobians(sim, *of_split_step(sim, PartWise(sim, arrays, len(parameters))))
    part = Part.of(
        sim, rooms_of(sim), (sim.signal("q").copy(), sim.signal("v").copy()), sim.time_step
    )
    along = Directions.of_state(sim.world.nv, arrays, len(parameters))
    solved = solve_part(part, along, at_rest == "outside")
    new = move(part, along, solved.dx, solved.dcorrection)
    check_state(part, new)
    return jacobians(sim, new.dq, new.dv, [solved.modes], solved.gap_margin)


def of_split_step(
    sim: footfall.Simulator, parts: PartWise
) -> tuple[Floats, Floats, list[Modes], float]:
    """Make the last step again, differentiating it part by part; the state stays as it is.

    Raises:
        SimulationError: if it does not lead to the same state, as after torques of that step alone.
    """
    after, row = sim.state.copy(), sim.row.copy()
    sim.q[:], sim.v[:] = sim.signal("q"), sim.signal("v")
    sim.state["touching"][:] = sim.signal("gap") <= 0.0
    sim.state["tick"][0] -= 1.0
    sim.watch_parts(parts)
    try:
        sim.make_steps(sim.row.reshape(1, -1), 0, 1, commands=False)
        again = sim.q.copy(), sim.v.copy()
    finally:
        sim.watch_parts(None)
        sim.state.restore(after)
        sim.row[:] = row
    if abs(again[1] - sim.v).max() > 1e-9 * (1.0 + abs(sim.v).max()):
        raise SimulationError(
            "derivatives: the step, which impacts have split, could not be made again: torques or "
            "pushes given for it alone are forgotten; footfall.Rollout keeps them"
        )
    return parts.along.dq, parts.along.dv, parts.modes, parts.gap_margin


def jacobians(
    sim: footfall.Simulator, dq: Floats, dv: Floats, modes: list[Modes], gap_margin: float
) -> Derivatives:
    """Return Jacobians by name, from those by q, v, generalized forces and parameters."""
    nv = sim.world.nv
    dofs = [sim.world.joint_slice(index) for index in range(len(sim.world.bodies))]
    joints = np.concatenate([np.arange(at.start, at.stop) for at in dofs]).astype(int)
    cut = [nv, 2 * nv, 3 * nv]
    q_q, q_v, q_f, q_p = np.split(dq, cut, axis=1)
    v_q, v_v, v_f, v_p = np.split(dv, cut, axis=1)
    return Derivatives(
        dq_dq=q_q,
        dq_dv=q_v,
        dv_dq=v_q,
        dv_dv=v_v,
        dq_dtau=q_f[:, joints],
        dv_dtau=v_f[:, joints],
        dq_dforce=q_f,
        dv_dforce=v_f,
        dq_dp=q_p,
        dv_dp=v_p,
        mode=np.concatenate([m.mode for m in modes]),
        margin=np.concatenate([m.margin for m in modes]),
        gap_margin=gap_margin,
    )
