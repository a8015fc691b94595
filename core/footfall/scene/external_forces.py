"""The table ``[[pushes]]`` of a scene file."""

from __future__ import annotations

from typing import Literal, Self

from pydantic import model_validator

from footfall.config.fields import DataFile, Effort, FunctionName, Name, Positive, Text, Vector3
from footfall.interfaces.plugin import PluginConfig


class PushTable(PluginConfig):
    """External force and moment on a link, or torque on a joint: constant, from a file or function.

    Each step applies the mean of the push over this step (``function``: the value at its middle).
    """

    body: Name | None = None
    """The body; optional if there is only one."""
    link: Text | None = None
    """Pushed link, or a fixed joint (a frame on a link)."""
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
    """CSV file with a header, relative to the scene. Columns: ``time`` [s] and any of ``fx``,
    ``fy``, ``fz`` [N], ``mx``, ``my``, ``mz`` [N m], or ``effort``. Linear between rows, zero
    before and after them."""
    function: FunctionName | None = None
    """``module:function``. ``function(time)`` returns force and moment [N, N m], or an effort."""

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
