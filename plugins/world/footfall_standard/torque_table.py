"""Joint torques from a file."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import numpy as np

from footfall.api.advanced import read_table
from footfall.api.device import Command, Controller, Observation
from footfall.api.engine import TreeModel
from footfall.api.kernels import bind
from footfall.api.plugin import DataFile, Floats, PluginConfig
from footfall_standard.kernels import play_torques


class TorqueTableConfig(PluginConfig):
    """Settings of the controller: the file, and how to interpolate."""

    file: DataFile
    """CSV file, searched beside the scene file, then in the current folder. Columns: ``time`` [s]
    and joints by name [N m or N]. Other joints get no torque."""
    interpolation: Literal["hold", "linear"] = "hold"
    """``hold``: each row acts until the next, and the last as long as the row before it;
    ``linear``: interpolation. Before and after, torques are zero."""


class TorqueTable(Controller):
    """Play back joint torques from a file."""

    name = "torque_table"
    Config = TorqueTableConfig

    def __init__(self, config: TorqueTableConfig) -> None:
        self.config = config

    def setup(self, model: TreeModel, posture: Floats) -> None:
        """Read the file; its columns must be joints of the body.

        Raises:
            SettingError: if the file is not such a table.
        """
        rows = read_table(self.config.file, ("time",), model.joint_names)
        self._time = rows["time"]
        self._tau = np.column_stack([rows[name] for name in model.joint_names])
        self._end = float(self._time[-1])
        if self.config.interpolation == "hold":
            self._end += float(self._time[-1] - self._time[-2])

    def bound(self, observation: Observation, command: Command) -> Callable[[float], object]:
        """Bind the kernel that writes the torques."""
        linear = self.config.interpolation == "linear"
        fixed = self._time, self._tau, self._end, linear, command.tau
        return bind(play_torques, *fixed, like=(0.0,))

    def command(self, observation: Observation, command: Command) -> None:
        """Command the torques for the present time."""
        self.bound(observation, command)(observation.time)
