"""Write ``walking.csv``: joint positions and torques of a walk of 12 steps.

Run ``python -m footfall_robots.humanoid.make_walking`` after a change, of the model as well. A
linear inverted pendulum gives the centre of mass for zero-moment points under the feet; at each
instant a posture is solved for that has this centre of mass, level feet and an upright trunk;
inverse dynamics of all links tell where the zero-moment point then is. The difference, which is the
limbs' angular momentum, is taken off the pendulum's points, and all is done again (what Kajita et
al., ICRA 2003, do with a second stage of preview control). The torques are those of the same
inverse dynamics.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
from scipy.interpolate import CubicSpline
from scipy.ndimage import gaussian_filter1d

from footfall_robots.humanoid.gait import Gait, smooth
from footfall_robots.humanoid.pendulum import capture_points, center_of_mass
from footfall_robots.humanoid.whole_body import Humanoid, zero_moment_point

Floats = npt.NDArray[np.float64]
STEP = 0.02
"""Between rows of the file, [s]."""
ROUNDS = 4
"""How often the zero-moment points are corrected."""
SMOOTHING = 0.04
"""Standard deviation of the filter over a correction: the limbs answer to faster ones, [s]."""
AT_REST = 0.4
"""At both ends, where nothing is corrected, [s]."""
SQUAT = 0.03
"""How much lower than in the starting posture the centre of mass walks, [m]."""
ARM_SWING = 0.8
"""Turn of the shoulders over the distance of the feet, [rad/m]."""
GRAVITY = 9.81
"""[m/s^2]."""


@dataclass(frozen=True)
class Pattern:
    """A walk as it is planned, n rows.

    Attributes:
        time: shape (n,), [s].
        q: shape (n, nq), positions in Pinocchio's order.
        tau: shape (n, n_joints), torques of the joints, [N m].
        planned: shape (n, 2), zero-moment points that were asked for, [m].
        reached: shape (n, 2), those of the motion of all links, [m].
        com: shape (n, 3), centre of mass, [m].
        soles: shape (n, 2, 3), left and right, [m].
    """

    time: Floats
    q: Floats
    tau: Floats
    planned: Floats
    reached: Floats
    com: Floats
    soles: Floats


def make_pattern(gait: Gait | None = None, rounds: int = ROUNDS) -> Pattern:
    """Plan a walk of the bundled humanoid.

    Args:
        gait: its steps; by default those of the file.
        rounds: how often the zero-moment points are corrected.
    """
    gait, robot = gait or Gait(), Humanoid.load()
    time = np.arange(round(gait.duration / STEP) + 1) * STEP
    start, at_rest = robot.com(robot.start), robot.sole_positions(robot.start)
    corners, points = gait.zero_moment_points(start[0])
    planned = np.column_stack([np.interp(time, corners, points[:, i]) for i in (0, 1)])
    soles = at_rest + np.array([gait.feet(t) for t in time])
    soles[:, :, 1] = at_rest[:, 1]
    height = start[2] - SQUAT * np.array([_crouch(gait, t) for t in time])
    w = np.sqrt(GRAVITY / (start[2] - SQUAT))
    aim, standing = planned, (np.minimum(time, time[-1] - time) < AT_REST)[:, None]
    for round_ in range(rounds + 1):
        level = center_of_mass(aim, capture_points(aim, STEP, w), STEP, w)
        com = np.column_stack([level, height])
        q = _postures(robot, com, soles)
        reached, tau = _dynamics(robot, gait, time, q)
        if round_ < rounds:
            error = gaussian_filter1d(planned - reached, SMOOTHING / STEP, axis=0)
            aim = aim + np.where(standing, 0.0, error)
    return Pattern(time, q, tau, planned, reached, com, soles)


def _crouch(gait: Gait, time: float) -> float:
    """Go down before the first shift of the weight, and up after the last."""
    early = time / (gait.stand - gait.shift)
    late = (gait.duration - time) / (gait.settle - gait.shift)
    return smooth(float(np.clip(min(early, late), 0.0, 1.0)))


def _postures(robot: Humanoid, com: Floats, soles: Floats) -> Floats:
    q, found = robot.start, []
    arms = q[robot.shoulders].copy()
    for center, feet in zip(com, soles, strict=True):
        q = q.copy()
        apart = ARM_SWING * (feet[0, 0] - feet[1, 0])
        q[robot.shoulders] = arms + np.array([apart, -apart])
        q = robot.with_feet(q, center, feet)
        found.append(q)
    return np.array(found)


def _dynamics(robot: Humanoid, gait: Gait, time: Floats, q: Floats) -> tuple[Floats, Floats]:
    """Return zero-moment points (n, 2) and torques (n, n_joints) of a motion of upright trunk."""
    columns = np.r_[0:3, 7 : q.shape[1]]
    spline = CubicSpline(time, q[:, columns], bc_type="clamped")
    points, torques = [], []
    for t, posture, rate, change in zip(time, q, spline(time, 1), spline(time, 2), strict=True):
        v, a = (np.insert(row, 3, [0.0, 0.0, 0.0]) for row in (rate, change))
        points.append(zero_moment_point(robot.ground_wrench(posture, v, a)))
        torques.append(robot.torques(posture, v, a, gait.load(t)))
    return np.array(points), np.array(torques)


def write(pattern: Pattern, path: Path) -> None:
    """Write the joints that move: positions [rad] to 1e-6, torques [N m] to 1e-3."""
    names = Humanoid.load().joint_names
    moving = np.flatnonzero(np.ptp(pattern.q[:, 7:], axis=0) > 1e-9)
    header = ["time", *(names[i] for i in moving), *(f"{names[i]}.torque" for i in moving)]
    lines = ["# Written by make_walking.py: change it there.", ",".join(header)]
    for time, q, tau in zip(pattern.time, pattern.q[:, 7:], pattern.tau, strict=True):
        numbers = [f"{time:.2f}", *(f"{q[i]:.6f}" for i in moving)]
        lines.append(",".join([*numbers, *(f"{tau[i]:.3f}" for i in moving)]))
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    write(make_pattern(), Path(__file__).with_name("walking.csv"))
