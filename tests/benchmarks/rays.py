"""Microseconds a measurement of the sensor ``ray`` takes, by what it looks at.

python -m tests.benchmarks.rays [--repeats 200]
"""

from __future__ import annotations

import argparse
import sys
from time import perf_counter
from typing import Any

import numpy as np

import footfall

SCAN = {"azimuth": (0.8, -0.8), "elevation": (0.1, -0.9), "count": (40, 25)}
RAYS = {"plugin": "ray", "name": "depth", "frame": "trunk", "range": 6.0, "scan": SCAN}
STAIRS = {
    "plugin": "steps",
    "friction": 0.8,
    "stairs": [{"position": (0.6, 0, 0), "count": 12, "rise": 0.1, "run": 0.2, "width": 2.0}],
}
HILLS = {
    "plugin": "heightmap",
    "friction": 0.8,
    "function": "tests.plugins.ground_functions:waves",
    "size": (12.0, 12.0),
    "cells": (240, 240),
}
PLANE = {"plugin": "plane", "friction": 0.8}
HIGH = {"bodies.quadruped.base_position": (0.0, 0.0, 1.2)}
BOXES = {
    "bodies.crate.shape": {"type": "box", "size": (0.1, 0.1, 0.1)},
    "bodies.crate.base_position": (0.6, -0.9, 0.05),
    "bodies.crate.copies": (7, 7, 1),
    "bodies.crate.spacing": (0.3, 0.3, 0.0),
}
GROUNDS: dict[str, dict[str, Any]] = {
    "plane and a box": {"world.terrain": PLANE},
    "plane and 49 boxes": {"world.terrain": PLANE, **BOXES},
    "12 steps and a box": {"world.terrain": STAIRS, **HIGH},
    "240 x 240 cells and a box": {"world.terrain": HILLS, **HIGH},
}


def main(arguments: list[str] | None = None) -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=200)
    repeats = parser.parse_args(arguments).repeats
    for name, ground in GROUNDS.items():
        scene = {"bodies.quadruped.sensors": [RAYS], **ground}
        sim = footfall.load("quadruped/scanning", scene)
        sensors: Any = sim._sensors
        measure, own = sensors._calls[0]
        row, took = sim.row.copy(), []
        for _ in range(repeats):
            start = perf_counter()
            measure(row)
            took.append(perf_counter() - start)
        hits = int((own.raw < RAYS["range"]).sum())
        times = np.sort(took) * 1e6
        print(
            f"{name}: {len(own.raw)} rays, {hits} hits, "
            f"{times[0]:.0f} us at best, {times[len(times) // 2]:.0f} us in the middle"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
