"""Joint torques from a file."""

from __future__ import annotations

from typing import Literal

import numpy as np

from footfall.api.config import DataFile, read_table
from footfall.api.controller import Command, Controller, Observation
from footfall.api.engine import TreeModel
from footfall.api.plugin import Floats, PluginConfig

EARLY = 1e-9
"""Part of a row's distance from the next by which it begins early: steps are not exact in time."""


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

    def command(self, observation: Observation, command: Command) -> None:
        """Command the torques of the time."""
        time, rows = observation.time, self._time
        slack = EARLY * (rows[1] - rows[0])
        if time < rows[0] - slack or time >= self._end - slack:
            command.tau[:] = 0.0
            return
        k = max(int(np.searchsorted(rows, time + slack, side="right")) - 1, 0)
        command.tau[:] = self._tau[k]
        if self.config.interpolation == "linear" and k + 1 < len(rows):
            part = max(time - rows[k], 0.0) / (rows[k + 1] - rows[k])
            command.tau[:] += part * (self._tau[k + 1] - self._tau[k])
