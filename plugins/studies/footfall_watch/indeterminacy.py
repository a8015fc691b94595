"""The null space of contacts that share a load: forces and motions that are not unique.

Unknown are the normal impulse of a contact that slips, which brings its friction ``-mu r_n d`` with
it, and all rows of one that sticks: ``dr = B z - S du``, where ``S = mu r_n (1 - d d') / |u_t|``
turns the friction with the slip. Held are the normal velocity of the first and all rows of the
second. Changes z with ``du = W dr`` zero in the held rows leave an answer exact, to first order.
If there are any, forces are not unique; if du of a contact that slips is not zero, motion is not.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from footfall.api.contact import BlockKind, ContactProblem
from footfall.api.plugin import Floats, Ints

DEPENDENT = 1e-9
"""Singular value, relative to the largest, below which a direction counts as dependent. Each row is
scaled to move the bodies by 1, so that masses and lever arms have no effect."""
REST, SAME = 1e-7, 1e-8
"""Speed below which a contact rests; difference below which two motions are one, [m/s]."""
EDGE = 1e-6
"""Distance from the edge of a cone, relative to ``mu r_n``, below which a contact is on it."""
MOST_ROWS = 300
"""Most unknown impulses of a group whose motions are looked at."""


class Motions(NamedTuple):
    """Range of the exact motions of a link that slides, relative to what it slides on."""

    undecided_link: int  # its number, -1 if unknown or none
    motion_width: float  # largest difference of a contact's velocities, [m/s]
    turn_low: float  # rate of turn about the mean normal of its contacts, [rad/s]
    turn_high: float
    speed_low: float  # of the contacts' middle, along its present way, [m/s]
    speed_high: float


def rows_of(problem: ContactProblem, b: int) -> Ints:
    """Return the rows of a cone: tangents, moments of friction if present, then the normal."""
    first, given = int(problem.row[b]), problem.arrays.moments
    moments = int(given[b]) if len(given) else -1
    more = [] if moments < 0 else [int(problem.row[moments]) + k for k in range(3)]
    return np.array([first, first + 1, *more, first + 2], np.int64)


class NearAnswers:
    """The exact answers near the answer of a collision group.

    Attributes:
        rows: number of unknown impulses.
        rank: number of them that are unique.
        residual: distance from the canonical answer, see ``canonical_residual``.
    """

    def __init__(self, problem: ContactProblem, blocks: Ints, W: Floats, u: Floats) -> None:
        self._problem, self._all, self.residual = problem, problem.rows_of(blocks), 0.0
        self._W, self._u = W[np.ix_(self._all, self._all)], u[self._all]
        self._own = np.diag(self._W)
        self._r, self._unit = problem.impulse[self._all], np.eye(len(self._all))
        self._S, self._slips = np.zeros_like(self._W), list[int]()
        self._held, self._soft = list[int](), list[float]()
        self._columns, self._limits = list[Floats](), list[tuple[Floats, float]]()
        cones = blocks[problem.kind[blocks] == BlockKind.CONE]
        normal = np.diag(W)[problem.row[cones] + 2]
        ease = 1.0 / normal[normal > 0.0]
        self._compliance = 1.0 / float(ease.mean()) if len(ease) else 1.0
        for b in map(int, blocks):
            if problem.kind[b] == BlockKind.CONE:
                self._take_contact(b)
            elif problem.kind[b] != BlockKind.MOMENT:
                self._take_rows(b)
        self.rows, self.rank = len(self._held), 0
        if self.rows:
            self._find_changes()
            self.residual += self._canonical_residual()

    def _hold(self, rows: list[int], columns: list[Floats], soft: float) -> None:
        self._held += rows
        self._columns += columns
        self._soft += [soft] * len(rows)

    def _take_contact(self, b: int) -> None:
        at = np.searchsorted(self._all, rows_of(self._problem, b))
        t, n = at[:-1][self._own[at[:-1]] > 0.0], int(at[-1])  # a length may be 0
        mu, load, E = float(self._problem.mu[b]), float(self._r[n]), self._unit
        if self._own[n] * load <= self._u[n] and self._u[n] > REST:
            return
        pushes, speed = bool(self._own[n] * load > SAME), float(np.linalg.norm(self._u[t]))
        soft = self._compliance * pushes
        self._limits.append((-E[n], load))
        if speed > REST or mu == 0.0:
            d = self._u[t] / max(speed, REST)
            self._hold([n], [E[n] - mu * d @ E[t]], soft)
            self._S[np.ix_(t, t)] = mu * load / max(speed, REST) * (np.eye(len(t)) - np.outer(d, d))
            self._slips.append(b)
            return
        self._hold([*t, n], [*E[t], E[n]], soft)
        size = float(np.linalg.norm(self._r[t]))
        sides = [*E[t], *-E[t], self._r[t] / max(size, 1e-300) @ E[t]]
        self._limits += [(g - mu * E[n], mu * load - float(g @ self._r)) for g in sides]
        if pushes and size >= (1.0 - EDGE) * mu * load:
            self.residual = np.nan

    def _take_rows(self, b: int) -> None:
        kind, arrays = self._problem.kind[b], self._problem.arrays
        low, high = 0.0 if kind == BlockKind.UNILATERAL else -np.inf, np.inf
        if kind == BlockKind.BOX:
            low, high = float(arrays.lower[b]), float(arrays.upper[b])
        for i in np.searchsorted(self._all, self._problem.rows_of(np.array([b]))):
            E, r = self._unit[i], float(self._r[i])
            if abs(self._u[i]) <= REST:
                self._hold([int(i)], [E], float(self._own[i]) * (low < r < high))
                rooms = ((-E, r - low), (E, high - r))
                self._limits += [(g, room) for g, room in rooms if room < np.inf]

    def _find_changes(self) -> None:
        """Find the changes of impulses and velocities that leave the answer exact."""
        B, tiny = np.array(self._columns).T, np.finfo(float).tiny
        WB = self._W @ B
        V = np.linalg.solve(np.eye(len(B)) + self._W @ self._S, WB)
        column = 1.0 / np.sqrt(np.maximum(np.einsum("ij,ij->j", B, WB), tiny))
        row = 1.0 / np.sqrt(np.maximum(self._own[self._held], tiny))
        _, sizes, z = np.linalg.svd(row[:, np.newaxis] * V[self._held] * column)
        self.rank = int((sizes > DEPENDENT * sizes[0]).sum())
        z = column[:, np.newaxis] * z[self.rank :].T
        self._du, pushed = V @ z, B @ z
        self._dr = pushed - self._S @ self._du

    def _canonical_residual(self) -> float:
        """Return the part of ``C r`` that is outside the range of J, relative to it.

        Of rows that push. C are equal compliances of contacts; rows of joints have their own W_ii.
        """
        soft = np.array(self._soft)
        rows = np.array(self._held)[soft > 0.0]
        if not len(rows):
            return 0.0
        scale = 1.0 / np.sqrt(self._own[rows])
        given = scale * soft[soft > 0.0] * self._r[rows]
        sizes, vectors = np.linalg.eigh(scale[:, np.newaxis] * self._W[np.ix_(rows, rows)] * scale)
        outside = vectors[:, sizes <= DEPENDENT * sizes[-1]].T @ given
        return float(np.linalg.norm(outside) / max(float(np.linalg.norm(given)), 1e-300))

    def motions(self, links: Ints) -> list[Motions]:
        """Return the range of motions of every link that slides and whose motion is not unique.

        By linear programs over z: impulses push, and the cone of a contact that sticks is replaced
        by its tangent plane and a square around it, so the range contains all that is possible.

        Args:
            links: shape (blocks, 2), the two links that a block pushes.
        """
        size, slips = float(np.abs(self._r).max(initial=0.0)), np.array(self._slips)
        if self.rank == self.rows or not len(slips) or self.rows > MOST_ROWS:
            return []
        scale, found = size / np.abs(self._dr).max(axis=0), []
        dr, du = self._dr * scale, self._du * scale
        if np.abs(du).sum(axis=1).max() <= SAME:
            return []
        sides, room = (np.array(part) for part in zip(*self._limits, strict=True))
        limits = sides @ dr / size, np.maximum(room / size, 0.0)
        for pair in np.unique(links[slips], axis=0):
            mine = slips[(links[slips] == pair).all(axis=1)]
            found.append(self._range(int(pair.max()), mine, du, limits))
        return [one for one in found if one.motion_width > SAME]

    def _range(self, link: int, blocks: Ints, du: Floats, limits: tuple[Floats, Floats]) -> Motions:
        """Return the range of motions of a link: rigid ones that fit its contacts best."""
        at = np.searchsorted(self._all, self._problem.rows_of(blocks))
        frame, place = self._problem.frame[blocks], self._problem.arrays.position[blocks]
        arm, still = place - place.mean(axis=0), np.tile(np.eye(3), (len(blocks), 1, 1))
        turns = np.cross(np.eye(3), arm[:, np.newaxis]).transpose(0, 2, 1)
        fit = np.linalg.pinv((frame @ np.concatenate([still, turns], axis=2)).reshape(-1, 6))
        now, normal = fit @ self._u[at], frame[:, 2].mean(axis=0)
        ends: list[float] = []
        for way, part in ((normal, fit[3:]), (now[:3], fit[:3])):
            change = way / max(float(np.linalg.norm(way)), 1e-300) @ part
            ends += [float(change @ self._u[at]) + end for end in extremes(change @ du[at], limits)]
        turned = float(np.linalg.norm(arm, axis=1).max()) * (ends[1] - ends[0])
        return Motions(link, max(ends[3] - ends[2], turned), *ends)


def extremes(c: Floats, limits: tuple[Floats, Floats]) -> list[float]:
    """Return the least and the largest ``c . x`` with ``G x <= h``; infinite if it has no bound."""
    from scipy.optimize import linprog  # a third of a second, which few runs need

    size, ends = max(float(np.abs(c).max()), 1e-300), []
    for sign in (1.0, -1.0):
        found = linprog(sign * c / size, *limits, bounds=(None, None))
        ends.append(sign * size * (found.fun if found.status == 0 else -np.inf))
    return ends
