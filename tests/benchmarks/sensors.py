"""Microseconds a step of a standing iCub with and without sensors.

python -m tests.benchmarks.sensors [--steps 500] [--repeats 15]
"""

from __future__ import annotations

import sys
from functools import partial
from typing import Any

from tests.benchmarks.variants import command

import footfall

IMU: dict[str, Any] = {
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
SETS: dict[str, list[dict[str, Any]]] = {
    PLAIN: [],
    "imu with noise": [IMU],
    "joints": JOINTS,
    "all seven": [IMU, *JOINTS, *FEET],
}


def load(sensors: list[dict[str, Any]]) -> footfall.Simulator:
    """Load a standing iCub with sensors."""
    return footfall.load("icub/standing", {"bodies.icub.sensors": sensors})


def main(arguments: list[str] | None = None) -> int:
    """Print the table."""
    makers = {name: partial(load, sensors) for name, sensors in SETS.items()}
    return command(__doc__, makers, arguments)


if __name__ == "__main__":
    sys.exit(main())
