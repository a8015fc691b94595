"""The tables of the terrain ``steps``: boxes and flights of stairs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from footfall.api.plugin import Floats, NonNegative, PluginConfig
from footfall.api.world import CoefficientsConfig

Length = Annotated[float, Field(gt=0.0)]
Vector = Annotated[tuple[float, float, float], Field(strict=False)]
_DIRECTIONS = {"+x": (0, 1.0), "-x": (0, -1.0), "+y": (1, 1.0), "-y": (1, -1.0)}


class BoxTable(PluginConfig):
    """One box."""

    position: Vector
    """Centre of the box's bottom, [m]."""
    size: Annotated[tuple[Length, Length, Length], Field(strict=False)]
    """Lengths along x, y and z, [m]."""
    friction: NonNegative | None = None
    """Coefficient of friction, [-]; default: the terrain's."""
    restitution: Annotated[float, Field(ge=0.0, le=1.0)] | None = None
    """Coefficient of restitution, [-]; default: the terrain's."""

    def boxes(self) -> Iterator[Floats]:
        """Yield lower and upper corner, (6,), [m]."""
        (x, y, z), (lx, ly, lz) = self.position, self.size
        yield np.array([x - 0.5 * lx, y - 0.5 * ly, z, x + 0.5 * lx, y + 0.5 * ly, z + lz])


class StairsTable(PluginConfig):
    """A flight of stairs: solid, the highest step last."""

    position: Vector = (0.0, 0.0, 0.0)
    """Middle of the lower edge of the first step, [m]."""
    direction: Literal["+x", "-x", "+y", "-y"] = "+x"
    """Direction upstairs."""
    count: Annotated[int, Field(ge=1, le=200)]
    """Number of steps."""
    rise: Length
    """Height of a step, [m]."""
    run: Length
    """Depth of a tread, [m]."""
    width: Length
    """Width of the stairs, [m]."""
    landing: Length | None = None
    """Depth of the last tread, [m]; default: ``run``."""
    friction: NonNegative | None = None
    """Coefficient of friction, [-]; default: the terrain's."""
    restitution: Annotated[float, Field(ge=0.0, le=1.0)] | None = None
    """Coefficient of restitution, [-]; default: the terrain's."""

    def boxes(self) -> Iterator[Floats]:
        """Yield lower and upper corner of each step, (6,), [m]: upright blocks side by side."""
        along, sign = _DIRECTIONS[self.direction]
        across = 1 - along
        for k in range(self.count):
            depth = self.run if k < self.count - 1 or self.landing is None else self.landing
            start = self.position[along] + sign * k * self.run
            box = np.empty(6)
            box[along], box[along + 3] = sorted((start, start + sign * depth))
            box[across] = self.position[across] - 0.5 * self.width
            box[across + 3] = self.position[across] + 0.5 * self.width
            box[2], box[5] = self.position[2], self.position[2] + (k + 1) * self.rise
            yield box


class StepsConfig(CoefficientsConfig):
    """Boxes and stairs on a level floor, all with their sides along the same two axes."""

    floor: float = 0.0
    """Height of the floor, [m]."""
    yaw: float = 0.0
    """Rotation of the whole ground, patches included, about the world's z, [rad]."""
    boxes: Annotated[tuple[BoxTable, ...], Field(strict=False)] = ()
    """Boxes. They may overlap and float."""
    stairs: Annotated[tuple[StairsTable, ...], Field(strict=False)] = ()
    """Flights of stairs."""
