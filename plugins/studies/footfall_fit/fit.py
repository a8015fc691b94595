"""``footfall.fit``: find parameters of a scene from measured motions."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

import footfall
from footfall.api.plugin import Floats, FootfallError, Ints, SceneError, SimulationError
from footfall_fit.data import DataError, Trajectory, read_data, segments
from footfall_fit.outcome import Estimate, Fit, LawFit, Piece, check_folder, ranked
from footfall_fit.parameters import Parameter, Wanted, parameter, wanted_of
from footfall_fit.players import Player, make_player
from footfall_fit.problem import Point, Problem
from footfall_fit.residuals import Residuals, mean_errors
from footfall_fit.solve import (
    LOSSES,
    Sight,
    Solution,
    are_clusters,
    check_counts,
    fold_groups,
    look,
    residual_error,
    solve,
    spread_of,
    step_error,
)
from footfall_stepper.api import stepped

FOLDS = 5
"""Default number of folds, if there are enough groups."""
KEPT = 6
"""Number of worst pieces whose motions are kept for the page."""
FOLD_EVALUATIONS = 5
"""Greatest number of evaluations per fold, which starts at the fit to all data."""
NARROW = 1e-4
"""Relative distance from a bound at which a value counts as being at it, [-]."""


@dataclass(frozen=True, slots=True)
class Options:
    """Options of a fit; see ``fit``."""

    loss: str
    torques: str
    gradients: str
    difference: float
    scan: int


def fit(
    scene: str | Path,
    data: Sequence[str | Path | Mapping[str, Any]],
    parameters: Sequence[str] | Mapping[str, Sequence[float] | None],
    *,
    residuals: Mapping[str, float] | None = None,
    laws: Sequence[str] | None = None,
    overrides: Mapping[str, Any] | None = None,
    segment: float | None = None,
    folds: int | None = None,
    loss: str = "linear",
    torques: str = "auto",
    gradients: str = "auto",
    difference: float = 1e-3,
    scan: int = 0,
    output: str | Path | None = None,
    overwrite: bool = False,
    on_progress: Callable[[str], None] = lambda what: None,
) -> Fit:
    """Find parameters of a scene from measured motions, under one contact law or several.

    Example: ``footfall.fit("cube/sliding", ["slide.zarr"], ["world.terrain.friction"])``. Each
    trajectory, or each segment of it, is simulated from its first row and compared row by row.
    Trust-region least squares (SciPy) minimises the weighted residuals. Parameters that the data
    do not determine are named and keep their values.

    Args:
        scene: ``robot/scene`` of a bundled scene, or path of a scene file.
        data: recordings, ``.csv`` or ``.npz`` tables, or tables of arrays: ``time``, ``q`` and
            optionally ``v``, ``tau``, ``trajectory``, ``group``, recorded variables.
        parameters: keys of numbers in the scene; or a table by key of (low, high),
            (low, high, start), or None to use the scene's. ``LAW:KEY`` is fitted only under that
            contact law.
        residuals: size of an error that counts as 1, by name: ``position`` [m], ``orientation``
            [rad], ``joint_position``, ``linear_velocity``, ``angular_velocity``,
            ``joint_velocity``, or a recorded variable. By default positions and orientations.
        laws: names of contact laws; by default the scene's.
        overrides: as for ``footfall.load``.
        segment: length of the pieces that trajectories are cut into, [s]; each starts at a
            measured row. None: no cuts.
        folds: number of parts of the data that are held out in turn; 0: none. By default 5, at
            most the number of groups.
        loss: loss of squared residuals: ``linear``, or ``soft_l1``, ``huber`` or ``cauchy``, which
            reduce the weight of large errors.
        torques: source of joint torques: ``data``, ``scene`` (its controllers), or ``auto``:
            ``data`` if all data are tables with torques, else ``scene``.
        gradients: ``exact`` (``footfall.Rollout``), ``differences``, or ``auto``: exact if they
            exist, agree with differences, and the steps are few.
        difference: step of parameters for differences, relative to their scale.
        scan: number of values between the bounds that are tried first; the best is the start.
        output: folder for ``fit.json`` and ``fit.html``.
        overwrite: True if a fit there may be replaced.
        on_progress: called with a description of the present stage.

    Raises:
        SceneError: if a key, bounds, residuals or options are invalid.
        DataError: if the data do not fit the scene, or have gaps.
        SimulationError: if the data determine no parameter, a parameter has no effect, or there
            are more parameters than data.
    """
    options = Options(loss, torques, gradients, difference, scan)
    _check(options, segment, folds)
    wanted = wanted_of(parameters)
    if output is not None:
        check_folder(Path(output), overwrite)
    shared = dict(overrides or {})
    sim = stepped(footfall.load(scene, {**shared, "visualizer.plugin": "none"}))
    counted = Residuals(sim, residuals)
    trajectories = read_data(data, sim, counted.signals)
    pieces = segments(trajectories, segment)
    groups = {one.group for one in pieces}
    count = min(FOLDS if folds is None else folds, len(groups))
    count, found = count if count > 1 else 0, list[LawFit]()
    for law in laws or [""]:
        chosen = {**shared, "contact.plugin": law} if law else shared
        name = law or _law_of(sim)
        its = [one for one in wanted if one.law in ("", name)]
        work = _Work(scene, chosen, name, its, pieces, counted, count, options, on_progress)
        try:
            found.append(work.fit())
        except FootfallError as error:
            if laws is None or len(laws) < 2 or isinstance(error, DataError):
                raise
            found.append(LawFit(name, refused=" ".join(str(error).split())))
    if all(one.refused for one in found):
        raise SimulationError("; ".join(f"{one.law}: {one.refused}" for one in found))
    done = Fit(
        scene=footfall.find_scene(scene)[0],
        laws=ranked(found),
        trajectories=len(trajectories),
        pieces=len(pieces),
        groups=len(groups),
        folds=count,
        sigma=counted.sigma,
        units={key: counted.unit(key) for key in counted.sigma},
        loss=loss,
        notes=_notes(trajectories, count, len(groups)),
    )
    if output is not None:
        done.write(output, overwrite=overwrite)
    return done


def _check(options: Options, segment: float | None, folds: int | None) -> None:
    for name, value, known in (
        ("loss", options.loss, LOSSES),
        ("torques", options.torques, ("auto", "data", "scene")),
        ("gradients", options.gradients, ("auto", "exact", "differences")),
    ):
        if value not in known:
            raise SceneError(f"fit: {name} is one of {', '.join(known)}, not {value!r}")
    for name, number in (("segment", segment), ("difference", options.difference)):
        if number is not None and not (isinstance(number, int | float) and 0.0 < number < 1e300):
            raise SceneError(f"fit: {name} must be a number > 0, got {number!r}")
    for name, whole in (("folds", folds), ("scan", options.scan)):
        if whole is not None and (
            isinstance(whole, bool) or not isinstance(whole, int) or whole < 0
        ):
            raise SceneError(f"fit: {name} must be a whole number >= 0, got {whole!r}")


def _law_of(sim: footfall.Simulator) -> str:
    return str(sim.provenance.resolved["scene"].get("contact", {}).get("plugin", "scene"))


def _notes(trajectories: Sequence[Trajectory], folds: int, groups: int) -> tuple[str, ...]:
    notes = list[str]()
    derived = sum(one.derived for one in trajectories)
    if derived:
        notes.append(
            f"{derived} of {len(trajectories)} trajectories have no velocities (v): computed from "
            "differences of positions"
        )
    if not folds and groups < 2:
        notes.append("all data are in one group: nothing can be held out")
    return tuple(notes)


@dataclass(frozen=True, slots=True)
class _Work:
    """A fit under one law."""

    scene: str | Path
    overrides: Mapping[str, Any]
    law: str
    wanted: Sequence[Wanted]
    pieces: Sequence[Trajectory]
    residuals: Residuals
    folds: int
    options: Options
    on_progress: Callable[[str], None]

    def say(self, what: str) -> None:
        self.on_progress(f"{self.law}: {what}")

    def fit(self) -> LawFit:
        """Fit the parameters.

        Raises:
            FootfallError: if the fit is not possible; names the reason.
        """
        begun = perf_counter()
        self.say("parameters")
        if not self.wanted:
            raise SceneError("no parameter to fit under this law")
        sim = stepped(footfall.load(self.scene, {**self.overrides, "visualizer.plugin": "none"}))
        parameters = [parameter(one, sim, self._allowed(one.key)) for one in self.wanted]
        torques = self.options.torques == "data" or (
            self.options.torques == "auto" and all(_own_torques(one) for one in self.pieces)
        )
        players = self._players(parameters, torques)
        self.say("the start")
        problem = Problem(parameters, self.pieces, players, self.residuals, self.options.difference)
        check_counts(problem)
        sight = self._look(problem)
        problem.choose_slopes(self.options.gradients, sight.start, sight.J, sight.seen)
        self.say("all data")
        every = np.ones(len(problem.piece), bool)
        whole = solve(problem, sight.start, sight.seen, every, self.options.loss)
        held = self._folds(problem, sight, whole)
        self.say("errors of step and starts")
        error = self._step_error(problem, whole, sight, torques)
        group = self._group(problem)
        moved = self._moved(problem, whole, group, torques)
        spread = spread_of(whole, sight.seen, group, self.options.loss, moved)
        folds = [fold.point.z for _, fold in held]
        estimates = tuple(
            self._estimate(k, one, whole, spread.half[k], error[k], sight, folds)
            for k, one in enumerate(parameters)
        )
        r, motions = whole.point.r.copy(), list(whole.point.motions)
        for numbers, fold in held:
            rows = np.isin(problem.piece, numbers)
            r[rows] = fold.point.r[rows]
            for n in numbers:
                motions[n] = fold.point.motions[n]
        errors = [
            self.residuals.errors(motion, piece)
            for motion, piece in zip(motions, self.pieces, strict=True)
        ]
        loss = self.options.loss
        return LawFit(
            law=self.law,
            estimates=estimates,
            error=residual_error(whole.point.r, loss),
            start_error=residual_error(problem.first.r, loss),
            held_out=residual_error(r, loss) if held else float("nan"),
            mean=mean_errors(errors),
            condition=spread.condition,
            intervals=spread.means,
            slopes=problem.slopes,
            played=players[0][0].means,
            evaluations=whole.evaluations + sum(fold.evaluations for _, fold in held),
            runs=problem.runs,
            converged=whole.converged,
            lost=sum(not np.isfinite(motion.q).all() for motion in motions),
            pieces=self._pieces(problem, r, motions),
            seconds=perf_counter() - begun,
        )

    def _allowed(self, key: str) -> Callable[[float], Any]:
        registry = footfall.discover()

        def load(value: float) -> Any:
            with warnings.catch_warnings(action="ignore"):
                return footfall.load_scene(self.scene, {**self.overrides, key: value}, registry)

        return load

    def _players(
        self, parameters: Sequence[Parameter], torques: bool, refined: int = 1
    ) -> list[tuple[Player, Sequence[int]]]:
        """Return a player for each time interval between rows."""
        by_interval: dict[float, list[int]] = {}
        for number, one in enumerate(self.pieces):
            near = [x for x in by_interval if abs(x - one.interval) < 1e-6 * x]
            by_interval.setdefault(near[0] if near else one.interval, []).append(number)
        return [
            (
                make_player(
                    self.scene, self.overrides, parameters, [self.pieces[n] for n in numbers],
                    torques, self.residuals.signals, refined,
                ),
                numbers,
            )
            for numbers in by_interval.values()
        ]  # fmt: skip

    def _look(self, problem: Problem) -> Sight:
        start = problem.first
        if self.options.scan:
            self.say(f"{self.options.scan} values")
            start = _scanned(problem, self.options.scan, self.options.loss)
        sight = look(problem, start)
        if not len(sight.seen):
            told = "; ".join(f"{problem.parameters[k].key}: {why}" for k, why in sight.why.items())
            raise SimulationError(f"the data determine none of the parameters: {told}")
        return sight

    def _folds(self, problem: Problem, sight: Sight, whole: Solution) -> list[tuple[Any, Solution]]:
        if not self.folds:
            return []
        found = []
        for n, numbers in enumerate(fold_groups([one.group for one in self.pieces], self.folds)):
            self.say(f"fold {n + 1} of {self.folds}")
            counts = ~np.isin(problem.piece, numbers)
            most = FOLD_EVALUATIONS
            one = solve(problem, whole.point, sight.seen, counts, self.options.loss, most)
            found.append((numbers, replace(one, J=np.zeros((0, 0)))))
        return found

    def _again(self, problem: Problem, whole: Solution, torques: bool, refined: int = 1) -> Point:
        """Return the residuals of the solution for these pieces, with steps divided."""
        players = self._players(problem.parameters, torques, refined)
        given = problem.parameters, self.pieces, players, self.residuals, problem.difference
        problem.runs += len(self.pieces)
        return Problem(*given, whole.point.z).first

    def _step_error(self, problem: Problem, whole: Solution, sight: Sight, torques: bool) -> Floats:
        """Return the error of each value by the time step; NaN if half the step fails."""
        halved = self._again(problem, whole, torques, refined=2)
        ends = zip(whole.point.motions, halved.motions, strict=True)
        if any(np.isfinite(one.q).all() > np.isfinite(other.q).all() for one, other in ends):
            return np.full(len(whole.point.z), np.nan)
        return step_error(whole, sight.seen, halved.r, self.options.loss)

    def _moved(
        self, problem: Problem, whole: Solution, group: Ints, torques: bool
    ) -> list[tuple[Floats, Ints]]:
        """Return the changes of residuals, and their rows, for each start moved by its noise."""
        ways = self.residuals.moved_starts(whole.point.motions, self.pieces)
        if not ways or are_clusters(group, len(problem.parameters)):
            return []
        work = replace(self, pieces=[piece for way in ways for piece in way])
        moved = work._again(problem, whole, torques).r.reshape(len(ways), -1) - whole.point.r
        rows = [np.flatnonzero(problem.piece == n) for n in range(len(self.pieces))]
        return [(change[at], at) for change in moved for at in rows]

    def _group(self, problem: Problem) -> Ints:
        names = list(dict.fromkeys(one.group for one in self.pieces))
        return np.array([names.index(one.group) for one in self.pieces], np.int64)[problem.piece]

    def _estimate(
        self,
        k: int,
        one: Parameter,
        whole: Solution,
        half: float,
        error: float,
        sight: Sight,
        folds: Sequence[Floats],
    ) -> Estimate:
        z = float(whole.point.z[k])
        low, high = one.bounds
        room = high - low if np.isfinite(high - low) else 1.0
        interval = None
        if np.isfinite(half):
            both = z, z - float(np.nan_to_num(error))
            interval = float(one.value(min(both) - half)), float(one.value(max(both) + half))
        return Estimate(
            key=one.key,
            value=float(one.value(z)),
            interval=interval,
            step=float(one.value(z - error) - one.value(z)),
            start=one.start,
            bounds=(one.low, one.high),
            unseen=sight.why.get(k, ""),
            at_bound=k not in sight.why and min(z - low, high - z) < NARROW * room,
            folds=tuple(float(one.value(x[k])) for x in folds),
        )

    def _pieces(self, problem: Problem, r: Floats, motions: Sequence[Any]) -> tuple[Piece, ...]:
        found = [
            (residual_error(r[problem.piece == n], "linear"), n) for n in range(len(self.pieces))
        ]
        found.sort(reverse=True)
        return tuple(
            Piece(
                self.pieces[n].name,
                error,
                self.pieces[n] if place < KEPT else None,
                motions[n] if place < KEPT else None,
                self.residuals.labels,
                self.residuals.floating,
            )
            for place, (error, n) in enumerate(found)
        )


def _own_torques(one: Trajectory) -> bool:
    return one.tau is not None and not one.recorded


def _scanned(problem: Problem, count: int, loss: str) -> Any:
    """Return the best point of the start and of values spread evenly between the bounds."""
    from scipy.stats import qmc

    ends = np.array([one.spread(2) for one in problem.parameters])
    share = qmc.Halton(len(ends), scramble=False).random(count + 1)[1:]
    tried = problem.points(ends[:, 0] + share * (ends[:, 1] - ends[:, 0]))
    return min([problem.first, *tried], key=lambda one: residual_error(one.r, loss))
