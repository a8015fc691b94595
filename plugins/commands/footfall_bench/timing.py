"""Timing of several contenders in turn, so that a busy machine slows all of them alike."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from statistics import median
from time import perf_counter


@dataclass(frozen=True, slots=True)
class Sample:
    """Times of a call, one value per repeat, in [us] unless stated otherwise."""

    values: tuple[float, ...]

    @property
    def median(self) -> float:
        """Median of the repeats."""
        return median(self.values)

    @property
    def low(self) -> float:
        """Smallest of the repeats."""
        return min(self.values)

    @property
    def high(self) -> float:
        """Largest of the repeats."""
        return max(self.values)

    def __str__(self) -> str:
        return f"{self.median:8.2f} us  ({self.low:.2f} .. {self.high:.2f})"


Burst = Callable[[int], None]
"""A function that does its work n times."""


def timed(burst: Burst, count: int) -> float:
    """Return the wall time of each of ``count`` calls in a burst, [us]."""
    start = perf_counter()
    burst(count)
    return 1e6 * (perf_counter() - start) / count


def interleaved(bursts: Mapping[str, Burst], count: int, repeats: int) -> dict[str, Sample]:
    """Time each burst of ``count`` calls ``repeats`` times: A B C A B C ..."""
    times: dict[str, list[float]] = {name: [] for name in bursts}
    for _ in range(repeats):
        for name, burst in bursts.items():
            times[name].append(timed(burst, count))
    return {name: Sample(tuple(values)) for name, values in times.items()}


def pairwise(a: Sample, b: Sample) -> Sample:
    """Return the ratios of neighbouring repeats; a slowdown of both in a pair cancels."""
    return Sample(tuple(x / y for x, y in zip(a.values, b.values, strict=True)))
