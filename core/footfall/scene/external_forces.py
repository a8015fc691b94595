"""The table ``[[pushes]]`` of a scene file."""

from __future__ import annotations

from typing import Literal, Self

from pydantic import model_validator

from footfall.config.fields import DataFile, Effort, FunctionName, Name, Positive, Text, Vector3
from footfall.interfaces.plugin import PluginConfig


class PushTable(PluginConfig):
    """External force and moment on a link, or torque on a joint: constant, from a file or function.

    A step uses the mean over its duration.
    """

    body: Name | None = None
    """The body; optional if there is only one."""
    link: Text | None = None
    """Pushed link; also the name of a fixed joint."""
    joint: Text | None = None
    """Driven joint, instead of a link."""
    point: Vector3 = (0.0, 0.0, 0.0)
    """Point of action, [m], in the link's frame."""
    frame: Literal["world", "link"] = "world"
    """Axes of force and moment; ``link`` axes turn with the link."""
    force: tuple[Effort, Effort, Effort] | None = None
    """Constant force, [N]."""
    moment: tuple[Effort, Effort, Effort] | None = None
    """Constant moment about the point, [N m]."""
    effort: Effort | None = None
    """Constant torque or force on the joint, [N m or N]."""
    start: float = 0.0
    """Start, [s]; times of a file or function count from here."""
    duration: Positive | None = None
    """Duration, [s]; default: to the end of the run or file."""
    file: DataFile | None = None
    """CSV with a header: ``time`` [s] and any of ``fx``, ``fy``, ``fz`` [N], ``mx``, ``my``, ``mz``
    [N m], or ``effort``; linear between rows, zero outside. Relative to the scene."""
    function: FunctionName | None = None
    """``module:function``: ``function(time)``, called in the middle of each step, returns force and
    moment [N, N m] or an effort."""

    @model_validator(mode="after")
    def _one_way(self) -> Self:
        if (self.link is None) == (self.joint is None):
            raise ValueError("needs link or joint, and only one of them")
        wrench, own = self.force or self.moment, ("force", "moment", "point", "frame")
        if self.joint is not None:
            for key in own:
                if key in self.model_fields_set:
                    raise ValueError(f"{key} has no effect on a joint: give effort")
        elif self.effort is not None:
            raise ValueError("effort has no effect on a link: give force or moment")
        constant = wrench is not None or self.effort is not None
        ways = [constant, self.file is not None, self.function is not None]
        if sum(ways) != 1:
            one = "effort" if self.joint is not None else "force or moment"
            raise ValueError(f"needs one of: {one}, file, function")
        return self
