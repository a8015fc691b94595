"""Performance profiles of laws on friction problems (Acary, Brémond and Huber 2018).

A problem counts as solved to an accuracy if Siconos' score and the natural map [m/s], computed
apart from the law, are within it. A profile is the share of problems that a law solves within a
factor of the shortest time of all laws.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from time import perf_counter
from typing import Any, get_args

import numpy as np

from footfall.api.contact import ImpulseLaw
from footfall.api.plugin import Floats, PluginError, Registry
from footfall.testing.check import Subject, subject_of
from footfall_validate.circumstances import table, write_page
from footfall_validate.fc3d.problems import Problem
from footfall_validate.laws.figures import figure_file
from footfall_validate.results import Table

ACCURACIES = 1e-4, 1e-8, 1e-12
"""Tolerances of the laws [m/s], and bounds of score [-] and natural map [m/s] that count."""
FACTORS = 1.0, 2.0, 10.0, 100.0
"""Factors of the shortest time in the table, [-]."""
BRIEF = 0.1
"""Time up to which a solve is repeated, [s]."""
MOST = 10**6
"""Iterations allowed to a law with a time limit, [-]."""
HEADER = ["law", "accuracy", *(f"{factor:g} x" for factor in FACTORS), "solved", "median [s]"]


def contenders(
    registry: Registry, names: Sequence[str], limit: float
) -> tuple[dict[str, list[Subject]], dict[str, str]]:
    """Return laws, each with every algorithm it has, for each accuracy; and why one is refused.

    Raises:
        PluginError: if a named law does not exist.
    """
    found, refused = dict[str, list[Subject]](), dict[str, str]()
    for name in names or registry.contact.names():
        entry = registry.find("contact", name)
        try:
            cls: type[Any] = entry.load()
        except PluginError as error:
            refused[name] = str(error)
            continue
        if not issubclass(cls, ImpulseLaw) or cls.uses_solver or cls.state_parts:
            refused[name] = "each returns forces, needs a QP solver, or stores a state"
            continue
        known = cls.Config.model_fields
        for algorithm in get_args(known["algorithm"].annotation) if "algorithm" in known else ("",):
            wanted = {"time_budget": limit, "algorithm": algorithm}
            wanted |= {"max_iterations": MOST} if "time_budget" in known else {}
            settings = [wanted | {"tolerance": accuracy} for accuracy in ACCURACIES]
            found[f"{name} {algorithm}".strip()] = [
                subject_of("contact", name, registry, {k: v for k, v in s.items() if k in known})
                for s in settings
            ]
    return found, refused


def solve(subject: Subject, problem: Problem) -> tuple[float, float]:
    """Return the larger of score and natural map, infinite if refused, and the time, [s].

    A brief solve is repeated from zero in the same arrays, as a run does: the first loads kernels
    and allocates.
    """
    law, arrays, seconds = subject.make(), problem.arrays(), np.inf
    for _ in range(2):
        arrays.impulse[:] = 0.0
        start = perf_counter()
        try:
            law.solve(arrays, {})
        except Exception:  # of a third party's law as well
            return np.inf, perf_counter() - start
        seconds = perf_counter() - start
        if seconds > BRIEF:
            break
    return max(problem.errors(arrays.impulse)), seconds


def measure(
    laws: Mapping[str, Sequence[Subject]],
    problems: Sequence[Problem],
    limit: float,
    done: Callable[[], None],
) -> dict[str, Floats]:
    """Return times of each law, (accuracies, problems), [s]; infinite if not solved in time.

    Problems come by size; after a solve that takes twice the limit [s], which a law with a budget
    of time does not, a law is given no more contacts.
    """
    times = {name: np.full((len(ACCURACIES), len(problems)), np.inf) for name in laws}
    over: set[tuple[str, int]] = set()
    for k in sorted(range(len(problems)), key=lambda k: len(problems[k].mu)):
        for name, subjects in laws.items():
            for t, subject in enumerate(subjects):
                if (name, t) in over:
                    continue
                error, seconds = solve(subject, problems[k])
                if seconds > 2.0 * limit:
                    over.add((name, t))
                if seconds <= limit and error <= ACCURACIES[t]:
                    times[name][t, k] = seconds
            done()
    return times


def profile(times: Mapping[str, Floats], name: str, factors: Floats) -> Floats:
    """Return the share of problems that a law solves within factors of the best time.

    Returns:
        Shape (accuracies, factors), [-].
    """
    best = np.min(list(times.values()), axis=0)[:, None]
    within = times[name][:, None] <= factors[:, None] * best
    share: Floats = (within & np.isfinite(times[name][:, None])).mean(axis=2)
    return share


def result(times: Mapping[str, Floats], refused: Mapping[str, str], limit: float) -> Table:
    """Return the table of profiles, of solves of at most ``limit`` [s]."""
    found = []
    for t, accuracy in enumerate(ACCURACIES):
        for name, spent in times.items():
            shares = [f"{x:.2f}" for x in profile(times, name, np.array(FACTORS))[t]]
            good = spent[t][np.isfinite(spent[t])]
            median = f"{np.median(good):.2g}" if len(good) else ""
            solved = f"{len(good)} of {spent.shape[1]}"
            found.append([name, f"{accuracy:g}", *shares, solved, median])
    told = (
        "Share of friction problems (FCLIB, Siconos) solved to an accuracy within a factor of the "
        f"best time of these laws, in at most {limit:g} s each."
    )
    notes = [f"{name}: not tested: {why}" for name, why in refused.items()]
    return Table("Published friction problems", told, HEADER, found, notes)


def write_profile_page(
    folder: Path, times: Mapping[str, Floats], refused: Mapping[str, str], limit: float
) -> Path:
    """Write ``fc3d.md``, and its figure to a folder ``fc3d`` beside it; return the page."""
    (folder / "fc3d").mkdir(parents=True, exist_ok=True)
    path, factors = folder / "fc3d" / "profiles.svg", np.logspace(0.0, 3.0, 200)
    with figure_file(path, 1, 3, figsize=(10, 3.2), sharey=True) as axes:
        for t, axis in enumerate(axes):
            for k, name in enumerate(times):
                share = profile(times, name, factors)[t]
                axis.step(factors, share, ("-", "--")[k % 2], where="post", label=name)
            axis.set(xscale="log", xlabel="time over the best", title=f"to {ACCURACIES[t]:g}")
        axes[0].set(ylabel="share of problems", ylim=(0.0, 1.02))
        axes[-1].legend(loc="center left", bbox_to_anchor=(1.0, 0.5))
    alike: dict[str, list[str]] = {}
    for name, why in refused.items():
        alike.setdefault(why, []).append(name)
    shares = {name: profile(times, name, np.array([2.0]))[:, 0] for name in times}
    solved = {name: np.isfinite(spent).sum(axis=1) for name, spent in times.items()}
    shown = table(
        ["law", *(f"solved to {accuracy:g} (2 x)" for accuracy in ACCURACIES)],
        [
            [name, *(f"{n} ({x:.2f})" for n, x in zip(solved[name], shares[name], strict=True))]
            for name in times
        ],
    )
    shown += "".join(f"\n- {', '.join(names)}: not tested: {why}" for why, names in alike.items())
    problems = next(iter(times.values())).shape[1] if times else 0
    return write_page(folder, "fc3d", table=shown, problems=problems, limit=limit)
