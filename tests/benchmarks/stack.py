"""Drift of a stack of ten cubes for each way to correct positions: what decides the defaults.

python -m tests.benchmarks.stack [--seconds 20] [--gap -1e-4] [--mass 1.0]
"""

from __future__ import annotations

import argparse
import sys
from time import process_time
from typing import NamedTuple

from tests.physics.box_stack import BoxStack

from footfall_coulomb.contact import Coulomb, CoulombConfig

STEP = 1e-3
SETTLE = 1000
"""Steps before the drift is counted: overlaps are pushed out, gaps close."""


class Way(NamedTuple):
    """A way to correct positions: the law's gain and slop, and what the stack adds by velocity."""

    label: str
    gain: float
    slop: float
    baumgarte: float = 0.0
    e: float = 0.0


WAYS = (
    Way("split, gain 0.2, slop 1e-5", 0.2, 1e-5),
    Way("split, gain 0.2, no slop", 0.2, 0.0),
    Way("none", 0.0, 0.0),
    Way("by velocity, gain 0.2", 0.0, 0.0, baumgarte=0.2),
    Way("as first, e 0.5 in each step", 0.2, 1e-5, e=0.5),
)
SOLVERS: dict[str, dict[str, object]] = {
    "default": {},
    "50 sweeps alone": {"acceleration": "none", "max_iterations": 50},
}


def measure(way: Way, solver: str, seconds: float, gap: float, mass: float) -> str:
    """Return a row of the table."""
    settings = {"position_gain": way.gain, "position_slop": way.slop, **SOLVERS[solver]}
    law = Coulomb(CoulombConfig(**settings))
    stack = BoxStack(law, mass=mass, dt=STEP, gap=gap, e=way.e, baumgarte=way.baumgarte)
    stack.settle(SETTLE)
    steps = round(seconds / STEP)
    begin = process_time()
    stack.run(steps)
    spent = 1e6 * (process_time() - begin) / steps
    overlap = 1e3 * max(0.0, -float(stack.problem.gap.min()))
    return (
        f"{way.label:<30}{solver:<17}{1e3 * stack.drift:>10.1e} mm{stack.sweeps / steps:>9.1f}"
        f"{stack.worst:>11.1e} m/s{overlap:>10.4f} mm{spent:>8.0f} us"
    )


def main(arguments: list[str] | None = None) -> int:
    """Print a row for each way and solver."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.stack", description=__doc__)
    parser.add_argument("--seconds", type=float, default=20.0, help="simulated time")
    parser.add_argument("--gap", type=float, default=-1e-4, help="between cubes at the start, [m]")
    parser.add_argument("--mass", type=float, default=1.0, help="of each cube, [kg]")
    options = parser.parse_args(arguments)
    print(f"ten cubes of {options.mass:g} kg, {1e3 * options.gap:g} mm apart, {options.seconds} s")
    print(
        f"{'correction':<30}{'solver':<17}{'drift':>13}{'sweeps':>9}{'residual':>15}"
        f"{'overlap':>13}{'a step':>11}"
    )
    for solver in SOLVERS:
        for way in WAYS:
            row = measure(way, solver, options.seconds, options.gap, options.mass)
            print(row, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
