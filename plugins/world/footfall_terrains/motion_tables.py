"""The ``[motion]`` table of a moving ground: the motion of its frame."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from footfall.api.advanced import FunctionName
from footfall.api.plugin import DataFile, PluginConfig, Positive

Vector = Annotated[tuple[float, float, float], Field(strict=False)]
ZERO = (0.0, 0.0, 0.0)


class ConstantMotion(PluginConfig):
    """A constant velocity: a conveyor belt, a turntable, an elevator."""

    kind: Literal["constant"]
    """A constant velocity."""
    velocity: Vector = ZERO
    """Velocity of the ground's frame, [m/s], world axes."""
    angular_velocity: Vector = ZERO
    """Angular velocity about the pivot, [rad/s], world axes."""


class SineMotion(PluginConfig):
    """Sine waves: a shaking table. ``amplitude sin(2 pi frequency t + phase)``."""

    kind: Literal["sine"]
    """Sine waves."""
    frequency: Positive
    """Frequency, [Hz]."""
    amplitude: Vector = ZERO
    """Amplitude of the translation, [m], world axes."""
    rotation_amplitude: Vector = ZERO
    """Amplitude of the rotation about the pivot, [rad], a rotation vector along world axes."""
    phase: float = 0.0
    """Phase, [rad]."""


class TableMotion(PluginConfig):
    """A table of positions over time, interpolated."""

    kind: Literal["table"]
    """A table from a file."""
    file: DataFile
    """CSV with a line of names: ``time`` [s] and any of ``x``, ``y``, ``z`` [m] and ``rx``, ``ry``,
    ``rz`` [rad], a rotation vector about the pivot; missing columns are zero."""
    interpolation: Literal["cubic", "linear"] = "cubic"
    """``cubic``: a spline whose velocity is continuous; ``linear``: velocities jump at each row."""
    after: Literal["hold", "repeat"] = "hold"
    """Motion after the last row: the ground stays there, or starts again at the first row."""


class FunctionMotion(PluginConfig):
    """A user's function."""

    kind: Literal["function"]
    """A function."""
    function: FunctionName
    """``module:function``, called as ``function(time)``; returns x, y, z [m] and rotation vector
    rx, ry, rz [rad]. Must be a smooth function of time alone: velocities are its differences over
    0.1 ms (fourth order, error about 1e-9 of a motion at 10 Hz)."""


MotionTable = Annotated[
    ConstantMotion | SineMotion | TableMotion | FunctionMotion, Field(discriminator="kind")
]
