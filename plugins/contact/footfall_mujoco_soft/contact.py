"""MuJoCo's convex contact model as a contact law."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from fnmatch import fnmatchcase
from typing import Any, Literal

import numpy as np
from pydantic import Field, field_validator

from footfall.api.contact import BlockKind, Claims, ContactProblem, ImpulseLaw, LawState
from footfall.api.plugin import (
    Capability,
    Floats,
    Ints,
    PluginConfig,
    SceneError,
    SolverError,
    nearest,
)
from footfall_mujoco_soft import kernels
from footfall_mujoco_soft.impedance import LEAST, MOST, impedance, reference, rest_depth

SMALLEST = 1e-15
"""Smallest regularisation, [1/kg], for contacts that nothing can move."""
G = 9.81
"""Acceleration in the bound on the creep, [m/s^2]: A f_t of a contact that carries twice its share
of the weight at mu = 1."""
SMALL_GAP, SMALL_MU = 1e-8, 1e-7
"""Changes of gaps [m] and friction [-] for central differences of a contact's answer."""
MOST_CREEP = 0.099
"""Largest creep that the law claims, [m/s]: above it a law has almost no friction."""

MISSES = {
    "slip_threshold": "a sliding body is lifted, by 0.25 % of its weight at the threshold",
    "friction_moments": "a sliding contact is lifted, also one that turns against rolling "
    "friction: it holds slightly less than the exact cone, and creeps below that",
    "spinning_coin": "a slip decays in d_width timeconst / 2 = 10 ms instead of one step; "
    "meanwhile the lowest point of a spinning coin moves on",
    "resting_depth": "the depth follows from the inverse weight of each contact, which the law "
    "does not know: light bodies sink as deep as heavy ones",
    "bounce_end": "between the impacts of the model restitution the soft ground bounces as well",
}
"""Checks of ``footfall validate laws`` that the default settings miss."""


class MuJoCoSoftConfig(PluginConfig):
    """Settings of the law, with MuJoCo's names and defaults, except for the cone."""

    solref: list[float] = Field(default=[0.02, 1.0], min_length=2, max_length=2)
    """Time constant [s] (at least two steps) and damping ratio [-]. Two negative numbers are
    -stiffness [1/s^2] and -damping [1/s]."""
    solimp: list[float] = Field(default=[0.9, 0.95, 0.001, 0.5, 2.0], min_length=5, max_length=5)
    """Impedance at zero depth [-]; impedance at full depth [-]; full depth [m]; midpoint [-]; power
    [-]."""
    solreffriction: list[float] | None = Field(default=None, min_length=2, max_length=2)
    """The same as ``solref``, but for friction, [s] or [1/s^2]. Default: ``solref``. Only for the
    elliptic cone."""
    cone: Literal["elliptic", "pyramidal"] = "elliptic"
    """``elliptic`` is the exact friction cone; ``pyramidal`` (MuJoCo's default) a pyramid inside it
    with four edges."""
    impratio: float = Field(default=1.0, gt=0.0, le=1e6)
    """Impedance of friction divided by that of the normal, [-]. Larger values reduce creep."""
    inverse_weight: float | None = Field(default=None, gt=0.0)
    """Scale of the regularisation, [1/kg]. Default: the diagonal of W."""
    inverse_weights: dict[str, float] = Field(default_factory=dict)
    """``inverse_weight`` of single contacts, [1/kg], by the name ``body/contact`` or a pattern. The
    last match counts. ``footfall.inverse_weights(sim)`` returns MuJoCo's values."""
    tolerance: float = Field(default=1e-10, gt=0.0, le=1e-3)
    """Residual at which Newton's method stops, [m/s]."""
    max_iterations: int = Field(default=100, ge=1)
    """Largest number of Newton steps."""

    def in_units(self, of: Callable[[float, str], float]) -> dict[str, Any]:
        """Return the defaults in a scene's units, with the width of the impedance."""
        found, (first, last, width, *rest) = super().in_units(of), self.solimp
        if "solimp" not in self.model_fields_set:
            found["solimp"] = [first, last, of(width, "m"), *rest]
        return found

    @field_validator("solref", "solreffriction")
    @classmethod
    def _one_form(cls, value: list[float] | None) -> list[float] | None:
        if value is not None and (value[0] > 0.0) != (value[1] > 0.0):
            raise ValueError(
                "give a time constant and a damping ratio, both > 0, or -stiffness and -damping"
            )
        return value

    @field_validator("solimp")
    @classmethod
    def _sigmoid(cls, value: list[float]) -> list[float]:
        first, last, width, middle, power = value
        if not (0.0 < first < 1.0 and 0.0 < last < 1.0):
            raise ValueError("impedances must be between 0 and 1")
        if not (width > 0.0 and 0.0 < middle < 1.0 and power >= 1.0):
            raise ValueError("need width > 0, midpoint between 0 and 1, and power >= 1")
        return value

    @field_validator("inverse_weights")
    @classmethod
    def _positive(cls, value: dict[str, float]) -> dict[str, float]:
        for name, weight in value.items():
            if not weight > 0.0:
                raise ValueError(f'"{name}" is {weight:g}, must be > 0')
        return value


class MuJoCoSoft(ImpulseLaw):
    """Law ``min_f 1/2 f'(W + R) f + f'(a0 - a_ref)`` over friction cones: MuJoCo's contact model.

    a0 is the contacts' acceleration without contact forces. ``solref`` sets the wanted acceleration
    a_ref, ``solimp`` the impedance d. The regularisation R is ``(1 - d) / d`` times
    ``inverse_weight``; for friction it is divided by ``impratio``.

    Limits: bodies rest below the surface, sticking contacts creep, sliding contacts rise. Rebounds
    depend on ``solref``, not on the coefficient of restitution.

    Source: Todorov, ICRA 2014; MuJoCo's documentation, "Computation".
    """

    name = "mujoco_soft"
    Config = MuJoCoSoftConfig
    blocks = frozenset({BlockKind.CONE, BlockKind.UNILATERAL, BlockKind.BOX, BlockKind.MOMENT})
    correction_gain = 0.0
    capabilities = frozenset(
        {
            Capability.FRICTION,
            Capability.TILTED_TERRAIN,
            Capability.MOVING_GROUND,
            Capability.SEVERAL_BODIES,
            Capability.IMPLICIT_GAINS,
            Capability.WARM_START,
        }
    )

    def __init__(self, config: MuJoCoSoftConfig) -> None:
        self.config = config
        self._solref, self._solimp = np.array(config.solref), np.array(config.solimp)
        self._given: Floats | None = None
        self._names: Sequence[str] = ()
        first = min(max(config.solimp[0], LEAST), MOST)
        along = np.array(config.solreffriction or config.solref)
        _, b = reference(along, self._solimp, 0.0)
        creep = (1.0 - first) / first * 2.0 * G / (b * config.impratio) if b > 0.0 else MOST_CREEP
        pyramid = config.cone == "pyramidal"
        self.claims = Claims(
            anisotropy=math.sqrt(2.0) - 1.0 if pyramid else 0.0,
            creep=min((4.0 if pyramid else 1.0) * creep, MOST_CREEP),
            slides=False,
            misses=MISSES,
        )

    def rest_depth(self, force: float) -> float:
        """Return the rest depth of a contact with the given inverse weight, default 1/kg, [m]."""
        return rest_depth(force * (self.config.inverse_weight or 1.0), self._solref, self._solimp)

    def name_contacts(self, names: Sequence[str]) -> None:
        """Give each contact its inverse weight.

        Raises:
            SceneError: if a pattern of ``inverse_weights`` matches no contact.
        """
        given = np.full(len(names), self.config.inverse_weight or 0.0)
        for pattern, weight in self.config.inverse_weights.items():
            exact = pattern in names
            found = [n == pattern if exact else fnmatchcase(n, pattern) for n in names]
            if not any(found):
                hint = nearest(pattern, names) or f" (contacts: {', '.join(names) or 'none'})"
                raise SceneError(
                    f"no contact is named or matches {pattern!r}{hint}",
                    key="contact.inverse_weights",
                )
            given[found] = weight
        self._given = given

    def solve(self, problem: ContactProblem, state: LawState) -> None:
        """Overwrite the impulses, [N s]; penetration is not corrected.

        Raises:
            SolverError: if the problem is not finite, or W cannot be a Delassus matrix.
        """
        problem.require_finite(self.name)
        problem.report.write()
        problem.offset[:] = problem.correction[:] = 0.0
        iterations, residual = 0, 0.0
        active = _active(problem)
        for group in problem.groups():
            blocks = _cones_with_their_moments(problem, group[active[group]])
            problem.impulse[problem.rows_of(group[~active[group]])] = 0.0
            if len(blocks):
                done, error = self._solve(problem, blocks)
                iterations, residual = iterations + done, max(residual, error)
        problem.report.write(iterations, residual, failed=residual > self.config.tolerance)

    def _solve(self, problem: ContactProblem, blocks: Ints) -> tuple[int, float]:
        """Solve a group, each cone followed by its moments; return steps and residual, [m/s]."""
        W, rows = problem.sound_delassus(blocks, self.name), problem.rows_of(blocks)
        own, start, key = _layout(problem, blocks)
        mu, gap = problem.mu[own], problem.gap[own]
        R, b = self._regularised(problem, own, start, key, W.diagonal(), rows, mu, gap)
        r = problem.impulse[rows]
        done, error, _ = self._minimise(problem, own, W, b, R, start, mu, r)
        if not np.isfinite(r).all():
            raise SolverError(f"{self.name}: the impulses grow without bound")
        problem.impulse[rows] = r
        return done, error

    def _minimise(
        self,
        problem: ContactProblem,
        blocks: Ints,
        W: Floats,
        b: Floats,
        R: Floats,
        start: Ints,
        mu: Floats,
        r: Floats,
        most: int | None = None,
    ) -> tuple[int, float, Floats]:
        """Overwrite r; return steps, residual [m/s], and H; after 0 steps ``r = P(W r + b)``."""
        kind, n = problem.kind[blocks], len(r)
        held, H = kind == BlockKind.BOX, np.zeros((n, 6))
        lower = np.where(held, problem.arrays.lower[blocks], 0.0)
        upper = np.where(held, problem.arrays.upper[blocks], np.inf)
        done, error = kernels.minimise(
            *(W, b, R, self._sets(kind, mu), start, mu, lower, upper, r, self.config.tolerance),
            *(self.config.max_iterations if most is None else most, np.zeros((n, n)), H),
            np.zeros((5, n)),
        )
        return int(done), float(error), H

    def slopes(self, problem: ContactProblem, state: LawState) -> tuple[Floats, ...] | None:
        """Return the derivatives if every contact's inverse weight is given; else None.

        Without inverse weights the regularisation depends on the Delassus matrix. ``r = P(y)`` is
        differentiated by y exactly. The derivatives by gaps and friction, which are in R and b, are
        central differences of P.
        """
        blocks = np.flatnonzero(_active(problem)).astype(np.int64)
        if (self._weights(problem, blocks, np.zeros(len(blocks))) == 0.0).any():
            return None
        blocks, n = _cones_with_their_moments(problem, blocks), problem.n_rows
        A, B, C = np.eye(n), np.zeros((n, n)), np.zeros((n, n))
        D, E = np.zeros((2, n, problem.n_blocks))
        if not len(blocks):
            return A, B, C, D, E
        rows, (own, start, key) = problem.rows_of(blocks), _layout(problem, blocks)
        mu, gap, one = problem.mu[own], problem.gap[own], np.ones(len(rows))
        W = problem.sound_delassus(blocks, self.name)
        u = W @ problem.impulse[rows] + problem.free_velocity[rows]

        def answer(mu: Floats, gap: Floats) -> tuple[Floats, Floats]:
            R, b = self._regularised(problem, own, start, key, one, rows, mu, gap)
            r = np.zeros(len(rows))
            y = u + b - problem.free_velocity[rows]
            H = self._minimise(problem, own, W, y, R, start, mu, r, 0)[2]
            return r, H

        _, H = answer(mu, gap)
        _, damping = reference(self._solref, self._solimp, problem.dt)
        along = np.array(self.config.solreffriction or self.config.solref)
        _, across = reference(along, self._solimp, problem.dt)
        rate = np.full(len(rows), problem.dt * across - 1.0)
        rate[key] = problem.dt * damping - 1.0
        for a, end in itertools.pairwise(start):
            place = np.ix_(rows[a:end], rows[a:end])
            B[place] = H[a:end, : end - a]
            C[place] = H[a:end, : end - a] * rate[a:end]
        for out, h, change in ((D, SMALL_GAP, (0.0, 1.0)), (E, SMALL_MU, (1.0, 0.0))):
            forth, back = (
                answer(mu + side * h * change[0], gap + side * h * change[1])[0]
                for side in (1.0, -1.0)
            )
            out[rows, np.repeat(own, np.diff(start))] = 0.5 * (back - forth) / h
        return A, B, C, D, E

    def _sets(self, kind: Ints, mu: Floats) -> Ints:
        """Return the set of impulses of each block; a pyramid without friction has no edges."""
        pyramid = (mu > 0.0) & (self.config.cone == "pyramidal")
        cone = np.where(pyramid, kernels.ImpulseSet.PYRAMID, kernels.ImpulseSet.ELLIPTIC)
        other = np.where(kind == BlockKind.BOX, kernels.ImpulseSet.HELD, kernels.ImpulseSet.FREE)
        return np.where(kind == BlockKind.CONE, cone, other).astype(np.int64)

    def _regularised(
        self,
        problem: ContactProblem,
        blocks: Ints,
        start: Ints,
        key: Ints,
        diagonal: Floats,
        rows: Ints,
        mu: Floats,
        gap: Floats,
    ) -> tuple[Floats, Floats]:
        """Return R [1/kg] and b [m/s] of a group's rows; ``key`` holds each block's normal row.

        In an impact no time passes, and the reference is the velocity zero.
        """
        c, dt = self.config, problem.dt
        gap = np.where(problem.kind[blocks] == BlockKind.BOX, 0.0, np.minimum(gap, 0.0))
        d = impedance(gap, self._solimp)
        own = np.maximum((1.0 - d) / d * self._weights(problem, blocks, diagonal[key]), SMALLEST)
        along = own / c.impratio
        if c.cone == "pyramidal":
            along = np.where(mu > 0.0, 2.0 * mu**2 * (1.0 + mu**2) * along, along)
        R = np.maximum(np.repeat(along, np.diff(start)), SMALLEST)
        R[key] = own
        u, free = problem.velocity[rows], problem.free_velocity[rows]
        if problem.impulsive:
            return R, free
        k, damping = reference(self._solref, self._solimp, dt)
        _, across = reference(np.array(c.solreffriction or c.solref), self._solimp, dt)
        b = free - u + dt * across * u
        b[key] += dt * ((damping - across) * u[key] + k * d * gap)
        return R, b

    def _weights(self, problem: ContactProblem, blocks: Ints, diagonal: Floats) -> Floats:
        """Return the inverse weight of each block, [1/kg]: the given one, or W's own entry."""
        given = np.zeros(0) if self._given is None else self._given
        at = problem.candidate[blocks]
        known = (at >= 0) & (at < len(given))
        weight = np.where(at >= 0, self.config.inverse_weight or 0.0, 0.0)
        weight[known] = given[at[known]]
        return np.where(weight > 0.0, weight, diagonal)


def _layout(problem: ContactProblem, blocks: Ints) -> tuple[Ints, Ints, Ints]:
    """Return the blocks without moments, their first rows (moments included), and normal rows."""
    kind = problem.kind[blocks]
    ends = np.cumsum(np.diff(problem.row)[blocks])
    whole = kind != BlockKind.MOMENT
    start = np.concatenate([(ends - np.diff(ends, prepend=0))[whole], ends[-1:]])
    key = start[:-1] + np.where(kind[whole] == BlockKind.CONE, kernels.NORMAL, 0)
    return blocks[whole], start, key


def _active(problem: ContactProblem) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Return a mask of the blocks that can push: all except those with an open gap."""
    closes = (problem.kind == BlockKind.CONE) | (problem.kind == BlockKind.UNILATERAL)
    active = ~closes | (problem.gap <= 0.0) | problem.impulsive
    moments = problem.arrays.moments[: problem.n_blocks]
    turning = np.flatnonzero(problem.kind == BlockKind.MOMENT)
    active[turning] = active[moments[turning]]
    return np.asarray(active)


def _cones_with_their_moments(problem: ContactProblem, blocks: Ints) -> Ints:
    """Return the blocks, ordered so that each cone is followed by its moments."""
    moments = problem.arrays.moments
    if not len(moments):
        return blocks
    ordered = []
    for i in blocks[problem.kind[blocks] != BlockKind.MOMENT]:
        ordered += [i, moments[i]] if moments[i] >= 0 else [i]
    return np.array(ordered, np.int64)
