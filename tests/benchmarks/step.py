"""Microseconds a step, and beside it MuJoCo's on the same robot. See README.md in this folder.

python -m tests.benchmarks.step [--scene icub/standing] [--steps 2000] [--repeats 15] [--json]
"""

from __future__ import annotations

import argparse
import json
import platform
import sys
import tempfile
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path

from tests.benchmarks.parts import NOTE, RecordedSteps, time_parts
from tests.benchmarks.timing import Burst, Sample, interleaved, pairwise

import footfall
from footfall.errors import FootfallError
from footfall.world.arrays import RUN_ITERATIONS, RUN_STEPS

SCENES = ("humanoid/standing", "icub/standing")
OURS, THEIRS = "Footfall, whole step with recorder", "MuJoCo, mj_step"


@dataclass(frozen=True, slots=True)
class Result:
    """What was measured on one scene."""

    scene: str
    nv: int
    contacts: int
    sweeps: float
    whole: dict[str, Sample]
    parts: dict[str, Sample]

    @property
    def ratio(self) -> float | None:
        """Median over median."""
        if THEIRS not in self.whole:
            return None
        return self.whole[OURS].median / self.whole[THEIRS].median

    def report(self) -> str:
        """Return the figures as text."""
        lines = [
            f"{self.scene}: {self.nv} velocity dofs, {self.contacts} contact points, "
            f"{self.sweeps:.2f} sweeps of the law a step"
        ]
        lines += [f"  {name:<36}{sample}" for name, sample in self.whole.items()]
        if self.ratio is not None:
            pairs = pairwise(self.whole[OURS], self.whole[THEIRS])
            lines.append(
                f"  {'ratio':<36}{self.ratio:8.2f} of medians; of neighbours "
                f"{pairs.median:.2f} ({pairs.low:.2f} .. {pairs.high:.2f})"
            )
        total = sum(sample.median for sample in self.parts.values())
        lines.append(f"  parts of the step ({NOTE}):")
        lines += [f"    {name:<34}{sample}" for name, sample in self.parts.items()]
        rest = self.whole[OURS].median - total
        lines.append(f"    {'rest':<34}{rest:8.2f} us")
        return "\n".join(lines)


def measure(scene: str, steps: int, repeats: int, settle: float) -> Result:
    """Let the robot settle, then time whole steps in turn with MuJoCo's, then the parts."""
    sim = footfall.load(scene)
    bursts: dict[str, Burst] = {}
    with tempfile.TemporaryDirectory() as folder:
        recorded = RecordedSteps(sim, Path(folder) / "run.zarr")
        bursts[OURS] = recorded.burst
        twin = None
        if find_spec("mujoco"):
            from tests.benchmarks.mujoco_twin import make_twin, require_same_robot, require_standing

            twin = make_twin(sim, scene.split("/")[0])
            require_same_robot(twin, sim)
            twin.burst(round(settle / sim.time_step))
            bursts[THEIRS] = twin.burst
        sim.record(settle)
        before = sim.stepper.monitor.run.copy()
        whole = interleaved(bursts, steps, repeats)
        done = sim.stepper.monitor.run - before
        if twin is not None:
            require_standing(twin, sim)
        parts = time_parts(sim, recorded, steps, repeats)
        recorded.writer.close()
    return Result(
        scene,
        sim.world.nv,
        sim.world.n_contacts,
        float(done[RUN_ITERATIONS] / done[RUN_STEPS]),
        whole,
        parts,
    )


def main(arguments: list[str] | None = None) -> int:
    """Measure the scenes that were asked for and print what came out."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.step", description=__doc__)
    parser.add_argument("--scene", action="append", help="may be repeated; default: both robots")
    parser.add_argument("--steps", type=int, default=2000, help="steps in a burst")
    parser.add_argument("--repeats", type=int, default=15, help="bursts of each contender")
    parser.add_argument("--settle", type=float, default=3.0, help="simulated time before, [s]")
    parser.add_argument("--json", action="store_true", help="print JSON instead of text")
    options = parser.parse_args(arguments)
    results = []
    for scene in options.scene or SCENES:
        try:
            results.append(measure(scene, options.steps, options.repeats, options.settle))
        except FootfallError as error:
            print(f"{scene}: left out: {error}", file=sys.stderr)
    versions = {name: _version(name) for name in ("footfall", "pin", "numba", "numpy", "mujoco")}
    if options.json:
        runs = [asdict(result) | {"ratio": result.ratio} for result in results]
        print(json.dumps({"versions": versions, "machine": platform.processor(), "runs": runs}))
    else:
        print(", ".join(f"{name} {number}" for name, number in versions.items()))
        print(
            f"{options.repeats} bursts of {options.steps} steps each, in turn; median (min .. max)"
        )
        for result in results:
            print(result.report())
    return 0 if results else 1


def _version(distribution: str) -> str:
    try:
        return version(distribution)
    except PackageNotFoundError:
        return "not installed"


if __name__ == "__main__":
    sys.exit(main())
