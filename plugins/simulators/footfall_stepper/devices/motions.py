"""Prescribed motions of bodies: from the scene's rows and functions, and from Python's."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.interpolate import CubicSpline
from scipy.spatial.transform import Rotation, RotationSpline

from footfall.config.csv_table import read_table
from footfall.config.fields import load_function
from footfall.errors import RobotWarning, SettingError, SimulationError, error_line
from footfall.jit.compiling import bind
from footfall.jit.stages import Stage, Stages
from footfall.jit.tables import table_of
from footfall.scene.motion import MotionTable
from footfall.spatial.pose import Pose
from footfall.typing import Floats
from footfall_stepper.kernels.dynamics.prescribed import aim_at, begin_motions
from footfall_stepper.world.step_arrays import MotionArrays

COLUMNS = ("x", "y", "z", "roll", "pitch", "yaw")
Path = Callable[[float], Any]
"""A function of time [s] that returns x, y, z [m] and roll, pitch, yaw [rad]."""


@dataclass(frozen=True, slots=True)
class Motion:
    """A prescribed motion of a body, in pieces; see ``MotionArrays``.

    Attributes:
        body: its name.
        size: diagonal of the body's bounding box, [m].
        time: shape (pieces,), [s].
        pose: shape (pieces, 7).
        rate: shape (pieces, 3, 6).
        period: [s]; 0 if it does not repeat.
        function: gives the poses instead; None if the pieces do.
    """

    body: str
    size: float
    time: Floats
    pose: Floats
    rate: Floats
    period: float = 0.0
    function: Path | None = None

    def check_jumps(self, dt: float) -> None:
        """Warn of the fastest piece if the body moves by more than its size in a step."""
        move = np.linalg.norm(np.diff(self.pose[:, :3], axis=0), axis=1)
        speed = move / np.maximum(np.diff(self.time), dt)
        if self.period > 0.0:
            ends = float(np.linalg.norm(self.pose[0, :3] - self.pose[-1, :3]))
            move, speed = np.append(move, ends), np.append(speed, ends / dt)
        if len(speed) and speed.max() * dt > self.size:
            k = int(speed.argmax())
            tell_jump(self.body, float(self.time[k]), float(speed[k]))


def tell_jump(body: str, time: float, speed: float) -> None:
    """Warn that a body jumps at a time [s], with a speed [m/s]."""
    warnings.warn(
        f"the motion of {body} jumps at t = {time:.6g} s: at {speed:.3g} m/s it moves by more than "
        "its own size in a step, and may pass through others",
        RobotWarning,
        stacklevel=3,
    )


def motion_of(body: str, table: MotionTable, start: Pose, size: float) -> Motion:
    """Return the motion that a scene's table describes.

    Args:
        body: name.
        table: the table.
        start: the body's pose in the scene, for motions without poses of their own.
        size: diagonal of its bounding box, [m].

    Raises:
        SettingError: if the file is not such a table, or the function does not give poses.
    """
    if table.file is not None:
        columns = read_table(table.file, ("time",), COLUMNS)
        rows = np.column_stack([columns[name] for name in ("time", *COLUMNS)])
    elif table.waypoints is not None:
        rows = np.array(table.waypoints, float)
    elif table.function is not None:
        try:
            function = load_function(table.function)
            first = pose_at(function, body, 0.0)
        except (ValueError, SimulationError) as error:
            raise SettingError(str(error), "function") from error
        return Motion(body, size, np.zeros(1), first[None], np.zeros((1, 3, 6)), 0.0, function)
    else:
        rate = np.zeros((1, 3, 6))
        rate[0, 0] = *table.velocity, *(start.rotation.T @ np.array(table.angular_velocity))
        pose = np.append(start.translation, Rotation.from_matrix(start.rotation).as_quat())
        return Motion(body, size, np.zeros(1), pose[None], rate)
    time, turns = rows[:, 0], Rotation.from_euler("xyz", rows[:, 4:])
    pose, rate = np.hstack([rows[:, 1:4], turns.as_quat()]), np.zeros((len(rows), 3, 6))
    if table.interpolation == "linear":
        rate[:-1, 0, :3] = np.diff(rows[:, 1:4], axis=0)
        rate[:-1, 0, 3:] = (turns[:-1].inv() * turns[1:]).as_rotvec()
        rate[:-1, 0] /= np.diff(time)[:, None]
    else:
        place = CubicSpline(time, rows[:, 1:4], bc_type="clamped")
        turning = RotationSpline(time, turns).interpolator
        for spline, at in (place, slice(0, 3)), (turning, slice(3, 6)):
            for power in range(1, min(4, len(spline.c))):
                rate[:-1, power - 1, at] = spline.c[-1 - power]
    period = float(time[-1] - time[0]) if table.after == "repeat" else 0.0
    return Motion(body, size, time, pose, rate, period)


def pose_at(function: Path, body: str, time: float) -> Floats:
    """Return the pose that a user's function gives: position, quaternion x y z w.

    Raises:
        SimulationError: if the function fails or returns anything but six finite numbers.
    """
    what = f"the motion of {body}"
    try:
        value = np.asarray(function(time), float)
    except Exception as error:
        raise SimulationError(f"{what} failed at {time:.6g} s: {error_line(error)}") from error
    if value.shape != (6,) or not np.isfinite(value).all():
        raise SimulationError(
            f"{what} returned {value.tolist()} at {time:.6g} s, expected six finite numbers: "
            "x, y, z, roll, pitch, yaw"
        )
    return np.append(value[:3], Rotation.from_euler("xyz", value[3:]).as_quat())


class Motions:
    """The prescribed motions of a world, step by step.

    Attributes:
        motions: by body.
        functions: those that give poses in Python, by body.
        changed: bodies whose motion Python has set.
    """

    def __init__(
        self, motions: Sequence[Motion], places: Sequence[tuple[int, int]], q: Floats, v: Floats
    ):
        """Connect the motions to the state.

        Args:
            motions: the motions.
            places: where the coordinates and velocities of each body start in q and v.
            q: shape (nq,), view of the state.
            v: shape (nv,), likewise.
        """
        self.motions = {motion.body: motion for motion in motions}
        still = [m.function is None and len(m.time) == 1 and not m.rate.any() for m in motions]
        self.functions = {m.body: m.function for m in motions if m.function is not None}
        self.changed, self._told = set[str](), set[str]()
        end = np.cumsum([len(motion.time) for motion in motions])
        none = Motion("", 0.0, np.zeros(0), np.zeros((0, 7)), np.zeros((0, 3, 6)))
        self._plan = MotionArrays(
            place=np.array(places, np.int64).reshape(-1, 2),
            first=np.array(end - [len(motion.time) for motion in motions], np.int64),
            last=np.array(
                end - 1 - [len(m.time) * s for m, s in zip(motions, still, strict=True)], np.int64
            ),
            period=np.array([motion.period for motion in motions], float),
            time=np.concatenate([motion.time for motion in (none, *motions)]),
            pose=np.concatenate([motion.pose for motion in (none, *motions)]),
            rate=np.concatenate([motion.rate for motion in (none, *motions)]),
            aim=np.zeros(7),
            q=q,
            v=v,
        )
        self._begin = bind(begin_motions, table_of(self._plan), like=(0.0, 0.0))

    def poses(self, time: float) -> Iterator[Floats]:
        """Yield the pose of each body at a time [s]: position, quaternion x y z w."""
        for i, body in enumerate(self.motions):
            if body in self.functions:
                yield pose_at(self.functions[body], body, time)
            else:
                aim_at.twin(self._plan, i, time)  # type: ignore[attr-defined]
                yield self._plan.aim.copy()

    def begin(self, dt: float) -> None:
        """Place the bodies at time 0, with the velocities of the first step."""
        for place, pose in zip(self._plan.place, self.poses(0.0), strict=True):
            self._plan.q[place[0] : place[0] + 7] = pose
        if self.functions:
            self._ask(0.0, dt)
        self._begin(0.0, dt)

    def set(self, body: str, function: Path | None) -> None:
        """Let a body follow a function from the next step on; None: rest at its present pose.

        Raises:
            SimulationError: if the body has no motion in the scene, or the function fails now.
        """
        if body not in self.motions:
            have = ", ".join(self.motions) or "none"
            raise SimulationError(
                f"set_motion: {body!r} has no motion (bodies that have: {have}); give it fixed = "
                "true and motion = {} in the scene"
            )
        i = list(self.motions).index(body)
        plan, at = self._plan, self._plan.first[i]
        plan.last[i], plan.period[i], plan.rate[at] = at - (function is None), 0.0, 0.0
        self.functions.pop(body, None)
        self.changed.add(body)
        if function is not None:
            self.functions[body] = function

    def rests(self, body: str) -> bool:
        """Return whether only hands move a body: it has no other motion."""
        if body not in self.motions:
            return False
        i = list(self.motions).index(body)
        return bool(self._plan.last[i] < self._plan.first[i])

    def check_jump(self, body: str, time: float, dt: float) -> None:
        """Warn of a velocity that takes a body farther than its size in a step of length dt."""
        k = self._plan.place[list(self.motions).index(body), 1]
        self._tell(body, time, dt * float(np.linalg.norm(self._plan.v[k : k + 3])), dt)

    def stages(self, program: Stages) -> list[Stage]:
        """Return the stages that set the velocities of a step."""
        now = program.time, program.length
        asked = [program.stage(self._ask, *now)] if self.functions else []
        return [*asked, program.stage(self._begin, *now)]

    def _ask(self, time: float, dt: float) -> None:
        """Ask Python's functions for the poses at the end of a step."""
        for i, body in enumerate(self.motions):
            if body not in self.functions:
                continue
            plan, a = self._plan, self._plan.place[i, 0]
            pose = plan.pose[plan.first[i]]
            pose[:] = pose_at(self.functions[body], body, time + dt)
            self._tell(body, time, math.dist(pose[:3], plan.q[a : a + 3]), dt)

    def _tell(self, body: str, time: float, move: float, dt: float) -> None:
        """Warn, once for each body, of a move [m] in a step that is longer than the body."""
        if move > self.motions[body].size and body not in self._told:
            self._told.add(body)
            tell_jump(body, time, move / dt)
