"""The controller role, and the signals of a body for controllers."""

from __future__ import annotations

from footfall.interfaces.controller import (
    Command as Command,
    Controller as Controller,
    Observation as Observation,
)
from footfall.interfaces.signals import BodySignals as BodySignals, FrameSignals as FrameSignals
from footfall.config.fields import assign as assign, select as select
