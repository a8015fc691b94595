"""Joint torques from a file."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import numpy as np

from footfall.api.config import DataFile, read_table
from footfall.api.controller import Command, Controller, Observation
from footfall.api.engine import TreeModel
from footfall.api.kernels import bind
from footfall.api.plugin import Floats, PluginConfig
from footfall_standard.kernels import play_torques


class TorqueTableConfig(PluginConfig):
    """Names the file."""

    file: DataFile
    """CSV with a line of names: ``time`` [s] and joints [N m or N], relative to the scene; joints
    that have no column are left free. Before the first row and after the last nothing acts."""
    interpolation: Literal["hold", "linear"] = "hold"
    """``hold``: a row acts until the next, as torques of a recording do (the last as long as the
    one before); ``linear``: straight lines between rows."""


class TorqueTable(Controller):
    """Plays back joint torques over time: a pure function of time, whatever the body does."""

    name = "torque_table"
    Config = TorqueTableConfig

    def __init__(self, config: TorqueTableConfig) -> None:
        self.config = config

    def setup(self, model: TreeModel, posture: Floats) -> None:
        """Read the file, whose columns must be joints of the body.

        Raises:
            SettingError: if it is not such a table.
        """
        rows = read_table(self.config.file, ("time",), model.joint_names)
        self._time = rows["time"]
        self._tau = np.column_stack([rows[name] for name in model.joint_names])
        self._end = float(self._time[-1])
        if self.config.interpolation == "hold":
            self._end += float(self._time[-1] - self._time[-2])

    def bound(self, observation: Observation, command: Command) -> Callable[[float], object]:
        """Bind the kernel that does the same."""
        linear = self.config.interpolation == "linear"
        fixed = self._time, self._tau, self._end, linear, command.tau
        found: Callable[[float], object] = bind(play_torques, *fixed, like=(0.0,))
        return found

    def command(self, observation: Observation, command: Command) -> None:
        """Command the torques of the time."""
        self.bound(observation, command)(observation.time)
