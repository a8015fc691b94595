"""Contact force between two bodies or links."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from footfall.api.device import Mount, Sensor, SensorBody, Signal
from footfall.api.plugin import Floats, PluginConfig, PluginError, SettingError
from footfall_sensors.places import XYZ, frame_of


class ContactForceConfig(PluginConfig):
    """Settings of the sensor."""

    link: str | None = None
    """Link on which the force acts; default: the whole body."""
    other: str | None = None
    """Source of the force: a body, ``body/link`` or ``terrain``; default: all others."""


class ContactForceReading(NamedTuple):
    """Contact force on a body or link, world axes.

    Attributes:
        total: shape (3,), [N].
        normal: shape (3,), the part along the contacts' normals, [N].
        friction: shape (3,), the part across them, [N].
    """

    total: Floats
    normal: Floats
    friction: Floats


class ContactForceSensor(Sensor):
    """Contact force on a body or link in world axes, mean over the step."""

    name = "contact_force"
    Config = ContactForceConfig

    def __init__(self, config: ContactForceConfig) -> None:
        self.config = config

    def signals(self, body: SensorBody) -> tuple[Signal, ...]:
        """Return the force and its two parts."""
        of = f"contact force on {self._on(body)} from {self.config.other or 'all others'}"
        parts = {"total": "", "normal": ", along the normals", "friction": ", across the normals"}
        return tuple(Signal(n, XYZ, "N", f"{of}{p}, world axes") for n, p in parts.items())

    def _on(self, body: SensorBody) -> str:
        if self.config.link is None:
            return body.name
        frame_of(body, self.config.link)
        return f"{body.name}/{self.config.link}"

    def bound(self, mount: Mount) -> Callable[[Floats], None]:
        """Return the measurement.

        Raises:
            PluginError: if ``other`` means nothing, or is part of the body or link.
        """
        try:
            return mount.contact_force(self._on(mount.body), self.config.other, mount.out)
        except SettingError as error:
            told = f"sensor contact_force of {mount.body.name}: {error.reason}"
            raise PluginError(told) from error

    def reading(self, body: SensorBody, values: Floats) -> ContactForceReading:
        """Return views of the signals."""
        return ContactForceReading(*values.reshape(3, 3))
