"""Bodies that others move: the table ``motion`` of a body, and velocities of its surface."""

from __future__ import annotations

from itertools import pairwise
from typing import Literal, Self

from pydantic import model_validator

from footfall.config.fields import DataFile, FunctionName, Vector3
from footfall.interfaces.plugin import PluginConfig

Waypoint = tuple[float, float, float, float, float, float, float]
FACES = {"top": 2, "bottom": -3, "front": 0, "back": -1, "left": 1, "right": -2}
"""Faces of a box: the axis of the outward normal, ``~axis`` if it points against the axis."""


class MotionTable(PluginConfig):
    """The prescribed motion of a fixed object: it pushes and carries, and nothing pushes it.

    Empty: it stays at its ``base_position`` until Python moves it (``set_motion``). In each step it
    moves with the constant velocity that takes it to its pose at the end of the step.
    """

    waypoints: tuple[Waypoint, ...] | None = None
    """Rows ``[time, x, y, z, roll, pitch, yaw]``, [s], [m] and [rad], of the body's frame in the
    world; angles as in ``base_orientation``. It rests before the first and after the last row."""
    file: DataFile | None = None
    """CSV file with a line of names: ``time`` and any of ``x``, ``y``, ``z``, ``roll``, ``pitch``,
    ``yaw``, as in ``waypoints``; missing columns are zero. The path is relative to the scene."""
    function: FunctionName | None = None
    """``module:function``, called as ``function(time)``; returns x, y, z, roll, pitch, yaw, [m] and
    [rad]."""
    velocity: Vector3 = (0.0, 0.0, 0.0)
    """Constant velocity from ``base_position`` on, [m/s], world axes."""
    angular_velocity: Vector3 = (0.0, 0.0, 0.0)
    """Constant angular velocity about the body's origin, [rad/s], world axes."""
    interpolation: Literal["linear", "cubic"] = "linear"
    """``linear``: constant velocities between rows, which jump at each row; ``cubic``: a spline
    whose velocity is continuous; positions start and end at rest."""
    after: Literal["hold", "repeat"] = "hold"
    """Motion after the last row: the body stays there, or starts again at the first row."""

    @property
    def places(self) -> bool:
        """Whether it gives poses in the world, so that the body needs no ``base_position``."""
        return self.waypoints is not None or self.file is not None or self.function is not None

    @model_validator(mode="after")
    def _one_way(self) -> Self:
        rows = self.waypoints is not None or self.file is not None
        constant = any((*self.velocity, *self.angular_velocity))
        ways = self.waypoints is not None, self.file is not None, self.function is not None
        if sum((*ways, constant)) > 1:
            raise ValueError("takes one of: waypoints, file, function, velocity")
        for key in ("interpolation", "after"):
            if getattr(self, key) != type(self).model_fields[key].default and not rows:
                raise ValueError(f"{key} has no effect without waypoints or a file")
        if self.waypoints is not None:
            _check_times([row[0] for row in self.waypoints])
        return self


def _check_times(times: list[float]) -> None:
    if len(times) < 2:
        raise ValueError("waypoints needs at least two rows")
    for k, (before, after) in enumerate(pairwise(times), 2):
        if after <= before:
            raise ValueError(
                f"waypoints, row {k}: time must increase, {after:g} s follows {before:g} s"
            )


class FaceVelocities(PluginConfig):
    """Velocities of the faces of a box, along the body's axes, [m/s]."""

    top: Vector3 | None = None
    """Face towards z."""
    bottom: Vector3 | None = None
    """Face against z."""
    front: Vector3 | None = None
    """Face towards x."""
    back: Vector3 | None = None
    """Face against x."""
    left: Vector3 | None = None
    """Face towards y."""
    right: Vector3 | None = None
    """Face against y."""

    @model_validator(mode="after")
    def _along_faces(self) -> Self:
        for name, code in FACES.items():
            axis, given = max(code, ~code), getattr(self, name)
            if given is not None and given[axis] != 0.0:
                raise ValueError(
                    f"{name} must lie in its face: its {'xyz'[axis]} must be 0, got {given[axis]:g}"
                )
        return self
