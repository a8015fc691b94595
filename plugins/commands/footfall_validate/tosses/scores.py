"""Scores of laws on the recorded tosses, beside the published ones."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from footfall.api.plugin import Floats, FootfallError, error_line
from footfall_validate.combination import Names, combine
from footfall_validate.lab import Lab
from footfall_validate.laws.study import installed
from footfall_validate.results import Table, mean_cells, notes_of
from footfall_validate.tosses import recorded
from footfall_validate.tosses.recorded import cube_simulator, read_tosses, row_errors
from footfall_validate.tosses.spread import predicted, spread_scores
from footfall_validate.workers import run_jobs

SUBSTEPS = 10
"""Steps between two rows, as in the published simulators."""
CHUNK, SPREAD_CHUNK = 25, 5
"""Number of tosses per job, also if their rest is predicted."""
PROTOCOL = (
    "Mean errors over recorded tosses (ContactNets), by the protocol of Acosta, Yang and Posa "
    "(2022), whose simulators were fitted to them; here nothing is fitted."
)
PREDICTION = (
    "Rest of tosses, predicted from 19 starts drawn from the recording's own errors: share of "
    "measured values within the central 90 % of the prediction, and CRPS (smaller is better)."
)


HEADER = ["", "substeps", "position [%]", "sd", "se", "rotation [deg]", "sd", "se", "failed"]
SPREAD = ["", "tosses", "in range: x, y [%]", "se", "in range: rotation [%]", "se"]
SPREAD += ["CRPS: x, y [%]", "se", "CRPS: rotation [deg]", "se"]
PUBLISHED = [
    ["Drake (fitted)", "10", "13.5", "8.2", "", "16.5", "20.0", "", ""],
    ["Bullet (fitted)", "10", "14.9", "8.9", "", "16.5", "20.2", "", ""],
    ["MuJoCo (fitted)", "10", "25.1", "10.8", "", "21.7", "21.4", "", ""],
]
"""Results of Acosta, Yang, Posa, Validating Robotics Simulators on Real-World Impacts, RA-L 2022,
with contact parameters fitted to these same tosses."""


@dataclass(frozen=True, slots=True)
class Score:
    """Scores of tosses.

    Attributes:
        who: name of the law, or of another simulator.
        substeps: steps between two rows.
        values: shape (n, k), of each toss: mean errors of position [percent of the cube's width]
            and rotation [deg], or what ``spread_scores`` returns; NaN if it could not be played.
        groups: numbers of the physical tosses among them; some are recorded twice, turned.
        error: reason why the law could not be made; empty if it could.
    """

    who: str
    substeps: int
    values: Floats
    groups: frozenset[int]
    error: str = ""

    @property
    def good(self) -> Floats:
        """Values of the tosses that could be played."""
        return self.values[np.isfinite(self.values).all(axis=1)]

    def cells(self) -> list[str]:
        """Return means, deviations and standard errors of a protocol's errors as text."""
        good, shown = self.good, [""] * 6
        failed, n = len(self.values) - len(good), len(self.groups)
        if len(good):
            sd = good.std(axis=0)
            figures = np.column_stack([good.mean(axis=0), sd, sd / np.sqrt(n)]).ravel()
            shown = [f"{x:.{d}f}" for x, d in zip(figures, (1, 1, 2, 1, 1, 2), strict=True)]
        return [self.who, str(self.substeps), *shown, str(failed) if failed else ""]

    def spread_cells(self) -> list[str]:
        """Return means and standard errors of the prediction's scores as text."""
        good = self.good
        shown = mean_cells(good) if len(good) else [""] * (len(SPREAD) - 2)
        return [self.who, str(len(good)), *shown]


def result(scores: Sequence[Score]) -> Table:
    """Return the table of a protocol's errors, with the published ones."""
    rows = [*(score.cells() for score in scores), *PUBLISHED]
    return Table(
        "Real tosses of a cube", PROTOCOL, HEADER, rows, notes_of({s.who: s.error for s in scores})
    )


def spread_result(scores: Sequence[Score]) -> Table:
    """Return the table of predictions."""
    rows = [score.spread_cells() for score in scores]
    return Table(
        "Real tosses, predicted",
        PREDICTION,
        SPREAD,
        rows,
        notes_of({s.who: s.error for s in scores}),
    )


@dataclass(frozen=True, slots=True)
class TossJob:
    """Some tosses with one law.

    Attributes:
        folder: folder with the file of tosses.
        laws: names of the plugins.
        solver: name of the QP solver for laws that use one; None: the default.
        substeps: steps between two rows.
        tosses: numbers of the tosses.
        spread: whether their rest is predicted from drawn starts.
    """

    folder: Path
    laws: Names
    solver: str | None
    substeps: int
    tosses: tuple[int, ...]
    spread: bool = False


def toss_jobs(
    folder: Path,
    laws: Sequence[Names],
    substeps: Sequence[int],
    solver: str | None = None,
    part: int = 1,
    *,
    spread: bool = False,
) -> list[TossJob]:
    """List the jobs for scoring laws on every so many parts of the tosses.

    Raises:
        DataError: if the tosses cannot be read.
    """
    tosses, size = read_tosses(folder), SPREAD_CHUNK if spread else CHUNK
    numbers = predicted(tosses) if spread else list(range(len(tosses)))
    chunks = [tuple(numbers[k : k + size]) for k in range(0, len(numbers), size)]
    return [
        TossJob(folder, names, solver, count, chunk, spread)
        for names in laws
        for count in substeps
        for chunk in chunks[::part]
    ]


def play(job: TossJob) -> Score:
    """Play the tosses of a job with default settings; nothing is fitted."""
    tosses = read_tosses(job.folder)
    try:
        laws = combine(
            installed(), job.laws.contact, job.laws.impact, job.laws.integrator, job.solver
        )
        sim = cube_simulator(Lab(laws), job.substeps)
    except FootfallError as error:
        return _score(job, error=str(error))
    except Exception as error:
        return _score(job, error=error_line(error))
    blank, values = sim.state.vector.copy(), []
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        for index in job.tosses:
            if job.spread:
                values.append(spread_scores(sim, blank, tosses, index, job.substeps))
                continue
            rows, velocity = tosses.rows(index), tosses.ic_vel[index]
            played = recorded.play(sim, blank, rows, velocity, job.substeps)
            values.append(np.array(row_errors(played, rows)))
    return _score(job, np.array(values))


def score_tosses(
    jobs: Sequence[TossJob],
    *,
    workers: int | None = None,
    on_done: Callable[[], None] = lambda: None,
) -> list[Score]:
    """Play all jobs on all cores; return a score for each law and number of substeps."""
    played: dict[int, Score] = {}
    for number, answer in run_jobs(play, jobs, _died, workers):
        played[number] = answer
        on_done()
    gathered: dict[tuple[str, int], list[Score]] = {}
    for number, job in enumerate(jobs):
        gathered.setdefault((job.laws.contact, job.substeps), []).append(played[number])
    return [sum_up(parts) for parts in gathered.values()]


def sum_up(parts: Sequence[Score]) -> Score:
    """Return the score of all parts of a law's tosses."""
    return replace(
        parts[0],
        values=np.concatenate([part.values for part in parts]),
        groups=frozenset().union(*(part.groups for part in parts)),
        error=next((part.error for part in parts if part.error), ""),
    )


def _score(job: TossJob, values: Floats | None = None, error: str = "") -> Score:
    """Return the score of a job; without values its tosses could not be played."""
    groups = frozenset(read_tosses(job.folder).group[list(job.tosses)].tolist())
    if values is None:
        values = np.full((len(job.tosses), 4 if job.spread else 2), np.nan)
    return Score(job.laws.contact, job.substeps, values, groups, error)


def _died(job: TossJob) -> Score:
    return _score(job, error="its process died")
