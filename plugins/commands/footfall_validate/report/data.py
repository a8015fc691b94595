"""Tables of real data and of problems of others, of a report card."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from footfall.api.plugin import Registry, SimulationError
from footfall_validate.combination import SIMULATOR, Names, names_of_simulator
from footfall_validate.options import counted

SUBSTEPS = 10
"""Steps between two rows of a toss, as in the published simulators."""
PART = 4
"""A quick report takes every so many tosses and problems."""
LIMIT, BRIEF = 2.0, 0.3
"""Time of a law for a friction problem, also in a quick report, [s]."""


@dataclass(frozen=True, slots=True)
class Table:
    """Results beside those of others: title, what they are, header and rows."""

    title: str
    told: str
    header: list[str]
    rows: list[list[str]]


def folders_of(data: Path) -> dict[str, Path]:
    """Return the folders with data in a folder by their names ``tosses``, ``pushes``, ``fc3d``.

    Raises:
        SimulationError: if there is none of them.
    """
    found = {name: data / name for name in ("tosses", "pushes", "fc3d") if (data / name).is_dir()}
    if not found:
        raise SimulationError(f"{data}: no folder tosses, pushes or fc3d in it")
    return found


def tables_of(
    registry: Registry,
    names: Sequence[str],
    folders: Mapping[str, Path],
    *,
    quick: bool,
    workers: int | None,
) -> Iterator[Table]:
    """Yield a table for each folder, of laws and simulators by the names that they are measured by.

    Raises:
        FootfallError: if a folder's data cannot be read.
    """
    laws = [name for name in names if not name.startswith(SIMULATOR)]
    usual = registry.default("integrator")
    of = {name: Names(name, registry.suiting_impact(name), usual) for name in laws}
    if "tosses" in folders:
        guests = [name.removeprefix(SIMULATOR) for name in names if name not in laws]
        every = [*of.values(), *(names_of_simulator(registry, name) for name in guests)]
        yield _tosses(folders["tosses"], every, PART if quick else 1, workers)
    if "pushes" in folders:
        yield _pushes(folders["pushes"], list(of.values()))
    if "fc3d" in folders:
        yield _problems(folders["fc3d"], registry, laws, (PART, BRIEF) if quick else (1, LIMIT))


def _tosses(folder: Path, laws: Sequence[Names], part: int, workers: int | None) -> Table:
    from footfall_validate.tosses.page import HEADER
    from footfall_validate.tosses.scores import CHUNK, PUBLISHED, figures, score_tosses, toss_jobs

    every = toss_jobs(folder, laws, [SUBSTEPS])
    listed = [job for job in every if job.tosses.start // CHUNK % part == 0]  # the same of all
    with counted(len(listed), "tosses, 25 each") as done:
        scores = score_tosses(listed, workers=workers, on_done=done)
    told = (
        "Mean errors over recorded tosses (ContactNets), by the protocol of Acosta, Yang and Posa "
        "(2022), whose simulators were fitted to them; here nothing is fitted."
    )
    rows = [figures(score) for score in (*scores, *PUBLISHED)]
    return Table("Real tosses of a cube", _with_reasons(told, scores), HEADER, rows)


def _pushes(folder: Path, laws: Sequence[Names]) -> Table:
    from footfall_validate.pushes.scores import HEADER, held_out, score_law, score_others

    fit, held = held_out(folder)
    with counted(len(laws) * len(held), "pushes") as done:
        scores = [score_law(names, fit, held, done) for names in laws]
    told = (
        "Errors of a cube's way that a real gripper pushes (Collins, Howard and Leitner 2018), "
        "beside the published runs of seven simulators and the real robot's own repeats. Friction "
        "and the gripper's shape come from other runs, without a law."
    )
    scores += score_others(folder, held)
    cells = [score.cells() for score in scores]
    return Table("Real pushes of a cube", _with_reasons(told, scores), HEADER, cells)


def _with_reasons(told: str, scores: Sequence[Any]) -> str:
    """Return the text of a table, with the reasons of scores that have none."""
    return " ".join([told, *(f"{score.who}: {score.error}." for score in scores if score.error)])


def _problems(
    folder: Path, registry: Registry, laws: Sequence[str], extent: tuple[int, float]
) -> Table:
    from footfall_validate.fc3d.problems import read_problems
    from footfall_validate.fc3d.profiles import HEADER, contenders, measure, rows

    part, limit = extent
    problems = read_problems(folder)[::part]
    found = contenders(registry, laws, limit)
    solved = {name: which for name, which in found.items() if not isinstance(which, str)}
    with counted(len(solved) * len(problems), "friction problems") as done:
        times = measure(solved, problems, limit, done)
    refused = [
        [name, why, *([""] * (len(HEADER) - 2))]
        for name, why in found.items()
        if isinstance(why, str)
    ]
    told = (
        "Share of friction problems (FCLIB, Siconos) solved to an accuracy within a factor of the "
        f"best time of these laws, in at most {limit:g} s each."
    )
    return Table("Friction problems of others", told, HEADER, [*rows(times), *refused])
