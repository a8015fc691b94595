"""Scores of laws on the recorded tosses, beside the published ones."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import process_time

import numpy as np

from footfall.api.plugin import Floats, FootfallError, error_line
from footfall_validate.combination import Names, combine
from footfall_validate.lab import Lab
from footfall_validate.laws.study import installed
from footfall_validate.tosses.recorded import cube_simulator, read_tosses, toss_errors
from footfall_validate.workers import run_jobs

CHUNK = 25
"""Number of tosses per job."""


@dataclass(frozen=True, slots=True)
class Score:
    """Errors over all tosses.

    Attributes:
        who: name of the law, or of the published simulator.
        substeps: steps between two rows.
        position: mean and standard deviation of the tosses' mean position errors, [percent of the
            cube's width].
        rotation: mean and standard deviation of their mean rotation errors, [deg].
        standard_errors: standard errors of the two means: deviation over the root of the number of
            physical tosses.
        failed: number of tosses that could not be played to their end, left out of the figures.
        seconds: processor time of playing, [s].
        error: reason why no toss could be played; empty if some could.
    """

    who: str
    substeps: int
    position: tuple[float, float]
    rotation: tuple[float, float]
    standard_errors: tuple[float, float] = (float("nan"), float("nan"))
    failed: int = 0
    seconds: float = 0.0
    error: str = ""


PUBLISHED = (
    Score("Drake (fitted)", 10, (13.5, 8.2), (16.5, 20.0)),
    Score("Bullet (fitted)", 10, (14.9, 8.9), (16.5, 20.2)),
    Score("MuJoCo (fitted)", 10, (25.1, 10.8), (21.7, 21.4)),
)
"""Results of Acosta, Yang, Posa, Validating Robotics Simulators on Real-World Impacts, RA-L 2022,
with contact parameters fitted to these same tosses."""


@dataclass(frozen=True, slots=True)
class TossJob:
    """Some tosses with one law.

    Attributes:
        folder: folder with the file of tosses.
        laws: names of the plugins.
        solver: name of the QP solver for laws that use one; None: the default.
        substeps: steps between two rows.
        tosses: numbers of the tosses.
    """

    folder: Path
    laws: Names
    solver: str | None
    substeps: int
    tosses: range


@dataclass(frozen=True, slots=True)
class Played:
    """Result of a job.

    Attributes:
        errors: shape (n, 2), position [percent] and rotation [deg]; NaN if a toss failed.
        seconds: processor time, [s].
        error: reason why the law could not be made; empty if it could.
    """

    errors: Floats
    seconds: float
    error: str = ""


def toss_jobs(
    folder: Path, laws: Sequence[Names], substeps: Sequence[int], solver: str | None = None
) -> list[TossJob]:
    """List the jobs for scoring laws.

    Raises:
        DataError: if the tosses cannot be read.
    """
    n = len(read_tosses(folder))
    return [
        TossJob(folder, names, solver, count, range(first, min(first + CHUNK, n)))
        for names in laws
        for count in substeps
        for first in range(0, n, CHUNK)
    ]


def play(job: TossJob) -> Played:
    """Play the tosses of a job with default settings; nothing is fitted."""
    tosses, start = read_tosses(job.folder), process_time()
    try:
        laws = combine(
            installed(), job.laws.contact, job.laws.impact, job.laws.integrator, job.solver
        )
        sim = cube_simulator(Lab(laws), job.substeps)
    except FootfallError as error:
        return _unplayed(job, str(error))
    except Exception as error:
        return _unplayed(job, error_line(error))
    blank = sim.state.vector.copy()
    errors = np.empty((len(job.tosses), 2))
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        for k, index in enumerate(job.tosses):
            rows, velocity = tosses.rows(index), tosses.ic_vel[index]
            errors[k] = toss_errors(sim, blank, rows, velocity, job.substeps)
    return Played(errors, process_time() - start)


def score_tosses(
    jobs: Sequence[TossJob],
    *,
    workers: int | None = None,
    on_done: Callable[[], None] = lambda: None,
) -> list[Score]:
    """Play all jobs on all cores; return a score for each law and number of substeps."""
    played: dict[int, Played] = {}
    for number, answer in run_jobs(play, jobs, _died, workers):
        played[number] = answer
        on_done()
    gathered: dict[tuple[str, int], list[Played]] = {}
    for number, job in enumerate(jobs):
        gathered.setdefault((job.laws.contact, job.substeps), []).append(played[number])
    physical = read_tosses(jobs[0].folder).physical if jobs else 1
    return [sum_up(law, n, parts, physical) for (law, n), parts in gathered.items()]


def figures(score: Score) -> list[str]:
    """Return the figures of a score as text; empty if there is none."""
    values = (
        *(score.position[0], score.position[1], score.standard_errors[0]),
        *(score.rotation[0], score.rotation[1], score.standard_errors[1]),
    )
    digits = (1, 1, 2, 1, 1, 2)
    texts = [f"{x:.{n}f}" if x == x else "" for x, n in zip(values, digits, strict=True)]
    failed = str(score.failed) if score.failed else ""
    seconds = f"{score.seconds:.1f}" if score.seconds else ""
    return [score.who, str(score.substeps), *texts, failed, seconds]


def sum_up(law: str, substeps: int, parts: Sequence[Played], physical: int) -> Score:
    """Return the score of the played tosses, of so many physical ones."""
    errors = np.concatenate([part.errors for part in parts])
    good = errors[np.isfinite(errors).all(axis=1)]
    nothing = (float("nan"), float("nan"))
    seconds, failed = sum(part.seconds for part in parts), len(errors) - len(good)
    if not len(good):
        why = next((part.error for part in parts if part.error), "no toss could be played")
        return Score(law, substeps, nothing, nothing, nothing, failed, seconds, why)
    mean, deviation = good.mean(axis=0), good.std(axis=0)
    standard = deviation / np.sqrt(physical)
    return Score(
        law,
        substeps,
        (float(mean[0]), float(deviation[0])),
        (float(mean[1]), float(deviation[1])),
        (float(standard[0]), float(standard[1])),
        failed,
        seconds,
    )


def _unplayed(job: TossJob, error: str) -> Played:
    return Played(np.full((len(job.tosses), 2), np.nan), 0.0, error)


def _died(job: TossJob) -> Played:
    return _unplayed(job, "its process died")
