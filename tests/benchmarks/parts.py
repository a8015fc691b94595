"""The parts of a step, each timed alone on the robot at rest; `footfall bench step`: the whole.

python -m tests.benchmarks.parts [--scene icub/standing] [--steps 2000] [--repeats 15]
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import footfall
from footfall.recording.variables import standard_coords
from footfall.recording.writer import RecordingWriter
from footfall_bench.timing import Burst, Sample, interleaved
from footfall_stepper.kernels.step.program import Phase
from footfall_stepper.simulation.simulator import StepperSimulator

NOTE = (
    "each part alone in a loop, where caches are warmer than in a whole step; "
    "the rest is Python between the parts, and colder caches"
)


class RecordedSteps:
    """Steps with the recorder on, as a run does them, into one recording."""

    def __init__(self, sim: StepperSimulator, path: Any) -> None:
        self.sim = sim
        self.writer = RecordingWriter(path, sim.layout, standard_coords(sim.labels), {})

    def burst(self, count: int) -> None:
        """Do so many steps, and write what the recorder still holds."""
        writer, make_steps = self.writer, self.sim.make_steps
        buffer, advance = writer.buffer, writer.advance
        for _ in range(count):
            make_steps(buffer, writer.cursor, 1)
            advance()
        writer.flush()

    def recorder_burst(self, count: int) -> None:
        """Record so many rows without stepping."""
        advance = self.writer.advance
        for _ in range(count):
            advance()
        self.writer.flush()


def part_calls(sim: StepperSimulator) -> dict[str, Callable[[], Any]]:
    """Return the calls that a step of one robot is made of, in order, ready to be repeated."""
    stepper, world, dt = sim.stepper, sim.stepper.world, sim.time_step
    tree, q, v, settle = stepper.trees.bound[0]
    row, at, time = sim._rows[0], sim._at, sim.time
    query, sample = world.candidates.query, world.sample
    calls: dict[str, Callable[[], Any]] = {}
    calls |= {
        "controllers": lambda: stepper.program.run(Phase.COMMAND),
        "engine: M, h, S, placements": lambda: tree.evaluate(q, v),
        "settle: factor, free velocity": lambda: settle(dt),
        "terrain: gaps": lambda: stepper.terrain.sample(time, query, sample),
        "prepare: gaps, contacts": lambda: stepper._prepare(row, at, time, dt, True),
        "assemble: Jacobians, Delassus": lambda: stepper._assemble(),
        "law: impulses": lambda: stepper._resolve._bound(),
        "complete: residuals, new state": lambda: (stepper._judge(), stepper._complete(dt)),
        "finish_row: recording row": lambda: stepper._finish_row(row, at, dt),
    }
    return calls


def time_parts(
    sim: StepperSimulator, recorded: RecordedSteps, count: int, repeats: int
) -> dict[str, Sample]:
    """Time every part in bursts of ``count``; the state is put back after each burst."""

    def restoring(call: Callable[[], Any]) -> Burst:
        def burst(count: int) -> None:
            for _ in range(count):
                call()
            sim.state.assign(kept)

        return burst

    sim.step()
    kept = sim.state.vector.copy()
    bursts: dict[str, Burst] = {name: restoring(call) for name, call in part_calls(sim).items()}
    bursts["recorder: advance and write"] = recorded.recorder_burst
    times = interleaved(bursts, count, repeats)
    sim.state.assign(kept)
    return times


def main(arguments: list[str] | None = None) -> int:
    """Let a robot settle, time the parts of its step, and print them."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.parts", description=NOTE)
    parser.add_argument("--scene", default="icub/standing")
    parser.add_argument("--steps", type=int, default=2000, help="calls in a burst")
    parser.add_argument("--repeats", type=int, default=15, help="bursts of each part")
    options = parser.parse_args(arguments)
    sim = footfall.load(options.scene)
    sim.record(3.0)
    with tempfile.TemporaryDirectory() as folder:
        recorded = RecordedSteps(sim, Path(folder) / "run.zarr")
        parts = time_parts(sim, recorded, options.steps, options.repeats)
        recorded.writer.close()
    for name, sample in parts.items():
        print(f"{name:<34}{sample}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
