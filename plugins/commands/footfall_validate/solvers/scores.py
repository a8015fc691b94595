"""Scores of QP solvers: speed and exactness on the QPs of the scenes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Literal

import numpy as np

from footfall.api.advanced import TOLERANCE
from footfall.api.plugin import error_line
from footfall.api.solver import QPSolver
from footfall_validate.solvers.problems import Asked, Collection
from footfall_validate.solvers.variants import Variant

How = Literal["cold", "warm"]
REPEATS = 3
"""Number of solves of a problem; the fastest counts."""
LONG = 0.05
"""Time of two solves beyond which there is no third, [s]."""


@dataclass(frozen=True, slots=True)
class Solve:
    """Result of one solver on one problem.

    Attributes:
        source: title of the problem's scene.
        how: ``cold``, or ``warm`` from the law's warm start.
        seconds: time of the fastest of three solves, [s].
        residual: KKT residual in scale, computed here from the answer; infinite without one.
        failure: reason why the answer may not be used; empty if it may.
        polished: whether the backend's own answer was too coarse and was made exact.
    """

    source: str
    how: How
    seconds: float
    residual: float
    failure: str = ""
    polished: bool = False


@dataclass(frozen=True, slots=True)
class Score:
    """All solves of one solver.

    Attributes:
        variant: the solver.
        solves: its solves; empty if it is not installed.
    """

    variant: Variant
    solves: tuple[Solve, ...] = ()

    def times(self, how: How) -> list[float]:
        """Return times of solves, [s]; failures included."""
        return [solve.seconds for solve in self.solves if solve.how == how]

    @property
    def residual(self) -> float:
        """The largest KKT residual in scale; infinite if a solve had no answer."""
        return max((solve.residual for solve in self.solves), default=0.0)

    @property
    def polished(self) -> float:
        """Share of the answers that Footfall made exact."""
        return sum(solve.polished for solve in self.solves) / max(len(self.solves), 1)

    @property
    def failures(self) -> dict[tuple[str, str], int]:
        """Number of failed solves by source and reason."""
        return dict(Counter((s.source, s.failure) for s in self.solves if s.failure))

    @property
    def order(self) -> tuple[bool, float]:
        """Sort key: installed solvers by their best median time, the others last."""
        medians = [float(np.median(times)) for how in HOWS if (times := self.times(how))]
        return not medians, min(medians, default=0.0)


HOWS: tuple[How, How] = ("cold", "warm")


def score_solvers(
    chosen: Sequence[Variant],
    collections: Sequence[Collection],
    on_done: Callable[[], None] = lambda: None,
) -> list[Score]:
    """Solve every problem with every solver, the solvers in turn, in this process.

    Args:
        chosen: the solvers.
        collections: the problems.
        on_done: called after each problem.

    Returns:
        Scores, the fastest first.
    """
    solvers = {variant: variant.make() for variant in chosen if variant.cls is not None}
    solves: dict[Variant, list[Solve]] = {variant: [] for variant in chosen}
    for collection in collections:
        for asked in collection.asked:
            for variant, solver in solvers.items():
                for how in _hows(variant, asked):
                    solves[variant].append(_solve(solver, asked, how, collection.source.title))
            on_done()
    scores = [Score(variant, tuple(found)) for variant, found in solves.items()]
    return sorted(scores, key=lambda score: score.order)


def _hows(variant: Variant, asked: Asked) -> Iterator[How]:
    yield "cold"
    if variant.warm_starts and asked.start is not None:
        yield "warm"


def _solve(solver: QPSolver, asked: Asked, how: How, source: str) -> Solve:
    """Solve a problem; an exception is a failure."""
    start = asked.start if how == "warm" else None
    best = np.inf
    for repeat in range(REPEATS):
        begin = perf_counter()
        try:
            solution = solver.solve(asked.problem, start)
        except Exception as error:
            return Solve(source, how, perf_counter() - begin, np.inf, f"raised {error_line(error)}")
        best = min(best, perf_counter() - begin)
        if repeat and best > LONG:
            break
    residual = asked.problem.residuals(solution.x, solution.z).scaled
    is_right = solution.ok and residual <= TOLERANCE
    failure = "" if is_right else f"{solution.status.value}, KKT residual {residual:.0e}"
    return Solve(source, how, best, residual, failure, solution.polished)
