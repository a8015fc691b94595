"""Friction problems of a folder, solved by a contact law: accuracy and time.

A file ``NAME.npz`` holds ``row``, ``col``, ``value`` (entries of the Delassus matrix), ``q`` and
``mu``; rows of a contact: normal, tangent, tangent (FCLIB, Acary, Brémond and Huber 2018).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np

import footfall
from footfall.api.advanced import read_arrays
from footfall.api.contact import ContactProblem, ImpulseLaw, ProblemSize
from footfall.api.plugin import Floats, FootfallError, SimulationError
from footfall_stepper.api import stepped

TOLERANCES = 1e-4, 1e-6, 1e-8, 1e-9
"""Tolerances of the law [m/s], and bounds of score [-] and natural map [m/s] that count."""
WITHIN = 0.01, 0.1, 1.0
"""Times of the profile beside the limit, [s]."""
BRIEF = 0.1
"""Time up to which a solve is repeated, since the first may load kernels, [s]."""
MOST = 10**6
"""Iterations allowed to a law with a time limit, [-]."""
RANK = 1e-10
"""Eigenvalue of W, relative to the largest, up to which it counts as zero."""


class Problem(NamedTuple):
    """A problem ``u = W r + q`` of n contacts; rows of a contact: tangent, tangent, normal.

    Attributes:
        W: shape (3 n, 3 n), the symmetric part of the file's matrix, [1/kg].
        asymmetry: largest ``|W_ij - W_ji|`` of the file relative to the largest entry, [-].
    """

    name: str
    W: Floats
    q: Floats
    mu: Floats
    asymmetry: float

    def arrays(self) -> ContactProblem:
        """Return the problem as laws take it, with pairs only for blocks of W that are not zero."""
        problem = ContactProblem.from_dense(self.W, self.q, self.mu, impulsive=True)
        n = len(self.mu)
        linked = (self.W != 0.0).reshape(n, 3, n, 3).any(axis=(1, 3))
        kept, a = np.flatnonzero(linked), problem.arrays
        a.size[ProblemSize.PAIRS] = len(kept)
        a.pair_start[1:] = np.cumsum(linked.sum(axis=1))
        for pairs in (a.pair_block, a.pair_data):
            pairs[: len(kept)] = pairs[kept]
        return problem

    def away(self, r: Floats, u: Floats, rho: Floats) -> Floats:
        """Return ``r - P_K(r - rho (u + mu |u_t| n))``, shape (n, 3); rho: shape (n, 1)."""
        given, x = r.reshape(-1, 3), u.reshape(-1, 3).copy()
        x[:, 2] += self.mu * np.hypot(x[:, 0], x[:, 1])
        x = given - rho * x
        t, n = np.hypot(x[:, 0], x[:, 1]), x[:, 2]
        onto = np.maximum(n + self.mu * t, 0.0) / (1.0 + self.mu**2)
        normal = np.where((n > 0.0) & (t <= self.mu * n), n, onto)
        part = np.divide(self.mu * normal, t, out=np.ones_like(t), where=t > self.mu * normal)
        away: Floats = given - np.column_stack([part[:, None] * x[:, :2], normal])
        return away

    def errors(self, r: Floats) -> tuple[float, float]:
        """Return Siconos' score [-] and the worst natural map of a contact [m/s]."""
        u, rho = self.W @ r + self.q, 1.0 / np.diag(self.W).reshape(-1, 3).max(axis=1)[:, None]
        scale = max(np.linalg.norm(x) for x in (self.q, r, u))
        score = np.linalg.norm(self.away(r, u, np.ones_like(rho))) / (scale or 1.0)
        natural = np.linalg.norm(self.away(r, u, rho), axis=1) / rho[:, 0]
        return float(score), float(natural.max())


def read(file: Path) -> Problem:
    """Read a problem.

    Raises:
        SimulationError: if the file is no such problem; with the reason.
    """
    try:
        found = read_arrays(file)
        row, col, value, q, mu = (found[key] for key in ("row", "col", "value", "q", "mu"))
        order = np.arange(len(q)).reshape(len(mu), 3)[:, [1, 2, 0]].ravel()
        W = np.zeros((len(q), len(q)))
        np.add.at(W, (row, col), value)
        if not (np.isfinite(W).all() and np.isfinite(q).all() and (mu >= 0.0).all()):
            raise ValueError("W or q is not finite, or mu is not a number >= 0")
        if (np.diag(W).reshape(-1, 3).max(axis=1) <= 0.0).any():
            raise ValueError("a contact has no positive diagonal entry in W")
    except (OSError, EOFError, KeyError, ValueError, IndexError, TypeError) as error:
        raise SimulationError(f"{file}: not a friction problem: {error}") from error
    asymmetry = float(abs(W - W.T).max(initial=0.0) / abs(W).max(initial=1e-300))
    return Problem(file.stem, (0.5 * (W + W.T))[np.ix_(order, order)], q[order], mu, asymmetry)


def choose_law(
    name: str, settings: dict[str, Any], tolerance: float, limit: float
) -> Callable[[], ImpulseLaw]:
    """Return what makes a law with a tolerance [m/s] and a time limit [s], if it has such settings.

    Raises:
        FootfallError: if there is none, if it does not solve for impulses, or needs a QP solver.
    """
    cls: Any = footfall.discover().find("contact", name).load()
    if not issubclass(cls, ImpulseLaw) or cls.uses_solver or cls.state_parts:
        raise SimulationError(f"contact law {name}: does not solve a problem of impulses by itself")
    known = cls.Config.model_fields
    wanted = {"tolerance": tolerance, "time_budget": limit}
    wanted |= {"max_iterations": MOST} if "time_budget" in known else {}
    given = {f"contact.{key}": value for key, value in wanted.items() if key in known}
    sim = footfall.load("cube/drop", {"contact.plugin": name} | given | settings)
    law: Any = stepped(sim).stepper.law
    return partial(law.__class__, law.config)  # without the names of the scene's contacts


def solve(law: ImpulseLaw, problem: Problem) -> tuple[Floats, float]:
    """Return the impulse, shape (3 n,), [N s], zero if the law refuses; and the time, [s]."""
    arrays = problem.arrays()
    start = perf_counter()
    try:
        law.solve(arrays, {})
    except FootfallError:
        arrays.impulse[:] = 0.0
    return arrays.impulse, perf_counter() - start


def measure(folder: Path, name: str, limit: float, settings: dict[str, Any]) -> Iterator[str]:
    """Solve all problems of a folder to each tolerance, and yield lines of figures.

    Args:
        folder: with the files.
        name: of the contact law.
        limit: time for each solve, [s].
        settings: overrides of a scene with this law.

    Raises:
        FootfallError: if the folder holds no problems, or the law cannot solve any.
    """
    problems = [read(file) for file in sorted(folder.glob("*.npz"))]
    if not problems:
        raise SimulationError(f"{folder}: no *.npz files")
    laws = [choose_law(name, settings, tolerance, limit) for tolerance in TOLERANCES]
    yield f"{'problem':<36}contacts  rank of rows  asymmetry    score  map [m/s]  time [s]"
    spent = np.full((len(TOLERANCES), len(problems)), np.inf)
    for k, problem in enumerate(problems):
        for t, make in enumerate(laws):
            r, seconds = solve(make(), problem)
            if seconds < BRIEF:
                r, seconds = solve(make(), problem)
            errors = problem.errors(r)
            if max(errors) <= TOLERANCES[t]:
                spent[t, k] = seconds
        rank, rows = np.linalg.matrix_rank(problem.W, hermitian=True, rtol=RANK), len(problem.q)
        yield (
            f"{problem.name:<36}{rows // 3:8}{rank:6} of {rows:<6}{problem.asymmetry:9.0e}"
            f"{errors[0]:9.1e}{errors[1]:11.1e}{seconds:10.4f}"
        )
    yield f"solved of {len(problems)} within" + "".join(f"{w:8g} s" for w in (*WITHIN, limit))
    for tolerance, times in zip(TOLERANCES, spent, strict=True):
        counts = (np.sum(times <= within) for within in (*WITHIN, limit))
        yield f"to {tolerance:<15g}" + "".join(f"{count:10}" for count in counts)
