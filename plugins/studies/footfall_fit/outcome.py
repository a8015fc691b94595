"""Results of a fit under one or several laws, as objects, text and JSON tables."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from footfall.api.command import write_whole
from footfall.api.plugin import RecordingError
from footfall_fit.data import Trajectory
from footfall_fit.residuals import Motion

TABLE, PAGE = "fit.json", "fit.html"


@dataclass(frozen=True, slots=True)
class Estimate:
    """The estimate of a parameter.

    Attributes:
        key: dotted key.
        value: fitted value; the start value if not fitted.
        interval: 95 % confidence interval with the error by the time step; None if not available.
        step: change of the value for a time step of 0, extrapolated from half the step, first
            order; NaN if half the step fails. The interval holds value and value + step.
        start: start value.
        bounds: bounds of the search.
        unseen: reason why it was not fitted; empty if fitted.
        at_bound: True if it ended at a bound.
        folds: value in each fold.
    """

    key: str
    value: float
    interval: tuple[float, float] | None
    step: float
    start: float
    bounds: tuple[float, float]
    unseen: str = ""
    at_bound: bool = False
    folds: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class Piece:
    """The error of one piece of the data.

    Attributes:
        name: name of the data.
        error: root mean square residual, in residual sizes; from held-out fits if there are folds.
        measured, simulated: rows of the piece; None if not kept.
        labels: labels of positions; floating: True if the first seven belong to a base.
    """

    name: str
    error: float
    measured: Trajectory | None = field(default=None, repr=False)
    simulated: Motion | None = field(default=None, repr=False)
    labels: tuple[str, ...] = ()
    floating: bool = False


@dataclass(frozen=True, slots=True)
class LawFit:
    """The fit under one contact law.

    Attributes:
        law: its name.
        refused: reason why it could not be fitted; empty if fitted.
        estimates: estimates of the parameters.
        error: root mean (robust) square residual of the estimates, in residual sizes; start_error:
            the same at the start; held_out: the same over held-out pieces, NaN without folds.
        mean: mean distance from the data by residual, in its unit; held out if there are folds.
        condition: condition number of the slope with columns scaled to unit length.
        intervals: method of the intervals.
        slopes: method of the slopes; played: method of the simulations.
        evaluations: evaluations of all residuals, without slopes; runs: simulated pieces.
        converged: True if the search converged.
        lost: number of pieces whose simulation failed.
        pieces: worst first.
        seconds: duration of the fit, [s].
    """

    law: str
    refused: str = ""
    estimates: tuple[Estimate, ...] = ()
    error: float = math.nan
    start_error: float = math.nan
    held_out: float = math.nan
    mean: Mapping[str, float] = field(default_factory=dict)
    condition: float = math.nan
    intervals: str = ""
    slopes: str = ""
    played: str = ""
    evaluations: int = 0
    runs: int = 0
    converged: bool = False
    lost: int = 0
    pieces: tuple[Piece, ...] = ()
    seconds: float = 0.0

    @property
    def score(self) -> float:
        """Score that ranks the laws: the held-out error, or the error without folds."""
        return self.error if math.isnan(self.held_out) else self.held_out


@dataclass(frozen=True, slots=True)
class Fit:
    """The result of ``footfall.fit``.

    Attributes:
        scene: name of the scene.
        laws: fit under each law, best first, refused ones last.
        trajectories, pieces, groups, folds: their numbers; pieces are cut from trajectories, a
            group is held out as a whole, folds is 0 if nothing was held out.
        sigma: size of an error that counts as 1, by residual; units: their units.
        loss: loss of squared residuals.
        notes: notes on the data.
    """

    scene: str
    laws: tuple[LawFit, ...]
    trajectories: int
    pieces: int
    groups: int
    folds: int
    sigma: Mapping[str, float]
    units: Mapping[str, str]
    loss: str
    notes: tuple[str, ...] = ()

    @property
    def best(self) -> LawFit:
        """The law that fits best."""
        return self.laws[0]

    @property
    def parameters(self) -> dict[str, Estimate]:
        """Estimates under the best law, by key."""
        return {one.key: one for one in self.best.estimates}

    @property
    def values(self) -> dict[str, float]:
        """Fitted values under the best law by key, usable as overrides of the scene."""
        return {one.key: one.value for one in self.best.estimates}

    def tables(self) -> dict[str, Any]:
        """Return the result without motions as plain tables."""
        found = {
            name: getattr(self, name)
            for name in ("scene", "trajectories", "pieces", "groups", "folds", "loss", "notes")
        }
        found |= {"sigma": dict(self.sigma), "units": dict(self.units), "laws": []}
        for one in self.laws:
            pieces = [{"name": piece.name, "error": piece.error} for piece in one.pieces]
            plain = {
                name: getattr(one, name)
                for name in LawFit.__dataclass_fields__
                if name not in ("pieces", "estimates")
            }
            estimates = [asdict(estimate) for estimate in one.estimates]
            found["laws"].append({**plain, "estimates": estimates, "pieces": pieces})
        plain_tables: dict[str, Any] = _plain(found)
        return plain_tables

    def write(self, folder: str | Path, *, overwrite: bool = False) -> Path:
        """Write ``fit.json`` and the page ``fit.html``, which needs no network.

        Returns:
            The folder.

        Raises:
            RecordingError: if the folder holds a fit and ``overwrite`` is False, or it cannot be
                written.
            PluginError: if plotly is not installed; ``fit.json`` is still written.
        """
        folder = Path(folder)
        check_folder(folder, overwrite)
        with RecordingError.of_file(folder):
            folder.mkdir(parents=True, exist_ok=True)
            write_whole(folder / TABLE, json.dumps(self.tables(), indent=2) + "\n")
            from footfall_fit.page import page_text

            write_whole(folder / PAGE, page_text(self))
        return folder

    def __str__(self) -> str:
        """Return the report as text."""
        return "\n".join(report(self))


def check_folder(folder: Path, overwrite: bool) -> None:
    """Check before the fit that its folder may be written.

    Raises:
        RecordingError: if it holds a fit and ``overwrite`` is False, or is a file.
    """
    if folder.exists() and not folder.is_dir():
        raise RecordingError(f"{folder} is not a folder")
    there = [name for name in (TABLE, PAGE) if (folder / name).exists()]
    if there and not overwrite:
        raise RecordingError(
            f"{folder / there[0]} exists: choose another folder or add --overwrite (in Python: "
            "overwrite=True)"
        )


def _plain(value: Any) -> Any:
    """Return tables with None for infinities and NaN, which JSON does not have."""
    if isinstance(value, Mapping):
        return {str(key): _plain(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(part) for part in value]
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value


def interval_text(one: Estimate) -> str:
    """Return the interval of a parameter as text, or the reason why it was not fitted."""
    if one.unseen:
        return f"not fitted: {one.unseen}"
    edge = ", at its bound" if one.at_bound else ""
    if not one.interval:
        return edge.removeprefix(", ")
    step = "step not known" if math.isnan(one.step) else f"of which step {abs(one.step):.2g}"
    return f"{one.interval[0]:.6g} to {one.interval[1]:.6g}, {step}{edge}"


def fold_text(one: Estimate) -> str:
    """Return the least and greatest value of the folds as text."""
    return f"{min(one.folds):.6g} to {max(one.folds):.6g}" if one.folds and not one.unseen else ""


def mean_text(name: str, value: float, unit: str) -> str:
    """Return a mean distance from the data as text, in mm for lengths and degrees for angles."""
    if unit == "m":
        return f"{name} {1e3 * value:.3g} mm"
    if unit == "rad":
        return f"{name} {math.degrees(value):.3g} deg"
    return f"{name} {value:.3g} {unit}"


def report(fit: Fit) -> list[str]:
    """Return the lines of the report."""
    held = f"{fit.folds} folds of {fit.groups} groups" if fit.folds else "nothing held out"
    sizes = ", ".join(f"{name} {s:g} {fit.units[name]}" for name, s in fit.sigma.items())
    lines = [
        f"{fit.scene}: trajectories {fit.trajectories}, pieces {fit.pieces}, {held}",
        f"error of size 1: {sizes}" + ("" if fit.loss == "linear" else f"; loss {fit.loss}"),
        *(f"note: {note}" for note in fit.notes),
    ]
    for one in fit.laws:
        lines += ["", *_law_lines(one, fit)]
    return lines


def _law_lines(one: LawFit, fit: Fit) -> list[str]:
    if one.refused:
        return [f"{one.law}: refused: {one.refused}"]
    held = "" if math.isnan(one.held_out) else f", {one.held_out:.4g} held out"
    rows = [("parameter", "value", "95 %", "folds")]
    rows += [(e.key, f"{e.value:.6g}", interval_text(e), fold_text(e)) for e in one.estimates]
    widths = [max(len(row[k]) for row in rows) for k in range(4)]
    lines = [f"{one.law}: error {one.error:.4g} (at the start {one.start_error:.4g}){held}"]
    lines += [
        "  " + "  ".join(cell.ljust(w) for cell, w in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]
    means = ", ".join(mean_text(name, x, fit.units[name]) for name, x in one.mean.items())
    lines.append(f"  mean distance{' held out' if held else ''}: {means}")
    done = "" if one.converged else "; not converged"
    lost = f"; {one.lost} pieces could not be simulated to their end" if one.lost else ""
    lines.append(f"  condition {one.condition:.3g}; intervals: {one.intervals}{lost}{done}")
    lines.append(f"  slopes: {one.slopes}; {one.runs} runs in {one.seconds:.1f} s, {one.played}")
    return lines


def ranked(found: Sequence[LawFit]) -> tuple[LawFit, ...]:
    """Return the laws by their score, refused ones last."""
    return tuple(sorted(found, key=lambda one: (bool(one.refused), one.score)))
