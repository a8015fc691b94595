"""Wall time of ``footfall run SCENE --duration 0.01`` as a process, on a warm install."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from time import perf_counter

from footfall.api.plugin import SimulationError
from footfall_bench.timing import Sample

CONTENDERS = {
    "python -c pass": ["-c", "pass"],
    "import footfall, numpy, llvmlite": ["-c", "import footfall, numpy, llvmlite"],
    "footfall run": ["-c", "from footfall.cli.main import main; main()", "run"],
}


def process_time(arguments: list[str], folder: str) -> float:
    """Run Python with the arguments in a folder and return the wall time, [s]."""
    start = perf_counter()
    done = subprocess.run(
        [sys.executable, *arguments], cwd=folder, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise SimulationError(f"{' '.join(arguments)} failed: {done.stderr.strip()}")
    return perf_counter() - start


def measure(scene: str, repeats: int) -> dict[str, Sample]:
    """Time the processes in turn, after one unmeasured run that compiles what is missing.

    Args:
        scene: scene that is run for a hundredth of a second.
        repeats: number of runs of each process.

    Returns:
        Wall times by process, [s].
    """
    run = [*CONTENDERS["footfall run"], scene, "--duration", "0.01"]
    commands = CONTENDERS | {"footfall run": run}
    times: dict[str, list[float]] = {name: [] for name in commands}
    with tempfile.TemporaryDirectory() as folder:
        process_time(run, folder)
        for _ in range(repeats):
            for name, command in commands.items():
                times[name].append(process_time(command, folder))
    return {name: Sample(tuple(values)) for name, values in times.items()}


def report(times: dict[str, Sample]) -> str:
    """Return the times as text."""
    return "\n".join(
        f"{name:<32}{sample.median:6.2f} s  ({sample.low:.2f} .. {sample.high:.2f})"
        for name, sample in times.items()
    )
