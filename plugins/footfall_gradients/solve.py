"""What the law of a part has solved for, and its derivative."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

import footfall
from footfall.api.contact import BlockKind
from footfall.api.errors import SimulationError
from footfall.api.plugin import Floats
from footfall_gradients.answer import OPEN, Modes, find_modes, respond
from footfall_gradients.directions import Directions
from footfall_gradients.motion import Moved
from footfall_gradients.part import Part, Problem, Rooms
from footfall_gradients.smooth import smooth_slopes

AGREES = 1e-7
"""Relative error up to which a step's numbers fulfil the equations that are differentiated."""
TOUCHING = 1e-10
"""Gap up to which a contact counts as touching, [m]: positions are that exact."""
_ROOMS: WeakKeyDictionary[Any, Rooms] = WeakKeyDictionary()


def rooms_of(sim: footfall.Simulator) -> Rooms:
    """Return a world's arrays for derivatives, made at the first call."""
    if sim.world not in _ROOMS:
        _ROOMS[sim.world] = Rooms(sim.world)
    return _ROOMS[sim.world]


@dataclass(frozen=True)
class Solved:
    """Derivatives of what the law has solved for, columns are directions.

    Attributes:
        dx: shape (nv, directions), of the velocity; dcorrection: of what moves positions only.
        modes: of the contacts.
        gap_margin: see ``Derivatives``.
    """

    dx: Floats
    dcorrection: Floats
    modes: Modes
    gap_margin: float


@dataclass(frozen=True)
class Lines:
    """Rows of the problem at fixed impulse and velocity.

    Attributes:
        J: shape (rows, nv); dJx: shape (rows, nv), derivative of ``J x`` by q.
        gap: shape (blocks, nv), derivative of gaps by q.
        push: shape (nv, nv), derivative of ``J' r`` by q; pushed: shape (nv,), ``J' r``.
    """

    J: Floats
    dJx: Floats
    gap: Floats
    push: Floats
    pushed: Floats


def lines_of(part: Part, impulse: Floats, x: Floats) -> Lines:
    """Return the rows of the part's problem for an impulse and a velocity."""
    problem, nv = part.problem, len(x)
    J, dJx = np.zeros((len(impulse), nv)), np.zeros((len(impulse), nv))
    gap, push = np.zeros((len(problem.kind), nv)), np.zeros((nv, nv))
    cones = np.flatnonzero(problem.kind == BlockKind.CONE)
    if len(cones):
        which = (problem.row[cones][:, None] + np.arange(3)).reshape(-1)
        points = problem.points._replace(impulse=impulse[which].reshape(-1, 3).copy())
        part.place()
        found = part.rooms.contact_changes(points, x)
        J[which], dJx[which], gap[cones] = found.J, found.dJv, found.gap
        push = found.push
    rows = part.sim.world.joint_rows
    for b in np.flatnonzero(problem.kind < BlockKind.CONE):
        j, row = problem.joint[b], problem.row[b]
        J[row, rows.dof[j]] = rows.sign[j]
        for m in range(rows.more_start[j], rows.more_start[j + 1]):
            J[row, rows.more_dof[m]] += rows.more_value[m]
        gap[b] = J[row] if problem.kind[b] == BlockKind.UNILATERAL else 0.0
    return Lines(J, dJx, gap, push, J.T @ impulse)


def solve_part(part: Part, along: Directions, outside: bool = False) -> Solved:
    """Return the derivative of the velocity that the law has solved for.

    Args:
        part: of the step.
        along: derivatives of what it begins with.
        outside: whether contacts whose gap is zero close it.
    """
    problem = part.problem
    lines = lines_of(part, problem.impulse, part.x)
    dx = balance(part, along, lines.push, lines.pushed)
    W = lines.J @ part.inverse @ lines.J.T
    u = lines.J @ part.x + problem.offset
    modes = find_modes(problem, problem.impulse, u, W)
    B = lines.dJx @ along.dq + lines.J @ dx + change_of_offset(part, along, lines, outside)
    own = change_of_bounds(problem, modes, along)
    if len(B):
        dr = respond(problem, modes, problem.impulse, u, W, B, own)
        dx += part.inverse @ (lines.J.T @ dr)
    dcorrection = np.zeros_like(dx)
    if problem.corrects:
        dcorrection = correct(part, problem, W, along)
    return Solved(dx, dcorrection, modes, gap_margin(part, modes))


def balance(part: Part, along: Directions, push: Floats, pushed: Floats) -> Floats:
    """Return the derivative of the velocity at fixed impulse.

    Args:
        part: of the step.
        along: derivatives of what it begins with.
        push: shape (nv, nv), derivative of ``J' r`` by q.
        pushed: shape (nv,), ``J' r``.
    """
    h = part.dt
    force, G_q, G_v = smooth_slopes(part)
    check_balance(part, force - pushed)
    pushes = part.pushes()
    if len(pushes.link):
        G_q -= h * part.rooms.contact_changes(pushes, part.x).push
    G = (G_q - push) @ along.dq + G_v @ along.dv - h * along.dforce
    G += h * part.stiffness[:, None] * along.dq + change_of_parameters(part, along.arrays)
    if h > 0.0:
        # What acts in the step, of M (x - v) + dt (...) - J' r = 0, and gains by its length.
        acting = (pushed - part.M @ (part.x - part.v)) / h + h * part.stiffness * part.x
        G += np.outer(acting, along.dt)
    return -part.inverse @ G


def change_of_parameters(part: Part, arrays: Mapping[str, Floats]) -> Floats | float:
    """Return the derivative of G by numbers of the world."""
    joints, h, x = part.sim.world.joints, part.dt, part.x
    factors = {
        "stiffness": h * (spread(part) + h * x - joints.target),
        "damping": h * x,
        "rate_gain": h * (x - joints.target_rate),
        "target": -h * part.stiffness,
        "target_rate": -h * (part.damping - joints.damping),
        "armature": x - part.v,
    }
    total: Floats | float = 0.0
    for name in factors.keys() & arrays.keys():
        total = total + factors[name][:, None] * arrays[name]
    if "gravity" in arrays:
        still = np.zeros(len(x))
        part.place()
        unit = [part.rooms.inverse_dynamics(still, still, h * e).force.copy() for e in np.eye(3)]
        total = total + np.array(unit).T @ arrays["gravity"]
    return total


def change_of_offset(part: Part, along: Directions, lines: Lines, outside: bool) -> Floats:
    """Return the derivative of what the law adds to ``J x``, shape (rows, directions)."""
    problem, h = part.problem, part.dt
    out = np.zeros((len(problem.impulse), len(along.dt)))
    last = problem.row[1:] - 1
    if problem.impulsive:
        speeds = lines_of(part, problem.impulse, part.v)
        normal = problem.velocity[last]
        change = speeds.dJx @ along.dq + speeds.J @ along.dv
        out[last] = problem.restitution[:, None] * change[last]
        if (abs(problem.offset[last] - problem.restitution * normal) > 1e-9).any():
            raise SimulationError("derivatives: the restitution of an impact was cut: not covered")
        if "restitution" in along.arrays:
            given = along.arrays["restitution"][problem.candidate]
            out[last] += (normal * (problem.restitution > 0.0))[:, None] * given
        return out
    apart = problem.gap > (-TOUCHING if outside else TOUCHING)
    for b in np.flatnonzero(apart & (problem.kind != BlockKind.BOX)):
        out[last[b]] = (lines.gap[b] @ along.dq - problem.gap[b] / h * along.dt) / h
    return out


def change_of_bounds(problem: Problem, modes: Modes, along: Directions) -> Floats:
    """Return the derivative of friction's coefficients and of joints' bounds, by block."""
    own = np.zeros((len(problem.kind), len(along.dt)))
    cones = problem.kind == BlockKind.CONE
    if "friction" in along.arrays:
        own[cones] = along.arrays["friction"][problem.candidate[cones]]
    return own


def gap_margin(part: Part, modes: Modes) -> float:
    """Return how near the gaps of contacts are to where rules change, [m]."""
    problem, (gain, slop) = part.problem, part.position_rule
    gaps = problem.gap[(problem.kind == BlockKind.CONE) & (modes.mode > OPEN)]
    edges = [0.0, -slop] if gain > 0.0 else [0.0]
    return float(np.abs(gaps[:, None] - edges).min(initial=np.inf))


def correct(part: Part, problem: Problem, W: Floats, along: Directions) -> Floats:
    """Return the derivative of the split impulses' velocity ``z = M^-1 J' s``.

    ``M z = J' s``; contacts deeper than the slop reach ``gain (depth - slop) / dt``.
    """
    gain, slop = part.position_rule
    s, dq = problem.correction, along.dq
    z = part.inverse @ lines_of(part, s, np.zeros(len(part.v))).pushed
    lines = lines_of(part, s, z)
    part.place()
    zero = np.zeros(len(part.v))
    G_q = part.rooms.inverse_dynamics(z, zero, np.zeros(3)).dq - lines.push
    dz = -part.inverse @ (G_q @ dq)
    B, push = lines.dJx @ dq + lines.J @ dz, np.zeros(len(s))
    for b in range(len(problem.kind)):
        last, gap = problem.row[b + 1] - 1, problem.gap[b]
        if gap < -slop:
            push[last], factor = gain * (gap + slop) / part.dt, gain / part.dt
        elif problem.kind[b] == BlockKind.CONE:
            push[last], factor = max(gap, 0.0) / part.dt, float(gap > TOUCHING) / part.dt
        else:
            factor = 0.0
        B[last] += factor * (lines.gap[b] @ dq) - push[last] / part.dt * along.dt
    u = lines.J @ z + push
    modes = find_modes(problem, s, u, W)
    own = change_of_bounds(problem, modes, along)
    ds = respond(problem, modes, s, u, W, B, own)
    found: Floats = dz + part.inverse @ (lines.J.T @ ds)
    return found


def check_balance(part: Part, unbalanced: Floats) -> None:
    """See that what is differentiated is what the step has solved.

    Raises:
        SimulationError: if the base's momentum does not balance.
    """
    joints, h, x, v = part.sim.world.joints, part.dt, part.x, part.v
    applied = joints.tau + joints.external - part.stiffness * (spread(part) + h * x - joints.target)
    applied = applied - part.damping * x + (part.damping - joints.damping) * joints.target_rate
    for tree, at in part.trees:
        for e in range(joints.coupling_start[tree], joints.coupling_start[tree + 1]):
            i, j = at.start + joints.coupling[e]
            applied[i] -= joints.coupling_damping[e] * x[j]
            applied[j] -= joints.coupling_damping[e] * x[i]
    left = unbalanced - h * applied
    topology, size = part.sim.world.topology, 1e-9 + np.abs(part.M) @ (abs(x - v) + h)
    for tree, at in part.trees:
        base = slice(at.start, at.start + 6 * int(topology.floating[tree]))
        if (abs(left[base]) > AGREES * size[base]).any():
            name = part.sim.world.bodies[tree].name
            raise SimulationError(
                f"derivatives: {name} was moved in the step by what is not differentiated (a push, "
                "a hand), or the simulator has been changed since"
            )


def spread(part: Part) -> Floats:
    """Return the positions of joints by velocity dof, zero for bases."""
    at = part.sim.world.topology.dof_q
    return np.where(at >= 0, part.q[at], 0.0)


def check_state(part: Part, new: Moved) -> None:
    """See that the state is the one that the step has led to.

    Raises:
        SimulationError: if it is not.
    """
    sim = part.sim
    wrong = abs(new.v - sim.v) > AGREES * (1.0 + abs(sim.v))
    if wrong.any():
        raise SimulationError(
            "derivatives: the state has been changed since the step was made: make another step"
        )
