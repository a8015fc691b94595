"""Scores of laws on the recorded pushes, beside the published runs and the robot's repeats."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy.ndimage import uniform_filter1d
from scipy.spatial.transform import Rotation

from footfall import assemble, scene_from_dict
from footfall.api.plugin import Floats, FootfallError, error_line
from footfall_stepper.api import StepperSimulator, stepped
from footfall_validate.circumstances import write_page
from footfall_validate.combination import Names
from footfall_validate.laws.figures import figure_file
from footfall_validate.laws.study import installed
from footfall_validate.pushes import recorded
from footfall_validate.pushes.recorded import GRID, MASS, RATE, SIDE, Push, errors
from footfall_validate.results import Table, mean_cells, notes_of

START, END, SUBSTEPS, SMOOTH = 100, 150, 10, 5
"""Rows before and after the middle of the way that are played; steps per row; rows of the moving
mean over the gripper's noise."""
REAL = "the robot again"
"""Name of the row of the real robot's other runs."""
HEADER = ["", "runs", "end, median [mm]"]
HEADER += [f"{what} {u}" for u in ("[mm]", "[deg]") for what in ("end", "se", "path", "se")]
SHOWN = 0, 1, 3, 4, 7, 8
"""Columns on the page; a terminal shows all."""


class Fit(NamedTuple):
    """Values from the training runs.

    Attributes:
        bar: the bar that stands for the gripper: y and z in its frame, radius, [m].
        table: friction of the table, [-].
        gripper: friction of the gripper, [-].
    """

    bar: Floats
    table: float
    gripper: float


@dataclass(frozen=True, slots=True)
class Score:
    """Errors of the runs that could be played.

    Attributes:
        who: name of the law or of the published simulator.
        errors: shape (n, 4), position at the end and over the path [mm], angle likewise [deg].
        ways: the n sampled ways.
        error: why runs have no result: "refused" (a setting) or "failed" (a run), and the reason.
    """

    who: str
    errors: Floats
    ways: list[Floats]
    error: str = ""

    def cells(self) -> list[str]:
        """Return figures as text: the median at the end, means with their standard errors."""
        if not len(self.errors):
            return [self.who, self.error.split(":")[0], *([""] * (len(HEADER) - 2))]
        shown = f"{np.median(self.errors[:, 0]):.3g}", *mean_cells(self.errors)
        return [self.who, str(len(self.errors)), *shown]


def held_out(folder: Path, gripper: float | None = None) -> tuple[Fit, dict[str, Push]]:
    """Fit on the training runs; return the fit and the other runs.

    Args:
        folder: folder with the data.
        gripper: friction of the gripper; None: the table's.

    Raises:
        DataError: if the data cannot be read.
    """
    runs = recorded.read_pushes(folder)
    fitted = [runs[name] for name in recorded.training(runs)]
    mu = recorded.fitted_friction(fitted)
    fit = Fit(recorded.fitted_bar(fitted), mu, mu if gripper is None else gripper)
    return fit, {name: runs[name] for name in sorted(runs.keys() - recorded.training(runs))}


def push_scene(laws: Names, fit: Fit, push: Push) -> dict[str, Any]:
    """Return the tables of a scene: the cube on the table, and the bar with its motion."""
    middle = round(push.middle * RATE)
    rows = slice(middle - START, middle + END)
    axis, place = -push.axes[rows, :, 0], push.gripper[rows] + push.axes[rows, :, 1:] @ fit.bar[:2]
    raw = np.column_stack([place, np.arctan2(-axis[:, 0], axis[:, 1])])
    x, y, z, yaw = uniform_filter1d(raw, SMOOTH, axis=0, mode="nearest").T
    times, zero = np.arange(len(x)) / RATE, np.zeros(len(x))
    waypoints = np.column_stack([times, x, y, z - push.table, zero - np.pi / 2.0, zero, yaw])
    cube = {
        "shape": {"type": "box", "size": [SIDE] * 3},
        "mass": MASS,
        "base_position": [*np.median(push.cube[: rows.start], axis=0)[:2], SIDE / 2.0],
        "base_orientation": [0.0, 0.0, push.yaw],
    }
    bar = {
        "shape": {"type": "capsule", "radius": fit.bar[2], "length": SIDE},
        "fixed": True,
        "motion": {"waypoints": waypoints, "interpolation": "cubic"},
    }
    frictions = {"terrain": fit.table, "gripper": fit.gripper}
    return {
        "simulation": {"time_step": 1.0 / RATE / SUBSTEPS, "substeps": "auto"},
        "contact": {"plugin": laws.contact},
        "impact": {"plugin": laws.impact},
        "world": {"terrain": {"plugin": "plane"}},
        "pairs": {f"cube/{name}": {"friction": mu} for name, mu in frictions.items()},
        "bodies": {"cube": cube, "gripper": bar},
    }


def play(laws: Names, fit: Fit, push: Push) -> Floats | str:
    """Play a run; return the sampled way, or why there is none."""
    stage = "refused"
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            scene = scene_from_dict(push_scene(laws, fit, push), installed())
            sim = stepped(assemble(scene, installed()))
            stage = "failed"
            return _way(sim, push)
    except FootfallError as error:
        return f"{stage}: {error}"
    except Exception as error:
        return f"failed: {error_line(error)}"


def _way(sim: StepperSimulator, push: Push) -> Floats:
    q = np.empty((START + END, 7))
    for row in range(len(q)):
        q[row] = sim.q[:7]
        for _ in range(round(1.0 / RATE / sim.time_step)):
            sim.step()
    turned = Rotation.from_quat(q[:, 3:])
    way = np.hstack([q[:, :3] - q[0, :3], (turned * turned[0].inv()).as_rotvec()])
    return recorded.sampled(push.middle + np.arange(-START, END) / RATE, way, push.middle)


def score_law(laws: Names, fit: Fit, pushes: dict[str, Push], done: Callable[[], None]) -> Score:
    """Play all runs with a law; each is compared with the run whose gripper it followed."""
    found, ways, why = [], [], ""
    for push in pushes.values():
        way = play(laws, fit, push)
        done()
        if isinstance(way, str):
            why = why or way
            continue
        ways.append(way)
        found.append(errors(way, push.way))
    return Score(laws.contact, np.array(found), ways, why)


def score_others(folder: Path, pushes: dict[str, Push]) -> list[Score]:
    """Return the scores of the published runs, and of the robot's repeats.

    Each held-out run is compared with all of them, and with the robot's other runs, middle on
    middle; so the standard errors are those of the robot's spread, as the laws' are.
    """
    others = recorded.read_published(folder) | {REAL: [push.way for push in pushes.values()]}
    scores = []
    for who, ways in others.items():
        apart = [[errors(w, p.way) for w in ways if w is not p.way] for p in pushes.values()]
        scores.append(Score(who, np.mean(apart, axis=1), ways))
    return scores


def result(scores: Sequence[Score]) -> Table:
    """Return the table of scores."""
    told = (
        "Errors of the path of a cube that a real gripper pushes (Collins, Howard and Leitner "
        "2018), with the published runs of seven simulators and other runs of the real robot. "
        "Friction and the gripper's shape come from other runs, without a contact law."
    )
    rows = [score.cells() for score in scores]
    short = [s.error.split(" (")[0].split(": set ")[0].split('" ')[-1] for s in scores]
    notes = dict(zip((score.who for score in scores), short, strict=True))
    return Table("Real pushes of a cube", told, HEADER, rows, notes_of(notes))


def write_push_page(folder: Path, scores: Sequence[Score], fit: Fit, held: int) -> Path:
    """Write ``pushes.md`` on so many held-out runs, its figure beside it; return the page."""
    (folder / "pushes").mkdir(parents=True, exist_ok=True)
    shown, laws = [s for s in scores if len(s.errors)], installed().contact.names()
    path, size = folder / "pushes" / "ways.svg", (9, 0.8 + 0.22 * len(shown))
    with figure_file(path, 1, 2, figsize=size) as (left, right):
        for k, score in enumerate(shown):
            way, color = 1e3 * np.mean(score.ways, axis=0)[:-1, 0], f"C{k % 10}"
            if score.who == REAL or score.who in laws:
                left.plot(GRID[:-1], way, color, linewidth=3.0 if score.who == REAL else 1.0)
            right.plot(np.median(score.errors[:, 0]), -k, "o", color=color)
        left.set(xlabel="time from the middle of the way [s]", ylabel="way along x [mm]")
        right.set(xscale="log", xlabel="median error at the end [mm]")
        right.set_yticks([-k for k in range(len(shown))], [score.who for score in shown])
    return write_page(folder, "pushes", scores=result(scores).markdown(), held=held, fit=fit)
