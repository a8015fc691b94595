"""The hand of a viewer's user."""

from __future__ import annotations

from footfall.api.plugin import PluginConfig
from footfall.api.viewer import LiveDevice, Reading


class Mouse(LiveDevice):
    """A hand moved by the mouse in the viewer's page, or by Python."""

    name = "mouse"

    def __init__(self, config: PluginConfig) -> None:
        self.config = config
        self._newest: Reading | None = None
        self._opened: tuple[Reading | None] | None = None

    def put(self, reading: Reading | None) -> None:
        """Set the newest reading, from any thread; None if the hand has left."""
        # One reference replaces another: no reader can see half a reading.
        if reading is None or not reading.holds:
            self._opened = (reading,)
        self._newest = reading

    def read(self, time: float) -> Reading | None:
        """Return the newest reading for any time; first, once, the reading of an open hand."""
        opened, self._opened = self._opened, None
        return self._newest if opened is None else opened[0]

    def close(self) -> None:
        """Drop the readings."""
        self._newest = self._opened = None
