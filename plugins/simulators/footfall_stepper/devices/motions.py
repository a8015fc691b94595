"""Prescribed motions of bodies: from the scene's rows and functions, and from Python's."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from footfall.config.csv_table import read_table
from footfall.config.fields import load_function
from footfall.errors import RobotWarning, SettingError, SimulationError, error_line
from footfall.jit.compiling import bind
from footfall.jit.stages import Stage, Stages
from footfall.jit.tables import table_of
from footfall.scene.motion import MotionTable
from footfall.spatial.pose import Pose
from footfall.typing import Floats
from footfall_stepper.kernels.dynamics.prescribed import begin_motions
from footfall_stepper.world.step_arrays import MotionArrays
from footfall_stepper.world.world import World

if TYPE_CHECKING:
    from scipy.spatial.transform import Rotation

COLUMNS = ("x", "y", "z", "roll", "pitch", "yaw")
QUARTER = 0.5 * math.pi
"""Angle in a step above which a rotation is a jump, [rad]."""
Path = Callable[[float], Any]
"""A function of time [s] that returns x, y, z [m] and roll, pitch, yaw [rad]."""


@dataclass(frozen=True, slots=True)
class Motion:
    """A prescribed motion of a body, in pieces with constant velocities; see ``MotionArrays``.

    Attributes:
        body: its name.
        size: diagonal of the body's bounding box, [m].
        time: shape (pieces,), start of each piece, [s].
        place: shape (pieces, 3), position there, [m].
        turn: orientation there.
        rate: shape (pieces, 6).
        period: [s]; 0 if it does not repeat.
        function: gives the poses instead; None if the pieces do.
    """

    body: str
    size: float
    time: Floats
    place: Floats
    turn: Rotation
    rate: Floats
    period: float = 0.0
    function: Path | None = None

    def at(self, time: float) -> tuple[Floats, Rotation]:
        """Return position and orientation at a time [s]."""
        from scipy.spatial.transform import Rotation

        if self.function is not None:
            return pose_at(self.function, self.body, time)
        if self.period and time > self.time[0]:
            time = float(self.time[0] + (time - self.time[0]) % self.period)
        k = max(0, int(np.searchsorted(self.time, time, "right")) - 1)
        rate = max(0.0, time - float(self.time[k])) * self.rate[k]
        return self.place[k] + rate[:3], self.turn[k] * Rotation.from_rotvec(rate[3:])


def tell_jump(body: str, size: float, time: float, dt: float, speed: float, turn: float) -> bool:
    """Warn if a body of a size [m] jumps at a time, by its speed [m/s] or turn [rad/s] over dt."""
    told = ""
    if speed * dt > size:
        told = f"at {speed:.3g} m/s it moves by more than its own size"
    elif turn * dt > QUARTER:
        told = f"at {turn:.3g} rad/s it turns by more than 90 degrees"
    if told:
        warnings.warn(
            f"the motion of {body} jumps at t = {time:.6g} s: {told} in a step, and may pass "
            "through others",
            RobotWarning,
            stacklevel=3,
        )
    return bool(told)


def motion_of(body: str, table: MotionTable, start: Pose, size: float, dt: float) -> Motion:
    """Return the motion that a scene's table describes; warn if it jumps.

    Args:
        body: name.
        table: the table.
        start: the body's pose in the scene, for motions without poses of their own.
        size: diagonal of its bounding box, [m].
        dt: length of a step, [s]; a spline is evaluated at the end of each.

    Raises:
        SettingError: if the file is not such a table, or the function does not give poses.
    """
    from scipy.interpolate import CubicSpline
    from scipy.spatial.transform import Rotation, RotationSpline

    if not table.has_rows:
        place, turns = start.translation[None], Rotation.from_matrix(start.rotation[None])
        constant = [[*table.velocity, *(start.rotation.T @ np.array(table.angular_velocity))]]
        made = Motion(body, size, np.zeros(1), place, turns, np.array(constant))
        try:
            if table.function is not None:
                made = replace(made, function=load_function(table.function))
            made.at(0.0)
        except (ValueError, SimulationError) as error:
            raise SettingError(str(error), "function") from error
        return made
    rows = np.array(table.waypoints or (), float)
    if table.file is not None:
        columns = read_table(table.file, ("time",), COLUMNS)
        rows = np.column_stack([columns[name] for name in ("time", *COLUMNS)])
    time, places, turns = rows[:, 0], rows[:, 1:4], Rotation.from_euler("xyz", rows[:, 4:])
    period = float(time[-1] - time[0]) if table.after == "repeat" else 0.0
    if period and np.abs(rows[0, 1:] - rows[-1, 1:]).max() > 0.0:
        raise SettingError("repeat needs a last row with the pose of the first", "after")
    if table.interpolation == "cubic":
        steps = np.arange(math.ceil(time[0] / dt), time[-1] / dt) * dt
        times = np.unique([time[0], *steps, time[-1]])
        places = CubicSpline(time, places, bc_type="clamped")(times)
        time, turns = times, RotationSpline(time, turns)(times)
    rate = np.zeros((len(time), 6))
    turned = (turns[:-1].inv() * turns[1:]).as_rotvec()
    rate[:-1] = np.hstack([np.diff(places, axis=0), turned]) / np.diff(time)[:, None]
    speed, turn = (np.linalg.norm(part, axis=1) for part in np.hsplit(rate, 2))
    for k in (speed.argmax(), turn.argmax()):
        if tell_jump(body, size, float(time[k]), dt, float(speed[k]), float(turn[k])):
            break
    return Motion(body, size, time, places, turns, rate, period)


def pose_at(function: Path, body: str, time: float) -> tuple[Floats, Rotation]:
    """Return the position and the orientation that a user's function gives.

    Raises:
        SimulationError: if the function fails or returns anything but six finite numbers.
    """
    from scipy.spatial.transform import Rotation

    what = f"the motion of {body}"
    try:
        value = np.asarray(function(time), float)
    except Exception as error:
        raise SimulationError(f"{what} failed at {time:.6g} s: {error_line(error)}") from error
    if value.shape != (6,) or not np.isfinite(value).all():
        told = f"{what} returned {value.tolist()} at {time:.6g} s, expected six finite numbers"
        raise SimulationError(f"{told}: x, y, z, roll, pitch, yaw")
    return value[:3], Rotation.from_euler("xyz", value[3:])


class Motions:
    """The prescribed motions of a world, step by step.

    Attributes:
        names: bodies with a motion.
        functions: those that give poses in Python, by body.
        changed: bodies whose motion Python has set.
    """

    def __init__(self, motions: Sequence[Motion], world: World, q: Floats, v: Floats) -> None:
        """Place the bodies at time 0; ``q`` and ``v`` are views of the state."""
        self.motions, self.changed, self._told = list(motions), set[str](), set[str]()
        self.names = [motion.body for motion in motions]
        self.functions = {m.body: m.function for m in motions if m.function is not None}
        trees = [world.index(name) for name in self.names]
        pieces = [(m.time, np.hstack([m.place, m.turn.as_quat()]), m.rate) for m in motions]
        pieces.append((np.zeros(1), np.zeros((1, 7)), np.zeros((1, 6))))
        time, pose, rate = (np.concatenate(each) for each in zip(*pieces, strict=True))
        first = np.cumsum([0, *(len(m.time) for m in motions)])
        still = [m.function is None and len(m.time) == 1 and not m.rate.any() for m in motions]
        at = world.topology.tree_q[trees], world.topology.tree_v[trees]
        self._plan = MotionArrays(
            place=np.column_stack(at).astype(np.int64),
            first=first[:-1].astype(np.int64),
            last=(first[1:] - 1 - np.array(still, np.int64)).astype(np.int64),
            period=np.array([m.period for m in motions], float),
            time=time,
            pose=pose,
            rate=rate,
            aim=np.zeros(7),
            q=q,
            v=v,
        )
        for (a, _), motion in zip(self._plan.place, motions, strict=True):
            place, turn = motion.at(0.0)
            q[a : a + 7] = *place, *turn.as_quat()

    def set(self, body: str, function: Path | None) -> None:
        """Let a body follow a function from the next step on; None: rest at its present pose.

        Raises:
            SimulationError: if the body has no motion in the scene.
        """
        if body not in self.names:
            have = ", ".join(self.names)
            told = f"set_motion: {body!r} has no motion (bodies that have: {have})"
            raise SimulationError(f"{told}; give it fixed = true and motion = {{}} in the scene")
        plan, i = self._plan, self.names.index(body)
        at = plan.first[i]
        plan.last[i], plan.period[i], plan.rate[at] = at - (function is None), 0.0, 0.0
        self.functions.pop(body, None)
        self.changed.add(body)
        if function is not None:
            self.functions[body] = function

    def rests(self, body: str) -> bool:
        """Return whether only hands move a body: its motion is prescribed, but not given."""
        still = self._plan.last < self._plan.first
        return body in self.names and bool(still[self.names.index(body)])

    def stages(self, program: Stages) -> list[Stage]:
        """Return the stages that set the velocities of a step."""
        if not self.motions:
            return []
        now = program.time, program.length
        asked = [program.stage(self._ask, *now)] if self.functions else []
        begin = bind(begin_motions, table_of(self._plan), like=(0.0, 0.0))
        return [*asked, program.stage(begin, *now)]

    def _ask(self, time: float, dt: float) -> None:
        """Ask Python's functions for the poses at the end of a step; warn once if one jumps."""
        plan = self._plan
        for i, motion in enumerate(self.motions):
            if motion.body in self.functions:
                place, turn = pose_at(self.functions[motion.body], motion.body, time + dt)
                plan.pose[plan.first[i]] = *place, *turn.as_quat()
                a = int(plan.place[i, 0])
                cosine = min(1.0, abs(float(turn.as_quat() @ plan.q[a + 3 : a + 7])))
                speed = math.dist(place, plan.q[a : a + 3]) / dt
                self.check(motion.body, time, dt, speed, 2.0 * math.acos(cosine) / dt)

    def check(self, body: str, time: float, dt: float, speed: float, turn: float) -> None:
        """Warn once if a body jumps in a step of length dt; see ``tell_jump``."""
        size = self.motions[self.names.index(body)].size
        if body not in self._told and tell_jump(body, size, time, dt, speed, turn):
            self._told.add(body)
