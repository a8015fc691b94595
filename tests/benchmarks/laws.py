"""Microseconds a step for each contact law, beside MuJoCo's, on one robot that stands.

python -m tests.benchmarks.laws [--law coulomb] [--law gauss+proxqp] [--law gauss:sides=16] [--json]
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from dataclasses import asdict, dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from tests.benchmarks.parts import RecordedSteps

import footfall
from footfall.errors import FootfallError
from footfall_bench.timing import Burst, Sample, interleaved, pairwise
from footfall_stepper.simulation.simulator import StepperSimulator

LAWS = ("coulomb", "compliant", "gauss+proxqp")
THEIRS = "MuJoCo, mj_step"


@dataclass(frozen=True, slots=True)
class Measured:
    """What was measured of one law.

    Attributes:
        whole: a whole step, recorder on.
        law: the law's own part of it, alone in a loop.
    """

    whole: Sample
    law: Sample


def load(scene: str, law: str) -> StepperSimulator:
    """Load a scene with a law: its name, ``law+solver``, either with ``:key=integer`` behind."""
    named, *settings = law.split(":")
    plugin, _, solver = named.partition("+")
    chosen: dict[str, Any] = {"contact.plugin": plugin}
    if solver:
        chosen["contact.solver.plugin"] = solver
    for setting in settings:
        key, _, value = setting.partition("=")
        chosen[f"contact.{key}"] = int(value)
    return footfall.load(scene, chosen)


def law_burst(sim: StepperSimulator) -> Burst:
    """Return calls of the law alone; the state is put back after each burst."""
    resolve = sim.stepper._resolve
    law = resolve._bound if hasattr(resolve, "_bound") else resolve._force

    def burst(count: int) -> None:
        kept = sim.state.vector.copy()
        for _ in range(count):
            law()
        sim.state.assign(kept)

    return burst


def measure(
    scene: str, laws: list[str], steps: int, repeats: int, settle: float
) -> tuple[dict[str, Measured], Sample | None]:
    """Let the robot settle on each law, then time all in turn with MuJoCo."""
    bursts: dict[str, Burst] = {}
    alone: dict[str, Burst] = {}
    writers = []
    with tempfile.TemporaryDirectory() as folder:
        for law in laws:
            sim = load(scene, law)
            if not bursts and find_spec("mujoco"):
                from footfall_bench.mujoco_twin import make_twin, require_same_robot

                twin = make_twin(load(scene, law))
                require_same_robot(twin, sim)
                twin.burst(round(settle / sim.time_step))
                bursts[THEIRS] = twin.burst
            sim.record(settle)
            recorded = RecordedSteps(sim, Path(folder) / f"{len(alone)}.zarr")
            writers.append(recorded.writer)
            bursts[law], alone[law] = recorded.burst, law_burst(sim)
        whole = interleaved(bursts, steps, repeats)
        parts = interleaved(alone, steps, repeats)
        for writer in writers:
            writer.close()
    return {law: Measured(whole[law], parts[law]) for law in laws}, whole.get(THEIRS)


def table(scene: str, measured: dict[str, Measured], theirs: Sample | None) -> str:
    """Return the figures as text."""
    lines = [f"{scene}: whole step with recorder, median (min .. max); ratio to MuJoCo; law alone"]
    if theirs is not None:
        lines.append(f"  {THEIRS:<32}{theirs}")
    for name, law in measured.items():
        ratio = f"{pairwise(law.whole, theirs).median:6.2f}" if theirs is not None else "     -"
        lines.append(f"  {name:<32}{law.whole!s:<34}{ratio}  {law.law.median:8.2f} us")
    return "\n".join(lines)


def main(arguments: list[str] | None = None) -> int:
    """Measure the laws that were asked for and print what came out."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.laws", description=__doc__)
    parser.add_argument(
        "--law", action="append", help=f"may be repeated; default {', '.join(LAWS)}"
    )
    parser.add_argument("--scene", default="icub/standing")
    parser.add_argument("--steps", type=int, default=2000, help="steps in a burst")
    parser.add_argument("--repeats", type=int, default=9, help="bursts of each contender")
    parser.add_argument("--settle", type=float, default=3.0, help="simulated time before, [s]")
    parser.add_argument("--json", action="store_true", help="print JSON instead of text")
    options = parser.parse_args(arguments)
    laws = options.law or list(LAWS)
    try:
        measured, theirs = measure(
            options.scene, laws, options.steps, options.repeats, options.settle
        )
    except FootfallError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    if options.json:
        laws_out = {name: asdict(law) for name, law in measured.items()}
        print(json.dumps({"laws": laws_out, "mujoco": asdict(theirs) if theirs else None}))
    else:
        print(table(options.scene, measured, theirs))
    return 0


if __name__ == "__main__":
    sys.exit(main())
