"""The table ``[[pushes]]`` of a scene file."""

from __future__ import annotations

from typing import Literal, Self

from pydantic import model_validator

from footfall.config.fields import DataFile, Effort, FunctionName, Name, Positive, Text, Vector3
from footfall.interfaces.plugin import PluginConfig


class PushTable(PluginConfig):
    """An external wrench on a link, or an effort on a joint, over time.

    What acts is constant, from a file or from a function; forces are held over a step, at their
    mean over it.
    """

    body: Name | None = None
    """Which body; may be left out if there is one."""
    link: Text | None = None
    """Link or fixed joint that is pushed."""
    joint: Text | None = None
    """Instead of a link: the joint that is driven from outside."""
    point: Vector3 = (0.0, 0.0, 0.0)
    """Where the force acts, [m], in the link's frame; it moves with the link."""
    frame: Literal["world", "link"] = "world"
    """Along whose axes force and moment are given; those of the link turn with it."""
    force: tuple[Effort, Effort, Effort] | None = None
    """Constant force, [N]."""
    moment: tuple[Effort, Effort, Effort] | None = None
    """Constant moment about the point, [N m]."""
    effort: Effort | None = None
    """Constant torque or force on the joint, [N m or N]."""
    start: float = 0.0
    """When it begins, [s]; the times of a file or a function count from here."""
    duration: Positive | None = None
    """How long it lasts, [s]; left out: to the end, or as long as the file."""
    file: DataFile | None = None
    """CSV with a line of names: ``time`` [s] and any of ``fx``, ``fy``, ``fz`` [N] and ``mx``,
    ``my``, ``mz`` [N m], or ``effort``; straight lines between its rows, nothing outside of them.
    Relative to the scene."""
    function: FunctionName | None = None
    """``module:function``, called as ``function(time)`` in the middle of each step; returns force
    and moment, six numbers [N, N m], or an effort."""

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
