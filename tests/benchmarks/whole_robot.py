"""Microseconds a step of a standing iCub with motors, limits, sensors and loops, beside MuJoCo's.

python -m tests.benchmarks.whole_robot [--steps 500] [--repeats 15]
"""

from __future__ import annotations

import sys
import tempfile
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from tests.benchmarks.sensors import SETS
from tests.benchmarks.variants import command

import footfall
from footfall.model import bundled_folder
from footfall_bench.timing import Burst

LIMITS = '[joint_dynamics."*"]\nlimits = "model"\n'
FRICTION = '[joint_dynamics."?_hip_*"]\nfriction = 0.1\n[joint_dynamics."?_knee"]\nfriction = 0.1\n'
GEAR = '[[loops]]\nkind = "coupling"\njoint = "l_shoulder_pitch"\nof = "r_shoulder_pitch"\n'
PLAIN = "plain"
TOGETHER = "motors, limits, sensors and a gear"
WHOLE: dict[str, tuple[str, str, str]] = {
    PLAIN: ("standing", "", PLAIN),
    "motors of icub/motors": ("motors", "", PLAIN),
    "limits of all joints": ("standing", LIMITS, PLAIN),
    "seven sensors": ("standing", "", "all seven"),
    "a gear between the shoulders": ("standing", GEAR, PLAIN),
    TOGETHER: ("motors", LIMITS + GEAR, "all seven"),
    "the same, and friction of 8 joints": ("motors", LIMITS + FRICTION + GEAR, "all seven"),
}
"""Scene of iCub, what is added to its robot file, and its sensors."""


def load(scene: str, robot: str, sensors: str) -> footfall.Simulator:
    """Load a standing iCub with more in its robot file."""
    overrides: dict[str, Any] = {}
    if sensors != PLAIN:
        overrides["bodies.icub.sensors"] = SETS[sensors]
    if not robot:
        return footfall.load(f"icub/{scene}", overrides)
    with tempfile.TemporaryDirectory() as folder:
        text = (bundled_folder() / "icub" / "robot.toml").read_text(encoding="utf-8")
        path = Path(folder) / "robot.toml"
        path.write_text(f"{text}\n{robot}", encoding="utf-8")
        overrides["bodies.icub.robot"] = str(path)
        return footfall.load(f"icub/{scene}", overrides)


def mujoco() -> Burst:
    """Return MuJoCo's step of the plain robot, settled."""
    from footfall_bench.mujoco_twin import make_twin

    twin = make_twin(load(*WHOLE[PLAIN]))
    twin.burst(1000)
    return twin.burst


def main(arguments: list[str] | None = None) -> int:
    """Print the table."""
    makers = {name: partial(load, *what) for name, what in WHOLE.items()}
    others = {"MuJoCo, mj_step of the plain robot": mujoco} if find_spec("mujoco") else {}
    return command(__doc__, makers, arguments, others)


if __name__ == "__main__":
    sys.exit(main())
