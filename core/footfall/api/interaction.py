"""What the users of a viewer may ask of a live run, and what it tells them."""

from __future__ import annotations

from footfall.interfaces.interaction import (
    Command,
    CreateObject,
    DeleteObject,
    HandMove,
    HandRelease,
    Kind,
    LiveBody,
    LiveHand,
    LiveStatus,
    LiveTunable,
    Pause,
    Play,
    Restart,
    SingleStep,
    Speed,
    Tune,
    Vector,
    WatchSignals,
)

__all__ = [
    "Command",
    "CreateObject",
    "DeleteObject",
    "HandMove",
    "HandRelease",
    "Kind",
    "LiveBody",
    "LiveHand",
    "LiveStatus",
    "LiveTunable",
    "Pause",
    "Play",
    "Restart",
    "SingleStep",
    "Speed",
    "Tune",
    "Vector",
    "WatchSignals",
]
