"""Derivatives of a part that is solved at its midpoint: a chain of two halves.

Trees drift by half of the part, rigid bodies with constant momentum. There the part is solved as in
a semi-implicit scheme, for its whole length and with the velocity of h

    v_h = v_m + (v_free - v) / 2,

``v_m`` the velocity after the drift, v and ``v_free`` those at the start. A change of v_h acts like
a force. Rigid bodies in flight fly from the start.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

from footfall.api.plugin import Floats
from footfall_gradients.flight import fly_robot
from footfall_gradients.kernels.move import FLYING
from footfall_gradients.kernels.part import PartKind
from footfall_gradients.manifold import exponential_slope, rotation, skew
from footfall_gradients.part import Workspace
from footfall_gradients.refusals import CoulombSettings


def drift(start: Workspace, time: float) -> Floats:
    """Return the derivative of positions and velocities after all trees have drifted.

    Args:
        start: differentiated at the start, without contacts.
        time: of the drift, [s]: half of the part's length, which is the last column.

    Returns:
        Shape (2 nv, columns).
    """
    a, world, columns = start.part, start.world, start.part.dq.shape[1]
    nv, new = world.nv, a.v.copy()
    rows = np.eye(2 * nv, columns)
    rows[:nv, nv : 2 * nv] += time * np.eye(nv)
    rows[:nv, -1] += 0.5 * a.v
    for tree in np.flatnonzero(a.kind).tolist():
        at, link = world.v_slice(tree), int(world.topology.tree_link[tree])
        c, inertia = np.zeros(3), np.eye(3)  # without inertia the angular velocity stays
        if a.kind[tree] == PartKind.BODY:
            c, inertia = world.topology.com[link], world.topology.inertia[link].reshape(3, 3)
        drift_base(rows, new, slice(at.start, at.start + 6), c, inertia, time)
    start.inertias.drift(time, new, (rows[:nv], rows[nv:]))
    return rows


def drift_base(
    rows: Floats, new: Floats, at: slice, centre: Floats, inertia: Floats, time: float
) -> None:
    """Write the rows of a base whose centre moves, and whose momentum turns, by its velocity.

    Args:
        rows: as of ``drift``.
        new: shape (nv,), velocities, replaced by those after it.
        at: dofs of the base.
        centre: shape (3,), its mass centre.
        inertia: shape (3, 3), about it.
        time: of the drift, [s].
    """
    nv, columns = len(new), rows.shape[1]
    (dp, turn), (dv, dw) = (np.eye(nv, columns, k)[at].reshape(2, 3, -1) for k in (0, nv))
    v, w = new[at].reshape(2, 3)
    u, E, length = v + np.cross(w, centre), rotation(time * w), np.zeros(columns)
    length[-1] = 0.5
    phi = exponential_slope(-time * skew(w)) @ (time * dw + np.outer(w, length))
    du, way = dv - skew(centre) @ dw, time * u + centre - E @ centre
    dway = time * du + np.outer(u, length) + E @ skew(centre) @ phi
    L, N = E.T @ inertia @ w, E.T @ u
    spin = np.linalg.solve(inertia, L)
    dspin = np.linalg.solve(inertia, E.T @ inertia @ dw + skew(L) @ phi)
    rows[at] = np.vstack([E.T @ (dp - skew(way) @ turn + dway), E.T @ turn + phi])
    dN = E.T @ du + skew(N) @ phi
    rows[nv + at.start : nv + at.stop] = np.vstack([dN + skew(centre) @ dspin, dspin])
    new[at] = np.concatenate([N - np.cross(spin, centre), spin])


@contextmanager
def later(time: Floats, by: float) -> Iterator[None]:
    """Set a clock to a later time."""
    before = float(time[0])
    time[0] = before + by
    try:
        yield
    finally:
        time[0] = before


def step_from_start(
    space: Workspace,
    start: Workspace,
    law: CoulombSettings | tuple[Floats, ...],
    middle: tuple[Floats, Floats],
    dt: float,
    outside: bool = False,
) -> Floats:
    """Return the derivative of the new state by the start of a part.

    Args:
        space: arrays of the part.
        start: differentiated at the start, without contacts.
        law: as in ``Workspace.step``; dt, outside: likewise.
        middle: positions and velocities at the midpoint.
        dt: length of the part, [s].
        outside: see ``Workspace.differentiate``.

    Returns:
        Shape (2 nv, columns).

    Raises:
        SimulationError: if the part does not fulfil the differentiated equations.
    """
    world, a, nv = space.world, space.part, space.world.nv
    free, by_start = start.free_rows(dt), drift(start, 0.5 * dt)
    body = np.repeat(a.kind == PartKind.BODY, np.diff(world.topology.tree_v))
    flies = body & np.repeat(a.flying == FLYING, np.diff(world.topology.tree_v))
    dynamics = world.dynamics
    space.begin(*middle, np.where(flies, dynamics.v_free, dynamics.v_new))
    a.middle[:] += np.where(body, 0.0, 0.5 * (start.part.x - start.part.v))
    space.advance(law, dt, outside)
    # Of rigid bodies h has only the half turning, which is that of v_m.
    by_h = np.where(body[:, None] | body, 0.0, space.by_velocity - a.dense)
    force = 0.5 / dt * by_h @ (free - np.eye(nv, free.shape[1], nv))
    state = space.state
    rows = state[:, : 2 * nv] @ by_start + state[:, 2 * nv : 3 * nv] @ force
    rows[:, 2 * nv :] += state[:, 2 * nv :]
    if space.times:
        rows[:, -1] += 0.5 * state[:, -2]
    if flies.any():
        start.fly(dt, space, by_start[:nv])
        rows[np.tile(flies, 2)] = start.state[np.tile(flies, 2)]
        a.new[flies] = start.part.new[flies]
    for tree in space.robots:
        if a.flying[tree] > 0:
            w = start.part.v[world.v_slice(tree)][3:6]
            fly_robot(space, tree, dt, rows, start, rotation(0.5 * dt * w))
    space.confirm()
    return rows
