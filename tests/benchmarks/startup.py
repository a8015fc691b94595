"""Process time of ``footfall run cube/drop --duration 0.01`` on a warm install.

python -m tests.benchmarks.startup [--repeats 7] [--scene cube/drop]
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from time import perf_counter

from tests.benchmarks.timing import Sample

CONTENDERS = {
    "python -c pass": ["-c", "pass"],
    "import footfall, numpy, numba": ["-c", "import footfall, numpy, numba"],
    "footfall run": ["-m", "footfall.cli.main", "run"],
}


def process_time(arguments: list[str], folder: str) -> float:
    """Run Python with the arguments in a folder and return the wall time, [us]."""
    start = perf_counter()
    done = subprocess.run(
        [sys.executable, *arguments], cwd=folder, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise SystemExit(f"{' '.join(arguments)} failed:\n{done.stderr}")
    return 1e6 * (perf_counter() - start)


def main(arguments: list[str] | None = None) -> int:
    """Time the processes in turn, after one unmeasured run that compiles what is missing."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.startup", description=__doc__)
    parser.add_argument("--repeats", type=int, default=7)
    parser.add_argument("--scene", default="cube/drop")
    options = parser.parse_args(arguments)
    run = [*CONTENDERS["footfall run"], options.scene, "--duration", "0.01"]
    commands = CONTENDERS | {"footfall run": run}
    times: dict[str, list[float]] = {name: [] for name in commands}
    with tempfile.TemporaryDirectory() as folder:
        process_time(run, folder)
        for _ in range(options.repeats):
            for name, command in commands.items():
                times[name].append(process_time(command, folder))
    for name, values in times.items():
        sample = Sample(tuple(1e-6 * value for value in values))
        print(f"{name:<32}{sample.median:6.2f} s  ({sample.low:.2f} .. {sample.high:.2f})")
    return 0


if __name__ == "__main__":
    sys.exit(main())
