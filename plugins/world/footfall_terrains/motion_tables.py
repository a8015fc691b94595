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
    """Amplitude of the rotation vector about the pivot, [rad], world axes."""
    phase: float = 0.0
    """Phase, [rad]."""


class TableMotion(PluginConfig):
    """A table of positions over time, interpolated."""

    kind: Literal["table"]
    """A table from a file."""
    file: DataFile
    """CSV with a header. Columns: ``time`` [s]; position ``x``, ``y``, ``z`` [m]; rotation vector
    ``rx``, ``ry``, ``rz`` [rad]. Missing columns are zero."""
    interpolation: Literal["cubic", "linear"] = "cubic"
    """``cubic``: the velocity is continuous; ``linear``: it jumps at rows."""
    after: Literal["hold", "repeat"] = "hold"
    """``hold``: the ground stays at the last row; ``repeat``: the motion starts again."""


class FunctionMotion(PluginConfig):
    """A user's function."""

    kind: Literal["function"]
    """A function."""
    function: FunctionName
    """``module:function``. ``function(time)`` returns position x, y, z [m] and rotation vector rx,
    ry, rz [rad]. It must be smooth and depend only on time. Footfall computes velocities
    from differences over 0.1 ms."""


MotionTable = Annotated[
    ConstantMotion | SineMotion | TableMotion | FunctionMotion, Field(discriminator="kind")
]
