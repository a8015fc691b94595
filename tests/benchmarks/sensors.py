"""Microseconds a step of a standing iCub with and without sensors.

python -m tests.benchmarks.sensors [--steps 500] [--repeats 15]
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from tests.benchmarks.parts import RecordedSteps
from tests.benchmarks.timing import Burst, interleaved, pairwise

import footfall
from footfall.errors import FootfallError

IMU = {
    "plugin": "imu",
    "name": "imu",
    "frame": "root_link",
    "noise": {"acceleration": 0.02, "angular_velocity": 0.001},
}
JOINTS = [{"plugin": "encoder", "name": "joints"}, {"plugin": "joint_torque", "name": "torque"}]
FEET = [
    {"plugin": plugin, "name": f"{plugin}_{foot}", "foot": f"{foot}_sole"}
    for plugin in ("force_torque", "contact_switch")
    for foot in "lr"
]
PLAIN = "no sensors"
SETS = {PLAIN: [], "imu with noise": [IMU], "joints": JOINTS, "all seven": [IMU, *JOINTS, *FEET]}


def main(arguments: list[str] | None = None) -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=500)
    parser.add_argument("--repeats", type=int, default=15)
    options = parser.parse_args(arguments)
    bursts: dict[str, Burst] = {}
    writers = []
    try:
        with tempfile.TemporaryDirectory() as folder:
            for number, (name, sensors) in enumerate(SETS.items()):
                sim = footfall.load("icub/standing", {"bodies.icub.sensors": sensors})
                sim.record(0.2)
                recorded = RecordedSteps(sim, Path(folder) / f"{number}.zarr")
                writers.append(recorded.writer)
                bursts[name] = recorded.burst
            samples = interleaved(bursts, options.steps, options.repeats)
            for writer in writers:
                writer.close()
    except FootfallError as error:
        print(error, file=sys.stderr)
        return 1
    for name, sample in samples.items():
        ratio = pairwise(sample, samples[PLAIN]).median
        print(f"{name:<20}{sample}  {ratio:.2f} x")
    return 0


if __name__ == "__main__":
    sys.exit(main())
