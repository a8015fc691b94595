"""The success of a run, by what the robot has: a base that stays upright, or joints in range."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from footfall import Simulator
from footfall.api.plugin import Floats
from footfall_policy.policy_file import PolicyTable, values
from footfall_policy.terms import PLANAR

TILT, LOW = 1.0, 0.5
"""A robot has fallen if its base is tilted by more [rad], or this much lower [-] than at the start,
measured from its lowest contact point."""
SETTLED, WINDOW = 1.0, 1.0
"""Time after which tracking counts, and over which velocities and joints are averaged, [s]."""
BEYOND = 0.01
"""Distance beyond a joint's limit from which it has left its range, [rad or m]."""


class Upright:
    """A robot with a base that floats or moves in a plane."""

    heads = "upright", "first fall [s]", "off [m/s]"
    told = (
        f"upright: the base leans by at most {TILT:g} rad and keeps {LOW:g} of its height; off: "
        f"root mean square of velocity along the heading less command, averaged over {WINDOW:g} s"
    )

    def __init__(self, sim: Simulator, body: str, root: str) -> None:
        self._sim, self._base, self._start = sim, sim.signals(body).frame(root), np.nan

    def _height(self) -> float:
        points = self._sim.signal("contact_position").reshape(-1, 3)
        return float(self._base.pose[2, 3] - points[:, 2].min()) if len(points) else np.nan

    def failed(self) -> bool:
        """Return whether it has fallen; the height of the first look counts as its own."""
        height = self._height()
        self._start = height if np.isnan(self._start) else self._start
        return bool(self._base.pose[2, 2] < np.cos(TILT) or height < LOW * self._start)

    def seen(self) -> Floats:
        """Return position, and velocity along the heading and to its left, [m, m/s]."""
        ahead, velocity = self._base.pose[:2, 0], self._base.velocity[:2]
        ahead = ahead / np.linalg.norm(ahead)
        left = ahead[0] * velocity[1] - ahead[1] * velocity[0]
        return np.array([*self._base.pose[:3, 3], ahead @ velocity, left])

    def error(self, seen: Floats, command: Sequence[float], dt: float) -> float:
        """Return the root mean square of averaged velocities from the command, [m/s]."""
        n, rest = round(WINDOW / dt), seen[round(SETTLED / dt) :, 3:]
        if len(command) < 2 or len(rest) < n:
            return float("nan")
        total = np.cumsum(np.vstack([np.zeros(2), rest]), axis=0)
        off = (total[n:] - total[:-n]) / n - np.array(command[:2])
        return float(np.sqrt((off**2).sum(axis=1).mean()))


class InRange:
    """A robot with a fixed base."""

    heads = "in range", "first out [s]", "off [rad or m]"
    told = (
        "in range: joints keep their limits, and those without limits that nothing drives stay "
        f"within {TILT:g} rad of their start; off: greatest distance of a joint from default, of "
        f"others from their start, mean of the last {WINDOW:g} s"
    )

    def __init__(self, sim: Simulator, body: str, policy: PolicyTable) -> None:
        model, s = sim.world.bodies[sim.world.index(body)].model, sim.signals(body).joint_positions
        at = [model.joint_names.index(name) for name in policy.joints]
        self._s, self._zero = s, s.copy()
        self._low, self._high = model.position_lower - BEYOND, model.position_upper + BEYOND
        free = np.isinf(self._low) & np.isinf(self._high)
        free[at if policy.others is None or not policy.others.stiffness else ...] = False
        self._low[free], self._high[free] = s[free] - TILT, s[free] + TILT
        self._zero[at] = values(policy.default, policy.joints, "default")

    def failed(self) -> bool:
        """Return whether a joint has left its range."""
        return bool(((self._s < self._low) | (self._s > self._high)).any())

    def seen(self) -> Floats:
        """Return no position, and the greatest distance of a joint, [rad or m]."""
        return np.array([np.nan] * 3 + [np.abs(self._s - self._zero).max()])

    def error(self, seen: Floats, command: Sequence[float], dt: float) -> float:
        """Return the mean distance at the end, [rad or m]."""
        return float(seen[-max(1, round(WINDOW / dt)) :, 3].mean())


Judge = Upright | InRange
"""Judges runs of a body: ``heads`` and ``told`` name and explain success, first failure and error;
``seen`` begins with the base's position, [m]."""


def judge_of(sim: Simulator, body: str, policy: PolicyTable) -> Judge:
    """Return the judge for a body by its base."""
    model = sim.world.bodies[sim.world.index(body)].model
    planar = model.joint_names[: len(PLANAR)] == PLANAR
    if model.base != "floating" and not planar:
        return InRange(sim, body, policy)
    return Upright(sim, body, sim.signals(body).link_names[len(PLANAR) * planar])
