"""Hands that need no viewer: moved by a script, or by another program over the network."""

from __future__ import annotations

from typing import TYPE_CHECKING

from footfall.api.plugin import hookimpl

if TYPE_CHECKING:
    from footfall.api.interaction import InputDevice
    from footfall.api.plugin import Registry


def _scripted() -> type[InputDevice]:
    from footfall_devices.input_device import Scripted

    return Scripted


def _network() -> type[InputDevice]:
    from footfall_devices.network import Network

    return Network


@hookimpl
def footfall_register(registry: Registry) -> None:
    """Offer the devices."""
    registry.input_device.add(
        "scripted", _scripted, summary="a hand that follows a file or waypoints"
    )
    registry.input_device.add(
        "network", _network, summary="a hand that other programs move over a WebSocket"
    )
