"""A check: a closed form that laws are compared with, its figure, and curves to draw."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from footfall_validate.claims import Claim
from footfall_validate.combination import Combination
from footfall_validate.lab import Lab


@dataclass(frozen=True, slots=True)
class Measure:
    """A figure, what it should be, and how far off it may be.

    Attributes:
        what: what was measured, and where.
        unit: of all three figures; "" if they are ratios.
        measured: what the simulation gave.
        expected: by the closed form.
        tolerance: largest error that is put down to the scheme and the law's declared accuracy.
    """

    what: str
    unit: str
    measured: float
    expected: float
    tolerance: float

    @property
    def error(self) -> float:
        """Distance of the measured figure from the expected one."""
        return abs(self.measured - self.expected)

    @property
    def excess(self) -> float:
        """Error over tolerance: up to 1 it is met; infinite if the figure is not finite."""
        if not np.isfinite(self.measured):
            return float("inf")
        return self.error / self.tolerance if self.tolerance > 0.0 else float("inf")

    @property
    def is_met(self) -> bool:
        """Whether the error is within the tolerance."""
        return self.excess <= 1.0


@dataclass(frozen=True, slots=True)
class Trace:
    """A curve of one run, to be laid over those of other laws.

    Attributes:
        figure: name of the figure that it belongs to.
        x: shape (n,).
        y: shape (n,).
    """

    figure: str
    x: tuple[float, ...]
    y: tuple[float, ...]


def trace(figure: str, x: npt.ArrayLike, y: npt.ArrayLike, most: int = 200) -> Trace:
    """Return a curve of at most so many points, evenly chosen, with figures fit for drawing."""
    xs, ys = np.asarray(x, float), np.asarray(y, float)
    kept = np.unique(np.linspace(0, len(xs) - 1, min(most, len(xs))).round().astype(int))
    return Trace(figure, _short(xs[kept]), _short(ys[kept]))


def _short(values: npt.NDArray[np.float64]) -> tuple[float, ...]:
    return tuple(float(f"{value:.5g}") for value in values)


Run = Callable[[Lab], Iterable[Measure | Trace]]


@dataclass(frozen=True, slots=True)
class Check:
    """One closed form.

    Attributes:
        name: by which it is chosen.
        title: what is looked at, in a few words.
        run: simulates and yields measures, and curves for the figures.
        needs: what the laws must claim for a miss to be a failure.
        about: whose figures they are: with ``impact`` it is run with every impact model, with
            ``contact`` with the one that suits each law, with ``motion`` also with every
            integrator, since no contact takes part in it.
    """

    name: str
    title: str
    run: Run
    needs: tuple[Claim, ...] = ()
    about: Literal["motion", "contact", "impact"] = "contact"

    def __str__(self) -> str:
        return self.name

    @property
    def reference(self) -> str:
        """The equation, its source, and where the tolerance comes from."""
        return inspect.cleandoc(self.run.__doc__ or "")

    def disclaimed(self, laws: Combination) -> str | None:
        """Return why laws do not claim the check, None if they do."""
        if laws.elsewhere is not None:
            return "another simulator: measured, not judged"
        for needed in self.needs:
            reason = needed(laws)
            if reason:
                return reason
        for subject in (laws.contact, laws.impact):
            misses = subject.claims.misses
            if self.name in misses:
                return misses[self.name]
        return None
