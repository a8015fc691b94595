"""Write ``pushing.csv``: joint positions and torques of a push along a straight line.

Run ``python -m footfall_robots.panda.make_pushing``; it needs the extras ``robots`` and ``pose``.
The tips of the fingers point down and move, with the speed of a minimum-jerk curve, from behind a
box to its goal, then a little back. Each posture is searched from the one before. The torques hold
the arm's weight.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

import footfall

if TYPE_CHECKING:
    from footfall import Scene

FROM, TO, BACK = 0.36, 0.529, 0.48
"""Where the tips are at first, at the end of the push, and after it, x, [m]."""
HEIGHT = 0.03
"""Of the tips' frame above the ground, [m]."""
TIMES = (0.5, 4.5, 5.0, 6.0)
"""The push begins, and ends; the way back begins, and ends, [s]."""
ROW = 0.1
"""Between rows of the file, [s]."""
SCENE: dict[str, Any] = {
    "world": {"terrain": {"plugin": "plane", "friction": 0.5}},
    "bodies": {"panda": {"robot": "panda"}},
}


def smooth(time: float, start: float, end: float) -> float:
    """Return a minimum-jerk curve from 0 at ``start`` to 1 at ``end``, [s]."""
    s = min(max((time - start) / (end - start), 0.0), 1.0)
    return s**3 * (10.0 - 15.0 * s + 6.0 * s**2)


def place(time: float) -> tuple[float, float, float, float, float, float]:
    """Return where the tips are, x, y, z [m], and that they point down."""
    there, back = smooth(time, *TIMES[:2]), smooth(time, *TIMES[2:])
    x = FROM + there * (TO - FROM) + back * (BACK - TO)
    return x, 0.0, HEIGHT, np.pi, 0.0, 0.0


def rows(scene: Scene) -> list[tuple[float, dict[str, float], dict[str, float]]]:
    """Return times [s], joint positions [rad] and torques [N m]."""
    found, start = [], None
    for time in np.arange(0.0, TIMES[-1] + ROW, ROW):
        posed = footfall.pose(scene, {"panda_hand_tcp": place(float(time))}, start=start)
        start = posed.joint_positions
        found.append((float(time), posed.joint_positions, posed.holding))
    return found


def main() -> None:
    """Write the file."""
    table = rows(footfall.scene_from_dict(SCENE))
    joints = list(table[0][1])
    lines = ["# Written by make_pushing.py: change it there."]
    lines.append(",".join(["time", *joints, *(f"{joint}.torque" for joint in joints)]))
    for time, positions, torques in table:
        values = [f"{positions[joint]:.6f}" for joint in joints]
        values += [f"{torques.get(joint, 0.0):.3f}" for joint in joints]
        lines.append(",".join([f"{time:.2f}", *values]))
    file = Path(__file__).parent / "pushing.csv"
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    first = ", ".join(f"{joint} = {value:.6f}" for joint, value in table[0][1].items())
    print(f"{file} written; the scene starts at {{ {first} }}")


if __name__ == "__main__":
    main()
