"""What a fit has found, under one law and under several; as text and as tables for JSON."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from footfall.api.command import write_whole
from footfall.api.errors import RecordingError
from footfall_fit.data import Trajectory
from footfall_fit.residuals import Motion

TABLE, PAGE = "fit.json", "fit.html"


@dataclass(frozen=True, slots=True)
class Estimate:
    """A parameter that was sought.

    Attributes:
        key: dotted.
        value: found; the start's where it was not moved.
        interval: 95 % confidence; None where there is none.
        start: value at first.
        bounds: between which it was sought.
        unseen: why it was not moved; empty if it was.
        at_bound: whether it ended at one of its bounds.
        folds: value in each fold.
    """

    key: str
    value: float
    interval: tuple[float, float] | None
    start: float
    bounds: tuple[float, float]
    unseen: str = ""
    at_bound: bool = False
    folds: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class Piece:
    """How well one piece of the data is simulated.

    Attributes:
        name: of the data.
        error: root mean square residual, in sizes; held out if anything is.
        measured, simulated: its rows; None where they were not kept.
        labels: of positions; floating: whether the first seven are those of a base.
    """

    name: str
    error: float
    measured: Trajectory | None = field(default=None, repr=False)
    simulated: Motion | None = field(default=None, repr=False)
    labels: tuple[str, ...] = ()
    floating: bool = False


@dataclass(frozen=True, slots=True)
class LawFit:
    """What was found under one contact law.

    Attributes:
        law: its name.
        refused: why it could not be fitted; empty if it was.
        estimates: of the parameters.
        error: root mean (robust) square residual with them, in sizes of the residuals; start_error
            at the start; held_out of pieces that were not fitted, NaN if nothing was held out.
        mean: mean distance from the data by residual, in its unit; held out if anything is.
        condition: of the slope's columns scaled to one length.
        intervals: from what they are.
        slopes: how slopes were found; played: how motions were.
        evaluations: of the residuals of all pieces, slopes apart; runs: simulated pieces.
        converged: whether the search came to its end.
        lost: pieces whose simulation failed.
        pieces: worst first.
        seconds: it took.
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
        """What laws are ranked by: the held-out error, or where there is none, the error."""
        return self.error if math.isnan(self.held_out) else self.held_out


@dataclass(frozen=True, slots=True)
class Fit:
    """What ``footfall.fit`` returns.

    Attributes:
        scene: its name.
        laws: what was found under each, best first, refused ones last.
        trajectories: number of them; pieces: of what they were cut into; groups: of such that are
            held out together; folds: 0 if nothing was held out.
        sigma: size of an error that counts as 1, by residual; units: of them.
        loss: of the squares.
        notes: on the data.
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
        """What was found under the best law, by key."""
        return {one.key: one for one in self.best.estimates}

    @property
    def values(self) -> dict[str, float]:
        """Values by key under the best law: overrides of the scene."""
        return {one.key: one.value for one in self.best.estimates}

    def tables(self) -> dict[str, Any]:
        """Return everything but motions as plain tables."""
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
        """Write ``fit.json`` and the page ``fit.html``, which opens without a network.

        Returns:
            The folder.

        Raises:
            RecordingError: if it holds a fit and is not to be overwritten, or cannot be written.
            PluginError: if plotly is not installed; the table is written then.
        """
        folder = Path(folder)
        check_folder(folder, overwrite)
        try:
            folder.mkdir(parents=True, exist_ok=True)
            write_whole(folder / TABLE, json.dumps(self.tables(), indent=2) + "\n")
            from footfall_fit.page import page_text

            write_whole(folder / PAGE, page_text(self))
        except OSError as error:
            raise RecordingError(
                f"{folder} cannot be written: {error.strerror or error}"
            ) from error
        return folder

    def __str__(self) -> str:
        """Return the report as text."""
        return "\n".join(report(self))


def check_folder(folder: Path, overwrite: bool) -> None:
    """Refuse a folder that may not be used, before anything runs.

    Raises:
        RecordingError: if it exists and is not to be overwritten, or is a file.
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
    """Return tables without infinities and NaN, which JSON does not have."""
    if isinstance(value, Mapping):
        return {str(key): _plain(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(part) for part in value]
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value


def interval_text(one: Estimate) -> str:
    """Write the interval of a parameter, or why there is none."""
    if one.unseen:
        return f"not moved: {one.unseen}"
    edge = ", at its bound" if one.at_bound else ""
    return (f"{one.interval[0]:.6g} to {one.interval[1]:.6g}" if one.interval else "") + edge


def fold_text(one: Estimate) -> str:
    """Write least and greatest value of the folds."""
    return f"{min(one.folds):.6g} to {max(one.folds):.6g}" if one.folds and not one.unseen else ""


def mean_text(name: str, value: float, unit: str) -> str:
    """Write a mean distance from the data, lengths in mm and angles in degrees."""
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
        f"an error counts as 1: {sizes}" + ("" if fit.loss == "linear" else f"; loss {fit.loss}"),
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
