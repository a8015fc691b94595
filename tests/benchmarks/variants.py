"""Whole steps of several simulators in turn, beside the first of them."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path

from tests.benchmarks.parts import RecordedSteps
from tests.benchmarks.timing import Burst, interleaved, pairwise

import footfall

SETTLE = 0.2
"""Simulated before anything is timed, [s]."""


def report(makers: Mapping[str, Callable[[], footfall.Simulator]], steps: int, repeats: int) -> str:
    """Time recorded steps of each simulator; return a line for each."""
    bursts: dict[str, Burst] = {}
    writers = []
    with tempfile.TemporaryDirectory() as folder:
        for number, (name, make) in enumerate(makers.items()):
            sim = make()
            sim.record(SETTLE)
            recorded = RecordedSteps(sim, Path(folder) / f"{number}.zarr")
            writers.append(recorded.writer)
            bursts[name] = recorded.burst
        samples = interleaved(bursts, steps, repeats)
        for writer in writers:
            writer.close()
    plain = next(iter(samples.values()))
    return "\n".join(
        f"{name:<44}{sample}  {pairwise(sample, plain).median:.2f} x"
        for name, sample in samples.items()
    )
