"""A check: a closed form to compare laws with, its measures, and curves to draw."""

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
    """A measured figure, its expected value, and its tolerance.

    Attributes:
        what: the measured quantity and its circumstances.
        unit: unit of all three figures; "" if they are ratios.
        measured: result of the simulation.
        expected: value by the closed form.
        tolerance: largest error due to the scheme and the law's declared accuracy.
    """

    what: str
    unit: str
    measured: float
    expected: float
    tolerance: float

    @property
    def title(self) -> str:
        """The measured quantity with its unit, if it has one."""
        return f"{self.what} [{self.unit}]" if self.unit else self.what

    def figures(self, digits: int) -> list[str]:
        """Return measured and expected figure, error and tolerance as text."""
        values = (self.measured, self.expected, self.error, self.tolerance)
        return [f"{value:.{digits}g}" for value in values]

    @property
    def error(self) -> float:
        """Distance of the measured figure from the expected one."""
        return abs(self.measured - self.expected)

    @property
    def excess(self) -> float:
        """Error over tolerance; infinite if the figure is not finite."""
        if not np.isfinite(self.measured):
            return float("inf")
        return self.error / self.tolerance if self.tolerance > 0.0 else float("inf")

    @property
    def is_met(self) -> bool:
        """Whether the error is within the tolerance."""
        return self.excess <= 1.0


@dataclass(frozen=True, slots=True)
class Trace:
    """A curve of one run, drawn over those of other laws.

    Attributes:
        figure: name of its figure.
        x: shape (n,), horizontal coordinates.
        y: shape (n,), vertical coordinates.
    """

    figure: str
    x: tuple[float, ...]
    y: tuple[float, ...]


def trace(figure: str, x: npt.ArrayLike, y: npt.ArrayLike, most: int = 200) -> Trace:
    """Return a curve of at most ``most`` points, evenly chosen, with numbers rounded."""
    xs, ys = np.asarray(x, float), np.asarray(y, float)
    kept = np.unique(np.linspace(0, len(xs) - 1, min(most, len(xs))).round().astype(int))
    return Trace(figure, _short(xs[kept]), _short(ys[kept]))


def _short(values: npt.NDArray[np.float64]) -> tuple[float, ...]:
    return tuple(float(f"{value:.5g}") for value in values)


Run = Callable[[Lab], Iterable[Measure | Trace]]


@dataclass(frozen=True, slots=True)
class Check:
    """A comparison with one closed form.

    Attributes:
        name: name by which it is chosen.
        title: its subject in a few words.
        run: function that simulates and yields measures, and curves for the figures.
        needs: claims that the laws must make for a miss to be a failure.
        about: subject of the figures. ``impact``: runs with every impact model; ``contact``: with
            the one that suits each law; ``motion``: also with every integrator, since there is no
            contact.
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
        """The equation, its source, and the reason of the tolerance."""
        return inspect.cleandoc(self.run.__doc__ or "")

    def disclaimed(self, laws: Combination) -> str | None:
        """Return why the laws do not claim the check, None if they do."""
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
