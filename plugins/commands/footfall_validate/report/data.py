"""Tables of real data and of problems of others, of a report card."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from footfall.api.plugin import Registry, SimulationError
from footfall_validate.combination import SIMULATOR, Names, names_of_simulator
from footfall_validate.options import counted
from footfall_validate.results import Table

PART = 4
"""A quick report takes every so many tosses and problems."""
LIMIT, BRIEF = 2.0, 0.3
"""Time of a law for a friction problem, also in a quick report, [s]."""


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
        yield from _tosses(folders["tosses"], every, PART if quick else 1, workers)
    if "pushes" in folders:
        yield _pushes(folders["pushes"], list(of.values()))
    if "fc3d" in folders:
        yield _problems(folders["fc3d"], registry, laws, (PART, BRIEF) if quick else (1, LIMIT))


def _tosses(folder: Path, laws: Sequence[Names], part: int, n: int | None) -> Iterator[Table]:
    from footfall_validate.tosses import scores

    listed = scores.toss_jobs(folder, laws, [scores.SUBSTEPS], part=part)
    with counted(len(listed), "tosses, 25 each") as done:
        yield scores.result(scores.score_tosses(listed, workers=n, on_done=done))
    listed = scores.toss_jobs(folder, laws, [scores.SUBSTEPS], part=part, spread=True)
    with counted(len(listed), "tosses, 5 with 19 starts") as done:
        yield scores.spread_result(scores.score_tosses(listed, workers=n, on_done=done))


def _pushes(folder: Path, laws: Sequence[Names]) -> Table:
    from footfall_validate.pushes.scores import held_out, result, score_law, score_others

    fit, held = held_out(folder)
    with counted(len(laws) * len(held), "pushes") as done:
        scores = [score_law(names, fit, held, done) for names in laws]
    return result(scores + score_others(folder, held))


def _problems(
    folder: Path, registry: Registry, laws: Sequence[str], extent: tuple[int, float]
) -> Table:
    from footfall_validate.fc3d.problems import read_problems
    from footfall_validate.fc3d.profiles import contenders, measure, result

    part, limit = extent
    problems = read_problems(folder)[::part]
    solved, refused = contenders(registry, laws, limit)
    with counted(len(solved) * len(problems), "friction problems") as done:
        times = measure(solved, problems, limit, done)
    return result(times, refused, limit)
