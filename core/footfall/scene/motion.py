"""The tables ``motion`` and ``surface_velocity`` of a body that others move."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Literal, Self

from pydantic import model_validator

from footfall.config.fields import DataFile, FunctionName, Vector3
from footfall.interfaces.plugin import PluginConfig

Face = Literal["front", "left", "top", "back", "right", "bottom"]
FACES: tuple[Face, ...] = ("front", "left", "top", "back", "right", "bottom")
"""Faces of a box by outward normal: x, y, z, -x, -y, -z."""
Waypoint = tuple[float, float, float, float, float, float, float]


def check_faces(faces: Mapping[str, Vector3]) -> None:
    """Reject names of no face, and velocities that do not lie in their faces.

    Raises:
        ValueError: names the face.
    """
    for face, velocity in faces.items():
        if face not in FACES:
            raise ValueError(f"surface_velocity: a box has no face {face!r} ({', '.join(FACES)})")
        axis = FACES.index(face) % 3
        if velocity[axis] != 0.0:
            wrong = f"its {'xyz'[axis]} must be 0, got {velocity[axis]:g}"
            raise ValueError(f"surface_velocity: {face} must lie in its face: {wrong}")


class MotionTable(PluginConfig):
    """Prescribed motion of a fixed object. The object moves others, and no other moves it.

    If the table is empty, the object rests until Python or a hand moves it.
    """

    waypoints: tuple[Waypoint, ...] | None = None
    """Rows ``[time, x, y, z, roll, pitch, yaw]``, [s], [m] and [rad]: pose of the object's frame in
    the world. Angles as in ``base_orientation``. The object rests before the first row."""
    file: DataFile | None = None
    """CSV file with a header, relative to the scene. Columns: ``time`` and any of ``x``, ``y``,
    ``z``, ``roll``, ``pitch``, ``yaw``; missing columns are zero."""
    function: FunctionName | None = None
    """``module:function``. ``function(time)`` returns x, y, z, roll, pitch, yaw, [m] and [rad]."""
    velocity: Vector3 = (0.0, 0.0, 0.0)
    """Constant velocity, [m/s], world axes."""
    angular_velocity: Vector3 = (0.0, 0.0, 0.0)
    """Constant angular velocity about the body's origin, [rad/s], world axes."""
    interpolation: Literal["linear", "cubic"] = "linear"
    """``linear``: the velocity is constant between two rows, and jumps at a row. ``cubic``: a
    spline with continuous velocity, at rest at its ends."""
    after: Literal["hold", "repeat"] = "hold"
    """After the last row: ``hold`` its pose, or ``repeat`` from the first row, which must have the
    same pose."""

    @property
    def has_rows(self) -> bool:
        """Whether rows give the poses."""
        return self.waypoints is not None or self.file is not None

    @model_validator(mode="after")
    def _one_way(self) -> Self:
        constant = any((*self.velocity, *self.angular_velocity))
        given = self.waypoints, self.file, self.function
        if sum((*(way is not None for way in given), constant)) > 1:
            raise ValueError("takes one of: waypoints, file, function, velocity")
        if not self.has_rows and (self.interpolation, self.after) != ("linear", "hold"):
            raise ValueError("interpolation and after have no effect without waypoints or a file")
        if self.waypoints is not None and len(self.waypoints) < 2:
            raise ValueError("waypoints needs at least two rows")
        for one, next_one in pairwise(self.waypoints or ()):
            if next_one[0] <= one[0]:
                raise ValueError(
                    f"waypoints: time must increase, {next_one[0]:g} s follows {one[0]:g} s"
                )
        return self
