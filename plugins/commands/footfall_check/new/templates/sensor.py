"""The sensor ``new_plugin``: a measurement of a body in each step."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from footfall.api.device import Mount, Sensor, SensorBody, Signal
from footfall.api.plugin import Floats, PluginConfig


class NewPluginReading(NamedTuple):
    """Reading for controllers.

    Attributes:
        position: shape (3,), position of the base's origin, world frame, [m].
    """

    position: Floats


class NewPlugin(Sensor):
    """The measurement: REPLACE THIS EQUATION BY YOURS.

    ``position = p_base``, exactly: the core adds rate, delay and errors.
    """

    name = "new_plugin"

    def __init__(self, config: PluginConfig) -> None:
        self.config = config

    def signals(self, body: SensorBody) -> tuple[Signal, ...]:
        """Return the signals, in the order of the output."""
        told = "position of the base's origin, world frame"
        return (Signal("position", ("x", "y", "z"), "m", told),)

    def bound(self, mount: Mount) -> Callable[[Floats], None]:
        """Return the function that overwrites ``mount.out`` from a row of the recording."""
        first = mount.columns["base_position"] + 3 * mount.index

        def call(row: Floats) -> None:
            mount.out[:] = row[first : first + 3]

        return call

    def reading(self, body: SensorBody, values: Floats) -> NewPluginReading:
        """Return a view of the values, shape (3,)."""
        return NewPluginReading(values)
