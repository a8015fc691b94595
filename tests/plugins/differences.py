"""Differences of a step that are known to have converged, by its state, forces and parameters."""

from dataclasses import dataclass
from itertools import chain

import numpy as np

import footfall
from footfall.errors import FootfallError

LAST_DIGITS = 3e-6
"""Largest difference between two central differences of half and of the whole size, relative."""
ENOUGH = 1e-6
"""Difference of theirs from which on no further size is tried: the extrapolated one is far nearer,
and smaller sizes show the last digits of the canonical answer (5e-10 rad/s of a sliding cube)."""
FALLS = 4.0
"""How much smaller that difference must be for a smaller size to be better. It should fall by the
square of the size; where it hardly does, only the last digits are seen."""
KINK = 1e-4
"""Least difference of the slopes on both sides of a kink, relative."""
SIZES = (1e-4, 1e-5, 1e-6, 1e-7)
"""Changes of positions, [m, rad], and of parameters, relative; those of velocities are ten times
as large, those of forces a thousand times."""


@dataclass
class Slope:
    """A column of differences.

    Attributes:
        middle, ahead, behind: shape (2 nv,), central, and from either side.
        scale: shape (2 nv,), size that errors are relative to; error: of the central one.
    """

    middle: np.ndarray
    ahead: np.ndarray
    behind: np.ndarray
    scale: np.ndarray
    error: float

    @property
    def kink(self):
        """Whether the slopes on both sides differ."""
        return bool((abs(self.ahead - self.behind) > KINK * self.scale).any())

    def miss(self, found):
        """Return the largest relative error of a column; at a kink from the nearest slope."""
        sides = (self.ahead, self.middle, self.behind) if self.kink else (self.middle,)
        return min(float((abs(found - side) / self.scale).max()) for side in sides)


def slope(function, sizes, least):
    """Return the slope of a function at 0 from the size of differences that is steadiest.

    Args:
        function: of a change; returns shape (2 nv,), or None if the change is not allowed. At the
            end of a range the slope is that of the other side.
        sizes: tried changes.
        least: shape (2 nv,), least scale.
    """
    best = None
    for h in sizes:
        far, behind, near, close = (function(s * h) for s in (1.0, -1.0, 0.5, -0.5))
        if far is None:
            far, near = -behind, -close
        if behind is None or close is None:
            quarter = function(0.25 * h)
            ahead = (4.0 * near - far) / h
            middle, behind, close = ahead, -far, -near
            whole, half = ahead, (8.0 * quarter - 2.0 * near) / h
        else:
            ahead = (4.0 * near - far) / h
            whole, half = (far - behind) / (2.0 * h), (near - close) / h
            middle = (4.0 * half - whole) / 3.0
        back = (behind - 4.0 * close) / h
        scale = np.maximum(
            least, np.repeat(abs(middle).reshape(2, -1).max(axis=1), len(least) // 2)
        )
        error = float((abs(whole - half) / scale).max())
        if best is None or FALLS * error < best.error:
            best = Slope(middle, ahead, back, scale, error)
        if error < ENOUGH:
            break
    return best


class Differences:
    """Differences of the next step of a simulator, which stays in its state.

    Attributes:
        start: the state before the step; q, v: after it.
    """

    def __init__(self, sim, case):
        self.fresh, self.tau = case.fresh, case.torques(sim)
        self.moves = sim.driving.choose(case.joints, sim.labels.joint)
        self.options = {} if case.joints is None else {"joints": case.joints}
        self.sim, self.nv, self.dt = sim, sim.world.nv, sim.time_step
        self.start = sim.state.copy()
        self.step(sim)
        self.start.reserve(sim.state.room)  # or each step would enlarge it again
        self.q, self.v = sim.q.copy(), sim.v.copy()

    def step(self, sim, change=0.0):
        """Make the step, with other torques if they are given."""
        tau = None if self.tau is None else self.tau + change
        sim.step(tau, **self.options)

    def moved(self, q, v):
        """Return the change of the new state, in tangent coordinates."""
        return np.concatenate([footfall.difference(self.sim, self.q, q), v - self.v])

    def state(self, k, change):
        """Return the new state's change with entry k of q, v, forces; commands are held."""
        sim, nv = self.sim, self.nv
        dq, dv, df = np.split(change * np.eye(3 * nv)[k], 3)
        sim.state.restore(self.start)
        if k < nv:
            sim.q[:] = footfall.integrate(sim, self.start["q"], dq)
        sim.v[:] += dv
        if self.tau is not None:
            self.step(sim, df[sim.world.joint_dofs[self.moves]])
            return self.moved(sim.q, sim.v)
        tau = sim.stepper.world.joints.tau
        kept = tau.copy()
        tau[:] += df
        sim.make_steps(None, 0, 1, commands=False)
        tau[:] = kept
        return self.moved(sim.q, sim.v)

    def columns(self):
        """Yield number and slope of each column by q, v and forces."""
        nv, dt = self.nv, self.dt
        mobility = dt / float(self.sim.world.topology.mass.sum())
        moved = self.sim.world.joint_dofs[self.moves]
        given = moved if self.tau is not None else range(nv)
        for k in (*range(2 * nv), *(2 * nv + np.asarray(given))):
            least = ((1.0, 1.0), (dt, 1.0), (dt * mobility, mobility))[k // nv]
            sizes = np.array(SIZES) * (1.0, 10.0, 1e3)[k // nv]
            found = slope(lambda s, k=k: self.state(k, s), sizes, np.repeat(least, nv))
            yield int(k), found

    def parameter(self, key, value):
        """Return the slope by a key of the scene."""
        size = abs(value) if value else 1.0
        least = np.repeat((1e-2 * self.dt / size, 1e-2 / size), self.nv)
        return slope(
            lambda s: self.with_value(key, value + s), size * np.array((1e-3, 1e-5)), least
        )

    def with_value(self, key, value):
        """Return the new state's change with another value of a key."""
        from footfall_gradients.parameters import changed, path_of

        known = self.sim.provenance.resolved
        tables = changed(known["scene"], path_of(key), value)
        registry = self.sim.provenance.registry or footfall.discover()
        try:
            scene = footfall.stored_scene({**known, "scene": tables}, registry, trust=True)
            other = footfall.assemble(scene, registry, tell_deep=False)
        except FootfallError:
            return None
        if not self.fresh:
            other.state.restore(self.start)
        else:
            other.q[:], other.v[:] = self.start["q"], self.start["v"]
        self.step(other)
        return self.moved(other.q, other.v)


def numeric_keys(table, path=()):
    """Yield the keys of all numbers in nested tables and lists."""
    entries = table.items() if isinstance(table, dict) else enumerate(table)
    for name, value in entries:
        here = (*path, str(name))
        if isinstance(value, dict | list | tuple):
            yield from numeric_keys(value, here)
        elif (
            isinstance(value, int | float) and not isinstance(value, bool) and "." not in str(name)
        ):
            yield ".".join(here)


def keys_of(sim):
    """Return the keys of all numbers of a scene, those left out and tunable included."""
    known = chain(
        numeric_keys(sim.provenance.resolved["scene"]),
        (one.path for one in sim.tunables()),
    )
    return list(dict.fromkeys(known))
