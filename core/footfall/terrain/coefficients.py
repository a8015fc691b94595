"""Coefficients of the ground: default values, and patches, which are also drawn."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Annotated, Self

import numpy as np
from pydantic import Field, model_validator

from footfall.config.fields import NonNegative, UnitInterval
from footfall.interfaces.plugin import PluginConfig, Tunable
from footfall.interfaces.terrain import TerrainSample
from footfall.interfaces.visualizer import GroundSurface
from footfall.terrain.pair_coefficients import patch_coefficients
from footfall.typing import Floats

Interval = tuple[float, float]
Color = tuple[float, float, float]
_SLIPPERY, _ROUGH, _PLAIN = (0.62, 0.80, 0.95), (0.84, 0.74, 0.62), (0.80, 0.86, 0.80)


class Patch(PluginConfig):
    """A rectangle of the ground, seen from above, with coefficients of its own."""

    x: Interval | None = Field(default=None, strict=False)
    """Range along the ground's x: from, to [m]; default: no bounds."""
    y: Interval | None = Field(default=None, strict=False)
    """Range along the ground's y: from, to [m]; default: no bounds."""
    friction: NonNegative | None = None
    """Coefficient of friction, [-]; default: as around the patch."""
    restitution: UnitInterval | None = None
    """Coefficient of restitution, [-]; default: as around the patch."""

    @model_validator(mode="after")
    def _is_somewhere(self) -> Self:
        for axis, interval in (("x", self.x), ("y", self.y)):
            if interval is not None and not interval[0] < interval[1]:
                raise ValueError(f"{axis} must go from a smaller to a larger number")
        if self.friction is None and self.restitution is None:
            raise ValueError("needs friction or restitution")
        return self

    @property
    def color(self) -> Color:
        """Red, green and blue by friction, from the color of ice to that of sandpaper, [-]."""
        if self.friction is None:
            return _PLAIN
        rough = min(self.friction, 1.0)
        red, green, blue = (
            (1.0 - rough) * a + rough * b for a, b in zip(_SLIPPERY, _ROUGH, strict=True)
        )
        return red, green, blue


class CoefficientsConfig(PluginConfig):
    """Coefficients of the ground: default values, and patches."""

    friction: Annotated[NonNegative | None, Tunable(0.0, 2.0)] = None
    """Coefficient of friction, [-]. Without it, only the body's counts."""
    restitution: UnitInterval | None = None
    """Coefficient of restitution, [-]. Without it, only the body's counts."""
    torsional_friction: NonNegative | None = None
    """Largest torsional moment / normal force, [m]. Rejected on moving ground."""
    rolling_friction: NonNegative | None = None
    """Largest rolling moment / normal force, [m]. Rejected on moving ground."""
    patches: Annotated[tuple[Patch, ...], Field(strict=False)] = ()
    """Rectangles with their own coefficients. They move with the ground. Where they overlap, the
    last one counts."""


class Coefficients:
    """Writes the coefficients of a terrain's settings into its samples.

    Attributes:
        patchy: whether they depend on the position.
        bounds: shape (patches, 4), x from, x to, y from, y to, [m]; infinite where not bounded.
    """

    def __init__(self, config: CoefficientsConfig) -> None:
        self._config, self.patchy = config, bool(config.patches)
        everywhere = (-math.inf, math.inf)
        self.bounds: Floats = np.array(
            [(*(p.x or everywhere), *(p.y or everywhere)) for p in config.patches], float
        ).reshape(-1, 4)
        self._values: Floats = np.array(
            [(p.friction, p.restitution) for p in config.patches], float
        ).reshape(-1, 2)

    def prepare(self, sample: TerrainSample) -> None:
        """Write the values outside of all patches."""
        for name in ("friction", "restitution"):
            value = getattr(self._config, name)
            getattr(sample, name)[:] = np.nan if value is None else value

    def sample(self, points: Floats, sample: TerrainSample) -> None:
        """Overwrite the coefficients; gaps and normals are taken from the sample.

        Args:
            points: shape (n, 3), query points in the frame of the patches, [m]; the sample's
                normals are in the same frame.
            sample: its coefficients are overwritten.
        """
        if self.patchy:
            self.prepare(sample)
            self.overlay(points, sample.gap, sample.normal, sample)

    def overlay(self, points: Floats, gap: Floats, normal: Floats, sample: TerrainSample) -> None:
        """Overwrite the coefficients of points in patches only."""
        patch_coefficients(
            points, gap, normal, self.bounds, self._values, sample.friction, sample.restitution
        )

    @property
    def greatest_restitution(self) -> float:
        """Largest coefficient of restitution anywhere, [-]."""
        given = [self._config.restitution, *(p.restitution for p in self._config.patches)]
        return max((e for e in given if e is not None), default=0.0)


FAR = 50.0
"""Drawn extent of a patch without bounds, [m]."""


def corners(patch: Patch) -> Floats:
    """Return the corners of a patch seen from above, counter-clockwise, shape (4, 2), [m]."""
    (x0, x1), (y0, y1) = (side or (-FAR, FAR) for side in (patch.x, patch.y))
    return np.array([(x0, y0), (x1, y0), (x1, y1), (x0, y1)])


def plane_patches(
    patches: Iterable[Patch], normal: Floats, offset: float
) -> tuple[GroundSurface, ...]:
    """Return the patches of a plane; those of a vertical plane cannot be drawn and are left out."""
    if abs(normal[2]) < 1e-6:
        return ()
    found = []
    for patch in patches:
        xy = corners(patch)
        z = (offset - xy @ normal[:2]) / normal[2]
        faces = np.array([(0, 1, 2), (0, 2, 3)])[:, :: 1 if normal[2] > 0.0 else -1]
        lines = np.array([(0, 1), (1, 2), (2, 3), (3, 0)])
        found.append(GroundSurface(np.column_stack([xy, z]), faces, lines, patch.color))
    return tuple(found)
