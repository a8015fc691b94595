"""Whole steps of several simulators in turn, beside the first of them."""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path

from tests.benchmarks.parts import RecordedSteps

import footfall
from footfall.errors import FootfallError
from footfall_bench.timing import Burst, interleaved, pairwise

SETTLE = 0.2
"""Simulated before anything is timed, [s]."""


Makers = Mapping[str, Callable[[], footfall.Simulator]]


def report(
    makers: Makers, steps: int, repeats: int, others: Mapping[str, Callable[[], Burst]]
) -> str:
    """Time recorded steps of each simulator, and others; return a line for each."""
    bursts: dict[str, Burst] = {}
    writers = []
    with tempfile.TemporaryDirectory() as folder:
        for number, (name, make) in enumerate(makers.items()):
            sim = make()
            sim.record(SETTLE)
            recorded = RecordedSteps(sim, Path(folder) / f"{number}.zarr")
            writers.append(recorded.writer)
            bursts[name] = recorded.burst
        bursts |= {name: make() for name, make in others.items()}
        samples = interleaved(bursts, steps, repeats)
        for writer in writers:
            writer.close()
    plain = next(iter(samples.values()))
    return "\n".join(
        f"{name:<44}{sample}  {pairwise(sample, plain).median:.2f} x"
        for name, sample in samples.items()
    )


def command(
    document: str,
    makers: Makers,
    arguments: list[str] | None,
    others: Mapping[str, Callable[[], Burst]] | None = None,
) -> int:
    """Print the report of simulators for the options of a command line.

    Args:
        document: of the benchmark: the first line is the description, the third the command.
        makers: of simulators by name; the first is what all are compared with.
        arguments: of the command line.
        others: that are timed in turn with them.
    """
    description, _, call, *_ = document.splitlines()
    parser = argparse.ArgumentParser(prog=call.split(" [")[0], description=description)
    parser.add_argument("--steps", type=int, default=500, help="steps in a burst")
    parser.add_argument("--repeats", type=int, default=15, help="bursts of each")
    options = parser.parse_args(arguments)
    try:
        print(report(makers, options.steps, options.repeats, others or {}))
    except FootfallError as error:
        print(error, file=sys.stderr)
        return 1
    return 0
