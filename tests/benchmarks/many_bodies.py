"""Time and memory of a step with 10 to 1000 free cubes on the ground: both grow linearly.

python -m tests.benchmarks.many_bodies [--cubes 10 --cubes 100] [--repeats 7]
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
from typing import Any

import footfall
from footfall_bench.timing import interleaved
from footfall_stepper.simulation.simulator import StepperSimulator

COUNTS = (10, 30, 100, 300, 1000)
SPACING = 0.3
"""Between cubes, [m]."""


def cubes(n: int, height: float = 0.05) -> StepperSimulator:
    """Return a simulator of n cubes of 0.1 m in a row, their centres at a height [m]."""
    bodies = {
        f"cube{k}": {"robot": "cube", "base_position": [SPACING * k, 0.0, height]} for k in range(n)
    }
    tables: dict[str, Any] = {
        "simulation": {"duration": 1.0, "time_step": 1e-3},
        "world": {"terrain": {"plugin": "plane"}},
        "bodies": bodies,
    }
    registry = footfall.discover()
    return footfall.assemble(footfall.scene_from_dict(tables, registry), registry)


def measure(n: int, repeats: int) -> dict[str, float]:
    """Time a step of n cubes in flight and at rest, and the memory of the whole process."""
    flying, resting = cubes(n, 10.0), cubes(n)
    resting.record(0.2)
    flying.step()
    times = interleaved(
        {"flying": _steps(flying), "resting": _steps(resting)}, max(3, 2000 // n), repeats
    )
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {name: sample.median for name, sample in times.items()} | {"memory": peak}


def _steps(sim: StepperSimulator) -> Any:
    def burst(count: int) -> None:
        for _ in range(count):
            sim.step()

    return burst


def main(arguments: list[str] | None = None) -> int:
    """Measure each number of cubes in a process of its own and print a table."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.benchmarks.many_bodies", description=__doc__
    )
    parser.add_argument("--cubes", type=int, action="append")
    parser.add_argument("--repeats", type=int, default=7)
    parser.add_argument("--only", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.only:
        print(json.dumps(measure(options.only, options.repeats)))
        return 0
    print("cubes   flying us/step (a cube)   resting us/step (a cube)   peak memory MB")
    for n in options.cubes or COUNTS:
        command = [sys.executable, "-m", "tests.benchmarks.many_bodies", "--only", str(n)]
        command += ["--repeats", str(options.repeats)]
        row = json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout)
        flying, resting = row["flying"], row["resting"]
        print(
            f"{n:5d}   {flying:14.1f} ({flying / n:5.2f})   {resting:16.1f} ({resting / n:5.2f})"
            f"   {row['memory']:14.0f}"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
