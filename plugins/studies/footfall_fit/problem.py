"""The least-squares problem: residuals of all pieces as a function of parameters, and the slope."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

import footfall
from footfall.api.plugin import Floats, FootfallError, Ints
from footfall_fit.data import Trajectory
from footfall_fit.parameters import Parameter
from footfall_fit.players import Piecewise, Player, begin
from footfall_fit.residuals import Motion, Residuals

LOST = 1e3
"""Residual of a failed simulation, in residual sizes."""
EXACT_STEPS = 5000
"""Number of steps of all pieces up to which ``auto`` uses exact derivatives, about 1 ms each."""
AGREE = 0.02
"""Largest relative difference at which exact slopes and differences count as equal."""


@dataclass(frozen=True, slots=True)
class Point:
    """The residuals at one point of parameter values.

    Attributes:
        z: shape (p,), coordinates of the parameters.
        r: shape (N,), residuals.
        motions: simulated motions by piece.
    """

    z: Floats
    r: Floats
    motions: Sequence[Motion]


class Problem:
    """Residuals of all pieces, and their slope.

    Attributes:
        parameters: in order.
        pieces: all pieces.
        residuals: definition of the residuals.
        piece: shape (N,), index of each residual's piece.
        slopes: method of the slopes, for reports.
        difference: step of coordinates for differences.
        runs: number of simulated pieces so far.
        first: the residuals at the first point, by default the start.
    """

    def __init__(
        self,
        parameters: Sequence[Parameter],
        pieces: Sequence[Trajectory],
        players: Sequence[tuple[Player, Sequence[int]]],
        residuals: Residuals,
        difference: float,
        first: Floats | None = None,
    ) -> None:
        """Store the players, each with the indices of its pieces, and evaluate the first point."""
        self.parameters, self.pieces = tuple(parameters), tuple(pieces)
        self.residuals, self._players, self.difference = residuals, tuple(players), difference
        self.slopes = "central differences"
        self._exact, self.runs = False, 0
        lows, highs = zip(*(one.bounds for one in self.parameters), strict=True)
        self.low, self.high = np.array(lows), np.array(highs)
        self.first = self.evaluate(np.zeros(len(self.parameters)) if first is None else first)
        width = len(self.first.r)
        sizes = [len(one.time) - 1 for one in self.pieces]
        each = width // sum(sizes)
        self.piece: Ints = np.repeat(np.arange(len(sizes)), np.array(sizes) * each)

    def points(self, zs: Floats) -> list[Point]:
        """Return the residuals at coordinates, shape (m, p)."""
        values = np.column_stack([p.value(z) for p, z in zip(self.parameters, zs.T, strict=True)])
        motions: list[list[Motion | None]] = [[None] * len(self.pieces) for _ in zs]
        for player, numbers in self._players:
            for place, its in enumerate(player.play(values)):
                for number, motion in zip(numbers, its, strict=True):
                    motions[place][number] = motion
        self.runs += len(zs) * len(self.pieces)
        found = []
        for z, played in zip(zs, motions, strict=True):
            known = [motion for motion in played if motion is not None]
            parts = [
                self.residuals.vector(self.residuals.errors(motion, piece))
                for motion, piece in zip(known, self.pieces, strict=True)
            ]
            r = np.concatenate(parts)
            found.append(Point(z, np.clip(np.nan_to_num(r, nan=LOST), -LOST, LOST), known))
        return found

    def evaluate(self, z: Floats) -> Point:
        """Return the residuals at one point."""
        return self.points(np.asarray(z, float)[None])[0]

    def slope(self, at: Point, columns: Sequence[int] | None = None) -> Floats:
        """Return the derivative of the residuals, shape (N, p); other columns may be zero."""
        if self._exact:
            return self._exact_slope(at)
        chosen = range(len(at.z)) if columns is None else columns
        ends = list[Floats]()
        for k in chosen:
            for sign in (1.0, -1.0):
                z = at.z.copy()
                z[k] = np.clip(z[k] + sign * self.difference, self.low[k], self.high[k])
                ends.append(z)
        J = np.zeros((len(at.r), len(at.z)))
        found = self.points(np.array(ends)) if ends else []
        for n, k in enumerate(chosen):
            upper, lower = found[2 * n], found[2 * n + 1]
            J[:, k] = (upper.r - lower.r) / (upper.z[k] - lower.z[k])
        return J

    def choose_slopes(self, wish: str, at: Point, J: Floats, seen: Ints) -> None:
        """Switch to exact derivatives if they exist and agree with differences.

        Args:
            wish: ``exact``, ``differences`` or ``auto``.
            at: point of the comparison.
            J: slope by differences there.
            seen: indices of the parameters to compare: those that the data depend on.

        Raises:
            FootfallError: if ``wish`` is ``exact`` and exact derivatives do not exist.
        """
        if wish == "differences":
            return
        steps = sum(
            (len(self.pieces[n].time) - 1) * player.substeps
            for player, numbers in self._players
            if isinstance(player, Piecewise)
            for n in numbers
        )
        if wish == "auto" and steps > EXACT_STEPS:
            self.slopes += f" (exact derivatives of {steps} steps take about {1e-3 * steps:.0f} s)"
            return
        try:
            exact = self._exact_slope(at)
        except FootfallError as error:
            if wish == "exact":
                raise
            self.slopes += f" ({error})"
            return
        scale = np.linalg.norm(J, axis=0)
        off = np.zeros(len(scale))
        off[seen] = np.linalg.norm((exact - J)[:, seen], axis=0)
        k = int(np.argmax(off - AGREE * scale))
        if off[k] > AGREE * scale[k] and wish == "auto":
            self.slopes += (
                f" (exact derivatives by {self.parameters[k].key} differ by "
                f"{100 * off[k] / max(scale[k], 1e-300):.3g} %: "
                "contact modes change, or commands depend on it)"
            )
            return
        self._exact, self.slopes = True, "exact derivatives (footfall.Rollout)"

    def _exact_slope(self, at: Point) -> Floats:
        """Return the slope from exact derivatives of every step."""
        parts: list[Floats] = [np.zeros(0)] * len(self.pieces)
        point = np.array([p.value(z) for p, z in zip(self.parameters, at.z, strict=True)])
        factors = np.array(
            [x * p.scale if p.logarithmic else p.scale
             for p, x in zip(self.parameters, point, strict=True)]
        )  # fmt: skip
        keys = [p.key for p in self.parameters]
        for player, numbers in self._players:
            assert isinstance(player, Piecewise)
            sim = player.load({**player.overrides, **player.values(point)})
            blank = sim.state.copy()
            for s, number in enumerate(numbers):
                piece = self.pieces[number]
                begin(sim, blank, piece, player.starts[s])
                steps = (len(piece.time) - 1) * player.substeps
                tau = None
                if player.torques:
                    tau = np.repeat(player.tau[: len(piece.time) - 1, s], player.substeps, axis=0)
                run = footfall.Rollout(sim, steps, tau, parameters=keys)
                tangent = run.sensitivities()[:: player.substeps]
                rows = Motion(run.q[:: player.substeps], run.v[:: player.substeps], {})
                parts[number] = self.residuals.slope(tangent, rows, piece) * factors
        return np.concatenate(parts)
