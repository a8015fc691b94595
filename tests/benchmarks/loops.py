"""How far closed loops open in a long run, and by what energy closing them is off.

python -m tests.benchmarks.loops [--seconds 60] [--scene fourbar/swinging]
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass

import numpy as np

import footfall
from footfall.errors import FootfallError
from footfall.world.arrays import Energy
from footfall_stepper.world.step_arrays import Ledger

SCENES = (
    "fourbar/swinging",
    "parallel_leg/standing",
    "parallel_leg/hopping",
    "icub_on_pole/swinging",
)


@dataclass(frozen=True, slots=True)
class LongRun:
    """What a run came to.

    Attributes:
        gap: largest of a row, [m or rad].
        projected: energy that projections have changed in all, largest amount in the run, [J].
        energy: greatest part of the mechanical energy above its least, kinetic and potential, [J].
        lost: mechanical energy at the end less that at the start, work and losses taken out, [J].
    """

    gap: float
    projected: float
    energy: float
    lost: float

    def __str__(self) -> str:
        return (
            f"gap {self.gap:.1e} m or rad, projections {self.projected:+.1e} J, "
            f"integrator {self.lost:+.1e} J of {self.energy:.3g} J"
        )


def long_run(scene: str, seconds: float) -> LongRun:
    """Simulate a scene, looking at every step."""
    sim = footfall.load(scene)
    gap, projected, kinetic, potential = 0.0, 0.0, [], []
    loops, ledger, energy = sim.world.loops, sim.state["ledger"], sim.world.dynamics.energy
    for _ in range(round(seconds / sim.time_step)):
        sim.step()
        gap = max(gap, float(np.abs(loops.start_gap).max()))
        if abs(ledger[Ledger.LOOP_CLOSING]) > abs(projected):
            projected = float(ledger[Ledger.LOOP_CLOSING])
        kinetic.append(energy[Energy.KINETIC])
        potential.append(energy[Energy.POTENTIAL])
    swing = max(max(kinetic), float(np.ptp(potential)))
    return LongRun(gap, projected, swing, float(ledger[Ledger.INTEGRATION]))


def main(arguments: list[str] | None = None) -> int:
    """Print the figures of each scene."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.benchmarks.loops", description=__doc__.splitlines()[0]
    )
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--scene", action="append", help="may be repeated; default: all with loops")
    options = parser.parse_args(arguments)
    for scene in options.scene or SCENES:
        try:
            print(f"{scene:<24}{long_run(scene, options.seconds)}")
        except FootfallError as error:
            print(f"{scene}: left out: {error}", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
