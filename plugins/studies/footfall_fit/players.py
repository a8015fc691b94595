"""Players: simulations of measured motions with given values of parameters."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

import numpy as np

import footfall
from footfall.api.plugin import Floats, FootfallError, SimulationError
from footfall_fit.data import DataError, Trajectory
from footfall_fit.parameters import Parameter
from footfall_fit.residuals import Motion
from footfall_stepper.api import State, StepperSimulator, own_parts, stepped

MOST = 4096
"""Greatest number of runs in a batch."""
SMALL = 200_000
"""Number of steps of a slope up to which one batch of fixed size makes them all."""
NEAR = 1e-6
"""Distance from a lower bound that batches reject, relative to the range between the bounds."""
WHOLE = 1e-6
"""Largest relative deviation of the time between rows from whole steps, [-]."""


class Player(Protocol):
    """Simulator of pieces of trajectories from their first rows.

    Attributes:
        means: description of the method, for reports.
    """

    means: str

    def play(self, points: Floats) -> list[list[Motion]]:
        """Return the motions of all pieces for each row of values, shape (m, parameters)."""


class Piecewise:
    """Common data of players: pieces, their starts, inputs, and the time step."""

    def __init__(
        self,
        scene: str | Path,
        overrides: Mapping[str, Any],
        parameters: Sequence[Parameter],
        pieces: Sequence[Trajectory],
        torques: bool,
        signals: Sequence[str],
        refined: int = 1,
    ) -> None:
        """Choose the time step.

        Args:
            scene: as for ``footfall.load``.
            overrides: as for ``footfall.load``.
            parameters: the parameters to fit.
            pieces: pieces with equal time intervals between rows.
            torques: True to apply measured torques instead of the scene's controllers.
            signals: recorded variables to keep.
            refined: number of equal steps instead of each.

        Raises:
            DataError: if ``torques`` is True and a piece has none.
        """
        self.scene, self.parameters = scene, tuple(parameters)
        self.pieces, self.signals = tuple(pieces), tuple(signals)
        self.torques = torques
        if torques and any(one.tau is None for one in pieces):
            where = next(one.name for one in pieces if one.tau is None)
            raise DataError(f"{where}: has no torques (tau)")
        plain = self.load(overrides)
        interval, dt = pieces[0].interval, plain.time_step
        self.substeps = max(1, int(np.ceil(interval / dt - WHOLE))) * refined
        self.overrides = dict(overrides)
        if abs(interval / dt - self.substeps) > WHOLE:
            dt = interval / self.substeps
            self.overrides["simulation.time_step"] = dt
        self.time_step = dt
        self.rows = max(len(one.time) for one in pieces)
        self.starts = [max(0.0, float(one.time[0])) for one in pieces]
        if torques and self.pieces[0].tau is not None:
            width = self.pieces[0].tau.shape[1]
            self.tau = np.zeros((self.rows, len(pieces), width))
            for s, one in enumerate(pieces):
                assert one.tau is not None
                self.tau[: len(one.tau), s] = one.tau

    def load(self, overrides: Mapping[str, Any]) -> StepperSimulator:
        """Load the scene without a viewer or repeated warnings."""
        with warnings.catch_warnings(action="ignore"):
            return stepped(footfall.load(self.scene, {**overrides, "visualizer.plugin": "none"}))

    def values(self, point: Floats) -> dict[str, Any]:
        """Return the overrides for a point of parameter values."""
        return {p.key: float(x) for p, x in zip(self.parameters, point, strict=True)}


class BatchPlayer(Piecewise):
    """Player of all pieces and points at once, in compiled code."""

    means = "all runs at once (footfall.Batch)"

    def __init__(self, *args: Any, **options: Any) -> None:
        """Make a batch, and check that every parameter has an effect.

        Raises:
            NoEffect: if a parameter has none.
            SimulationError: if a batch does not support the scene or a parameter.
        """
        super().__init__(*args, **options)
        self._batches: dict[int, Any] = {}
        slopes = 2 * len(self.parameters)
        steps = slopes * len(self.pieces) * self.rows * self.substeps
        self._small = slopes if steps <= SMALL else 0
        self._least = np.full(len(self.parameters), -np.inf)
        self._batch(max(1, self._small)).step(
            self._control(0, max(1, self._small)), 1
        )  # raises for parts in Python

    def _batch(self, points: int) -> Any:
        """Return a batch for a number of points, made at the first call."""
        if points in self._batches:
            return self._batches[points]
        given = {**self.overrides, "visualizer.plugin": "none"}
        with warnings.catch_warnings(action="ignore"):
            batch = footfall.Batch(
                self.scene,
                points * len(self.pieces),
                threads=1 if self._small else None,
                overrides=given,
            )
            for k, one in enumerate(self.parameters):
                try:
                    self._least[k] = _prepare(batch, one)
                except FootfallError:
                    batch.close()
                    raise
        self._batches[points] = batch
        return batch

    def _control(self, row: int, points: int) -> Floats | None:
        """Return the torques from a row to the next, in all runs."""
        return np.tile(self.tau[row], (points, 1)) if self.torques else None

    def play(self, points: Floats) -> list[list[Motion]]:
        """Return the motions of all pieces at each point."""
        count = len(self.pieces)
        at_once = self._small or max(1, min(len(points), MOST // count))
        found: list[list[Motion]] = []
        points = np.maximum(points, self._least)
        for first in range(0, len(points), at_once):
            some = points[first : first + at_once]
            filled = np.vstack([some, np.repeat(some[-1:], at_once - len(some), axis=0)])
            found += self._played(filled)[: len(some)]
        return found

    def _played(self, points: Floats) -> list[list[Motion]]:
        batch, m, n = self._batch(len(points)), len(points), len(self.pieces)
        with warnings.catch_warnings(action="ignore"):
            for k, one in enumerate(self.parameters):
                batch.set(one.key, np.repeat(points[:, k], n))
        starts = np.tile([np.r_[one.q[0], one.v[0]] for one in self.pieces], (m, 1))
        times, nq = np.tile(self.starts, m), batch.q.shape[1]
        if self.signals:
            batch.reset(q=starts[:, :nq], v=starts[:, nq:], time=times)
            states, signals = self._stepped(batch, m)
        else:
            inputs = self._inputs(m) if self.torques else self.rows - 1
            path = batch.rollout(starts, inputs, self.substeps, time=times).states
            path[batch.failed] = np.nan
            states, signals = np.concatenate([starts[:, None], path], axis=1), {}

        def motion(run: int, piece: Trajectory) -> Motion:
            x = states[run, : len(piece.time)]
            kept = {name: values[run, : len(x)] for name, values in signals.items()}
            return Motion(x[:, :nq], x[:, nq:], kept)

        return [[motion(p * n + s, piece) for s, piece in enumerate(self.pieces)] for p in range(m)]

    def _inputs(self, points: int) -> Floats:
        """Return the torques of all runs, shape (runs, rows - 1, joints)."""
        return np.tile(self.tau[:-1].transpose(1, 0, 2), (points, 1, 1))

    def _stepped(self, batch: Any, points: int) -> tuple[Floats, dict[str, Floats]]:
        """Return states and signals of all runs by row; signals are of the step after the row."""
        states = [np.hstack([batch.q, batch.v])]
        kept: dict[str, list[Floats]] = {name: [] for name in self.signals}

        def step(row: int, substeps: int) -> None:
            if substeps:
                batch.step(self._control(row, points), substeps)

        for row in range(1, self.rows):
            step(row - 1, self.substeps - (row > 1))
            lost = batch.failed
            states.append(np.where(lost[:, None], np.nan, np.hstack([batch.q, batch.v])))
            step(row, 1)
            for name, values in kept.items():
                found = batch.signal(name)
                values.append(np.where(lost.reshape(-1, *[1] * (found.ndim - 1)), np.nan, found))
        return np.stack(states, axis=1), {
            name: np.stack([np.full_like(values[0], np.nan), *values], axis=1)
            for name, values in kept.items()
        }


def _prepare(batch: Any, one: Parameter) -> float:
    """Prepare a batch for a parameter; return the least value that the batch accepts.

    If a bound changes the structure of the world (e.g. zero friction), values stay just above it.

    Raises:
        NoEffect: if the parameter has no effect.
        SimulationError: if the parameter cannot differ between runs.
    """
    low, high = (float(x) for x in one.value(one.spread(2)))
    for least in (low, low + NEAR * (high - low)):
        try:
            batch.prepare(one.key, np.array([least, high]))
        except SimulationError as error:
            for attribute, why in EFFECTLESS.items():
                if getattr(error, attribute, False):
                    raise NoEffect(f"{one.key} {why}") from error
            if least > low:
                raise
        else:
            return least if least > low else -np.inf
    raise AssertionError


class NoEffect(FootfallError):  # noqa: N818 - describes a parameter
    """A parameter has no effect on any motion."""


EFFECTLESS = {
    "unread": "has no effect on how this scene moves: leave it out",
    "sets_start": "sets the start, which the data give: leave it out",
}
"""Attributes of a batch's error for such keys, and their messages."""


class SerialPlayer(Piecewise):
    """Player of one run after the other, for scenes with parts that are not compiled."""

    def __init__(self, why: str, *args: Any, **options: Any) -> None:
        """Store the reason for serial runs.

        Args:
            why: reason why a batch is not possible.
            args: arguments of ``Piecewise``.
            options: arguments of ``Piecewise``.
        """
        super().__init__(*args, **options)
        self.means = f"one run after the other: {why}"

    def play(self, points: Floats) -> list[list[Motion]]:
        """Return the motions of all pieces at each point."""
        found = []
        for point in points:
            sim = self.load({**self.overrides, **self.values(point)})
            blank = sim.state.copy()
            with warnings.catch_warnings(action="ignore"), np.errstate(all="ignore"):
                motions = [self.one(sim, blank, s) for s in range(len(self.pieces))]
            found.append(motions)
        return found

    def one(self, sim: StepperSimulator, blank: State, s: int) -> Motion:
        """Return the motion of one piece."""
        piece = self.pieces[s]
        n = len(piece.time)
        q, v = np.full((n, len(sim.q)), np.nan), np.full((n, len(sim.v)), np.nan)
        signals = {name: np.full((n, *sim.signal(name).shape), np.nan) for name in self.signals}
        begin(sim, blank, piece, self.starts[s])
        q[0], v[0] = sim.q, sim.v
        ahead = int(bool(self.signals))

        def step(row: int, count: int) -> None:
            for _ in range(count):
                sim.step(self.tau[row, s] if self.torques else None)

        try:
            for row in range(1, n):
                step(row - 1, self.substeps - ahead * (row > 1))
                q[row], v[row] = sim.q, sim.v
                if ahead:
                    step(row, 1)
                    for name, values in signals.items():
                        values[row] = sim.signal(name)
        except FootfallError:
            pass  # the remaining rows stay NaN
        return Motion(q, v, signals)


def begin(sim: StepperSimulator, blank: State, piece: Trajectory, time: float) -> None:
    """Set a simulator to the start of a piece, without impacts of touching points."""
    sim.state.restore(blank)
    sim.q[:], sim.v[:] = piece.q[0], piece.v[0]
    own_parts(sim.state)["tick"][0] = round(time / sim.time_step)
    sim.observe_start()


def make_player(*args: Any, **options: Any) -> Player:
    """Return the fastest player for the pieces; arguments are those of ``Piecewise``.

    Raises:
        NoEffect: if a parameter has none.
    """
    try:
        return BatchPlayer(*args, **options)
    except SimulationError as error:
        return SerialPlayer(str(error), *args, **options)
