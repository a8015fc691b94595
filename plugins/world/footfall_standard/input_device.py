"""The hand of a viewer's user."""

from __future__ import annotations

from footfall.api.interaction import LiveDevice, Reading
from footfall.api.plugin import PluginConfig


class Mouse(LiveDevice):
    """A hand that is moved from within the process: by the mouse in the viewer's page.

    The newest reading wins: what has been put in between two steps is not seen, but for that the
    hand was open in between.
    """

    name = "mouse"

    def __init__(self, config: PluginConfig) -> None:
        self.config = config
        self._newest: Reading | None = None
        self._opened: tuple[Reading | None] | None = None

    def put(self, reading: Reading | None) -> None:
        """Hand over the newest reading, from any thread; None: the hand has gone away."""
        # One reference is replaced by another: no reader can see half of it.
        if reading is None or not reading.holds:
            self._opened = (reading,)
        self._newest = reading

    def read(self, time: float) -> Reading | None:
        """Return the newest reading, whatever the time is; once, that the hand was open."""
        opened, self._opened = self._opened, None
        return self._newest if opened is None else opened[0]

    def close(self) -> None:
        """Let go."""
        self._newest = self._opened = None
