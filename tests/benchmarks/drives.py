"""Microseconds a step of a standing iCub with drives of several kinds, beside one without.

python -m tests.benchmarks.drives [--steps 500] [--repeats 15]
"""

from __future__ import annotations

import sys
from functools import partial
from typing import Any

from tests.benchmarks.variants import command

import footfall

LEGS = ["?_hip_*", "?_knee", "?_ankle_*"]
PLAIN = "no drives"
GROUPS: dict[str, list[dict[str, Any]] | None] = {
    PLAIN: [],
    "rotors, couplings, friction (icub/motors)": None,
    "rotors, torque and speed limits": [
        {"joints": ["*"], "rotor_inertia": 0.1, "torque_limit": 40.0, "speed_limit": 8.0}
    ],
    "second_order legs": [
        {
            "joints": LEGS,
            "plugin": "second_order",
            "natural_frequency": 300.0,
            "rotor_inertia": 0.1,
        }
    ],
    "series_elastic legs": [
        {
            "joints": LEGS,
            "plugin": "series_elastic",
            "stiffness": 5000.0,
            "damping": 5.0,
            "rotor_inertia": 0.1,
        }
    ],
}


def load(groups: list[dict[str, Any]] | None) -> footfall.Simulator:
    """Load a standing iCub with drives; None: those of ``icub/motors``."""
    if groups is None:
        return footfall.load("icub/motors")
    return footfall.load("icub/standing", {"bodies.icub.actuators": groups})


def main(arguments: list[str] | None = None) -> int:
    """Print the table."""
    makers = {name: partial(load, groups) for name, groups in GROUPS.items()}
    return command(__doc__, makers, arguments)


if __name__ == "__main__":
    sys.exit(main())
