"""Robots as `footfall import` proposes them: how they stand, and what a step costs.

python -m tests.benchmarks.imported [--steps 300] [--repeats 9]
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

import numpy as np

import footfall
from footfall.errors import FootfallError
from footfall.registry.discover import discover
from footfall_bench.timing import Burst, interleaved, pairwise
from footfall_import.choices import Wishes
from footfall_import.locate import locate
from footfall_import.propose import propose
from footfall_import.read_model import read_model
from footfall_import.write import write_robot

MODELS = (
    "icub-models:iCubGazeboV2_5",
    "icub-models:iCubGenova02",
    "jvrc_description:jvrc1",
    "example-robot-data:talos_full_v2",
    "example-robot-data:solo12",
    "example-robot-data:anymal_b_simple_description/anymal",
    "example-robot-data:panda",
    "example-robot-data:ur5_robot",
)
REFERENCE = "icub/standing"
HEAD = (
    "| robot | joints | mass [kg] | contact points | sinks by [mm] | joints move by [rad] "
    "| worst residual [m/s] | time of a step |\n|---|---|---|---|---|---|---|---|"
)


def standing(model: str, folder: Path) -> str:
    """Import a model, write its robot, and return the name of its scene."""
    located = locate(model)
    proposal = propose(located, read_model(located), Wishes(), discover())
    write_robot(proposal, folder / proposal.name)
    return f"{folder}/{proposal.name}/standing"


def describe(scene: str) -> list[str]:
    """Run a scene for 5 s and return the cells of its row, but the last."""
    run = footfall.load(scene).run(duration=5.0)
    sink = "-"
    points = run.sizes.get("contact", 0)
    if points:
        height = run.base_position.values.reshape(len(run.time), 3)[:, 2]
        sink = f"{1e3 * (height[0] - height.min()):.2f}"
    moved = np.abs(run.joint_position - run.joint_position[0]).max()
    mass = run.attrs["weight"] / 9.81
    residual = f"{float(run.residual_natural_map.max()):.0e}" if points else "-"
    cells = [
        run.sizes["joint"],
        f"{mass:.1f}",
        points or "-",
        sink,
        f"{float(moved):.4f}",
        residual,
    ]
    return [str(cell) for cell in cells]


def ratios(scenes: list[str], steps: int, repeats: int) -> dict[str, float]:
    """Return the time of a step of each scene, relative to the reference's, in turn."""
    bursts: dict[str, Burst] = {scene: stepper(scene) for scene in (REFERENCE, *scenes)}
    interleaved(bursts, steps, 1)  # until they have settled
    samples = interleaved(bursts, steps, repeats)
    print(f"{REFERENCE}: {samples[REFERENCE]} a step", file=sys.stderr)
    return {scene: pairwise(samples[scene], samples[REFERENCE]).median for scene in scenes}


def stepper(scene: str) -> Burst:
    """Return what makes so many steps of a scene."""
    simulator = footfall.load(scene)

    def steps(count: int) -> None:
        for _ in range(count):
            simulator.step()

    return steps


def main(arguments: list[str] | None = None) -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=300)
    parser.add_argument("--repeats", type=int, default=9)
    options = parser.parse_args(arguments)
    try:
        with tempfile.TemporaryDirectory() as folder:
            scenes = {model: standing(model, Path(folder)) for model in MODELS}
            measured = ratios(list(scenes.values()), options.steps, options.repeats)
            print(HEAD)
            for model, scene in scenes.items():
                cells = [f"`{model}`", *describe(scene), f"{measured[scene]:.1f} x"]
                print(f"| {' | '.join(cells)} |")
    except FootfallError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
