"""A hand that follows a script."""

from __future__ import annotations

from typing import Annotated, Literal, Self

import numpy as np
from pydantic import Field, model_validator
from scipy.interpolate import PchipInterpolator
from scipy.spatial.transform import Rotation, Slerp

from footfall.api.advanced import HandMode
from footfall.api.plugin import DataFile, Floats, PluginConfig, Text, Vector3
from footfall.api.viewer import InputDevice, Reading
from footfall_hands.devices.script import Script, read_script

EARLY = 1e-9
"""Time by which a waypoint may be early, [s]: step times have rounding errors."""


class Waypoint(PluginConfig):
    """Pose of a hand at one time."""

    time: float
    """Simulated time, [s]."""
    position: Vector3
    """Position of the hand, world, [m]."""
    orientation: Vector3 | None = None
    """Roll, pitch, yaw of the hand, [rad], about the world's axes in this order."""
    force: Vector3 | None = None
    """Force of the hand on the body in mode ``touch``, world axes, [N]."""
    holds: bool = True
    """Whether the hand is closed until the next waypoint."""
    link: Text | None = None
    """Link that the hand grips here; default: ``link`` of the device."""


class ScriptedConfig(PluginConfig):
    """Settings of a scripted hand."""

    waypoints: Annotated[tuple[Waypoint, ...], Field(min_length=2)] | None = None
    """Points that the hand passes, [s, m]. Or give ``file``."""
    file: DataFile | None = None
    """File of waypoints, relative to the scene. A CSV has a header and the columns ``time`` [s],
    ``x``, ``y``, ``z`` [m] and any of ``roll``, ``pitch``, ``yaw`` [rad], ``fx``, ``fy``, ``fz``
    [N], ``holds`` (0 or 1). An ``.npz`` has arrays named like the keys of ``waypoints``, without
    ``link``."""
    link: Text | None = None
    """Link that the hand grips, ``link`` or ``body/link``; default: the nearest."""
    point: Vector3 | None = None
    """Point of this link, in the link's frame, [m]; default: the nearest."""
    mode: HandMode | None = None
    """Replaces the mode of the hand."""
    interpolation: Literal["linear", "cubic"] = "linear"
    """Between waypoints: ``linear`` is a straight line, ``cubic`` has a continuous velocity."""

    @model_validator(mode="after")
    def _one_way(self) -> Self:
        if (self.waypoints is None) == (self.file is None):
            raise ValueError("needs one of: waypoints, file")
        if self.point is not None and self.link is None:
            raise ValueError("point has no effect without link")
        return self


class Scripted(InputDevice):
    """A hand that follows a given motion, for tests and repeatable scenes.

    The hand does nothing before the first waypoint. After the last, it keeps its last state.
    """

    name = "scripted"
    Config = ScriptedConfig
    live = False

    def __init__(self, config: ScriptedConfig) -> None:
        """Read the script.

        Raises:
            SettingError: if its file is not a script, or times do not increase.
        """
        self.config = config
        self._script = script = _script_of(config)
        self._curve = _curve(script.time, script.position, config.interpolation)
        self._speed = None if self._curve is None else self._curve.derivative()
        self._slerp: Slerp | None = None
        if script.orientation is not None:
            self._slerp = Slerp(script.time, Rotation.from_euler("xyz", script.orientation))
        self._point = None if config.point is None else np.array(config.point)

    @property
    def links(self) -> tuple[str, ...]:
        """Links named in the script."""
        named = dict.fromkeys([self.config.link, *self._script.links])
        return tuple(name for name in named if name is not None)

    def read(self, time: float) -> Reading | None:
        """Return the reading of the hand at a time [s]."""
        script = self._script
        k = int(np.searchsorted(script.time, time + EARLY, side="right")) - 1
        if k < 0:
            return None
        at = min(max(time, float(script.time[0])), float(script.time[-1]))
        k = min(k, len(script.time) - 1)
        position, velocity = self._place(at, k)
        link = script.links[k] or self.config.link
        return Reading(
            holds=bool(script.holds[k]),
            position=position,
            rotation=None if self._slerp is None else self._slerp(at).as_matrix(),
            velocity=velocity if at < script.time[-1] else np.zeros(3),
            force=None if script.force is None else self._between(script.force, at, k),
            link=link,
            point=self._point if link is not None else None,
            mode=self.config.mode,
        )

    def _place(self, at: float, k: int) -> tuple[Floats, Floats]:
        """Return position and velocity."""
        if self._curve is not None and self._speed is not None:
            return np.asarray(self._curve(at)), np.asarray(self._speed(at))
        script = self._script
        k = min(k, len(script.time) - 2)
        way = script.position[k + 1] - script.position[k]
        slope = way / (script.time[k + 1] - script.time[k])
        return self._between(script.position, at, k), slope

    def _between(self, rows: Floats, at: float, k: int) -> Floats:
        """Return a row interpolated linearly between two waypoints."""
        time, k = self._script.time, min(k, len(self._script.time) - 2)
        part = (at - time[k]) / (time[k + 1] - time[k])
        found: Floats = (1.0 - part) * rows[k] + part * rows[k + 1]
        return found


def _curve(time: Floats, position: Floats, kind: str) -> PchipInterpolator | None:
    return PchipInterpolator(time, position, axis=0) if kind == "cubic" else None


def _script_of(config: ScriptedConfig) -> Script:
    if config.file is not None:
        return read_script(config.file)
    assert config.waypoints is not None
    points = config.waypoints
    return Script.of(
        {
            "time": [p.time for p in points],
            "position": [p.position for p in points],
            "orientation": [p.orientation for p in points],
            "force": [p.force for p in points],
            "holds": [float(p.holds) for p in points],
        },
        "waypoints",
        tuple(p.link for p in points),
    )
