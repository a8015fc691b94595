"""The controller that tracks joint trajectories."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Literal

import numpy as np

from footfall.api.advanced import DataPath
from footfall.api.device import Command, Controller, Observation, values_by_name
from footfall.api.engine import TreeModel
from footfall.api.kernels import bind, table_of
from footfall.api.plugin import (
    Floats,
    NonNegative,
    PluginConfig,
    Positive,
    RobotError,
    SettingError,
    Tunable,
)
from footfall_controllers.trajectory.curve import Curve, Interpolation, check_meets, through
from footfall_controllers.trajectory.files import read_trajectory
from footfall_controllers.trajectory.kernels import TrackArrays, track
from footfall_controllers.trajectory.rows import Rows

Gains = NonNegative | dict[str, NonNegative]


class TrajectoryConfig(PluginConfig):
    """Settings: the file, the interpolation between its rows, and the gains."""

    file: DataPath
    """File with joint positions [rad or m] over time [s], or a recording; searched beside the scene
    file, then in the current folder. A CSV has ``time``, ``JOINT``, optionally ``JOINT.rate``,
    ``JOINT.torque``. An ``.npz`` has ``time``, ``joints``, ``position``, optionally ``rate``,
    ``torque``. Other joints hold still."""
    body: str = ""
    """Body to use if a recording has several, [name]."""
    interpolation: Interpolation | None = None
    """``hermite`` [name]: uses the file's rates (default if it has them); ``spline``: continuous
    accelerations (default otherwise); ``monotone``: no overshoot (PCHIP); ``linear``."""
    stiffness: Annotated[Gains, Tunable(1.0, 1e5, logarithmic=True)] = 1000.0
    """Proportional gain, for all joints or by pattern, [N m/rad or N/m]."""
    damping: Annotated[Gains, Tunable(0.1, 1e4, logarithmic=True)] = 30.0
    """Derivative gain, for all joints or by pattern, [N m s/rad or N s/m]."""
    feed_forward: Literal["file", "none"] = "file"
    """``file`` [name]: add the file's torques, interpolated linearly."""
    after: Literal["hold", "repeat"] = "hold"
    """After the last row [name]: hold it, or repeat from the first."""
    start: float | None = None
    """Time in the run at which the file's first row acts, [s]; until then, this row is the target.
    Default: the time in the file."""
    ahead: NonNegative = 0.0
    """A step that starts at time t uses the targets of time t + ``ahead``, [s]."""
    max_jump: Positive = 0.01
    """Largest allowed distance of the first row from the starting posture, [rad or m]."""


class Trajectory(Controller):
    """Track joint trajectories from a file or recording.

        tau = tau_file - K (s+ - target) - D (s_dot+ - target_rate)

    tau_file are the torques in the file, if any.
    """

    name = "trajectory"
    Config = TrajectoryConfig

    def __init__(self, config: TrajectoryConfig) -> None:
        self.config = config

    def setup(self, model: TreeModel, posture: Floats) -> None:
        """Read the file and compare it with the body.

        Raises:
            SettingError: if the file, or a pattern, does not fit the body.
        """
        config, names = self.config, model.joint_names
        rows = read_trajectory(config.file, names, config.body)
        self._names = names
        self._stiffness, self._damping = np.zeros((2, len(names)))
        self._take_gains()
        self._hold, self._moving = posture.copy(), np.array([names.index(j) for j in rows.joints])
        _check_start(rows, posture[self._moving], config.max_jump)
        repeats = config.after == "repeat"
        if repeats:
            check_meets(rows)
        kind = config.interpolation or ("spline" if rows.rate is None else "hermite")
        self._curve = through(rows, rows.position, kind, periodic=repeats)
        self._torque: Curve | None = None
        if config.feed_forward == "file" and rows.torque is not None:
            self._torque = through(rows, rows.torque, "linear")
        self._start = self._curve.start if config.start is None else config.start
        self._commanded: Command | None = None  # what ``_call`` writes to
        self._call: Callable[[float], object]

    def retune(self, config: PluginConfig) -> None:
        """Take new gains."""
        assert isinstance(config, TrajectoryConfig)
        self.config = config
        self._take_gains()

    def _take_gains(self) -> None:
        self._stiffness[:] = gains_of(self.config.stiffness, self._names, "stiffness")
        self._damping[:] = gains_of(self.config.damping, self._names, "damping")

    def command(self, observation: Observation, command: Command) -> None:
        """Command the gains, targets and torques at the time."""
        if command is not self._commanded:
            self._commanded, self._call = command, self.bound(observation, command)
        self._call(observation.time)

    def bound(self, observation: Observation, command: Command) -> Callable[[float], object]:
        """Bind the kernel."""
        curve, torque, repeats = self._curve, self._torque, self.config.after == "repeat"
        wide = curve.rows()[1].shape[1]
        table = table_of(
            TrackArrays(
                np.array([repeats], np.int64),
                np.array([self._start, self.config.ahead, curve.length]),
                self._moving,
                *curve.rows(),
                *(torque.rows() if torque else (np.zeros(0), np.zeros((0, wide)))),
                *(self._stiffness, self._damping, self._hold),
                *(command.tau, command.stiffness, command.damping),
                *(command.target, command.target_rate),
            )
        )
        return bind(track, table, like=(0.0,))


def gains_of(gains: float | dict[str, float], names: tuple[str, ...], key: str) -> Floats:
    """Return one gain per joint; 0 for joints that match no pattern.

    Raises:
        SettingError: if a pattern matches no joint.
    """
    if not isinstance(gains, dict):
        return np.full(len(names), float(gains))
    try:
        found = values_by_name(gains, names, "")
    except RobotError as error:
        raise SettingError(str(error).removeprefix(": "), key) from error
    return np.array([found.get(name, 0.0) for name in names])


def _check_start(rows: Rows, posture: Floats, allowed: float) -> None:
    gaps = np.abs(rows.position[0] - posture)
    j = int(np.argmax(gaps))
    if gaps[j] > allowed:
        raise SettingError(
            f"{rows.file} starts with {rows.joints[j]} at {rows.position[0, j]:.6g}, the body at "
            f"{posture[j]:.6g}: start there (joint_positions), or allow it (max_jump, {allowed:g})",
            "file",
        )
