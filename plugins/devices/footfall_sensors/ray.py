"""Distances along rays."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Annotated, Any, NamedTuple, Self

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from footfall.api.device import Mount, Sensor, SensorBody, Signal
from footfall.api.kernels import bind, table_of
from footfall.api.plugin import Capability, Floats, PluginConfig
from footfall_sensors.kernels import ray as rays
from footfall_sensors.places import NO_ROW, frame_of
from footfall_sensors.surroundings import Seen, surroundings

Vector = Annotated[tuple[float, float, float], Field(strict=False)]
Ends = Annotated[tuple[float, float], Field(strict=False)]
Counts = Annotated[
    tuple[Annotated[int, Field(ge=1, le=4096)], Annotated[int, Field(ge=1, le=4096)]],
    Field(strict=False),
]


class _Table(BaseModel):
    model_config = ConfigDict(
        extra="forbid",
        strict=True,
        frozen=True,
        allow_inf_nan=False,
        use_attribute_docstrings=True,
    )


class ScanTable(_Table):
    """Rays from one point, equally spaced in two angles: x ahead, z up."""

    azimuth: Ends = (0.0, 0.0)
    """First and last angle about z, from x to y, [rad]."""
    elevation: Ends = (0.0, 0.0)
    """First and last angle above the x-y plane, [rad]."""
    count: Counts
    """Number of azimuths and of elevations."""


class GridTable(_Table):
    """Rays along -z of the frame, side by side."""

    x: Ends
    """First and last origin along x, [m]."""
    y: Ends
    """First and last origin along y, [m]."""
    count: Counts
    """Number along x and y."""


class RayConfig(PluginConfig):
    """Settings of the rays: ``directions``, a ``scan`` or a ``grid``."""

    frame: str
    """Link or fixed joint that carries the rays."""
    directions: tuple[Vector, ...] = ()
    """Directions in the frame. Their lengths have no effect, [-]."""
    origins: Annotated[tuple[Vector, ...], Field(min_length=1)] = ((0.0, 0.0, 0.0),)
    """Origins in the frame, [m]: one for all or one per direction."""
    scan: ScanTable | None = None
    """Rays from one point at equally spaced angles, as of a depth camera."""
    grid: GridTable | None = None
    """Parallel rays along -z of the frame, as for a height map."""
    range: float = Field(default=10.0, gt=0.0)
    """Largest distance, [m]. A ray that hits nothing measures this value."""
    own_body: bool = False
    """Whether rays can hit the body that carries them."""

    @field_validator("directions")
    @classmethod
    def _not_zero(cls, directions: tuple[Vector, ...]) -> tuple[Vector, ...]:
        for k, direction in enumerate(directions):
            if np.linalg.norm(direction) < 1e-9:
                raise ValueError(f"number {k} must not be the zero vector")
        return directions

    @model_validator(mode="after")
    def _one_of(self) -> Self:
        given = [key for key in ("directions", "scan", "grid") if getattr(self, key)]
        if len(given) != 1:
            got = " and ".join(given) or "none"
            raise ValueError(f"give exactly one of directions, scan and grid, got {got}")
        if len(self.origins) not in (1, len(self.directions) or 1):
            raise ValueError(f"origins must be 1 or {len(self.directions)}, one per direction")
        return self


class RayReading(NamedTuple):
    """Reading of a range finder.

    Attributes:
        distance: distance along each ray, [m]; shape (n,), for a scan (elevations, azimuths), for
            a grid (x, y).
    """

    distance: Floats


class Ray(Sensor):
    """Distances along rays of a frame to the first shape of another body or of the ground.

    Poses are those at the start of the step. A ray that starts inside a shape measures 0.
    """

    name = "ray"
    Config = RayConfig

    def __init__(self, config: RayConfig) -> None:
        self.config = config

    @cached_property
    def rays(self) -> Floats:
        """Origin and unit direction of each ray in the frame, shape (n, 6)."""
        return rays_of(self.config)

    def signals(self, body: SensorBody) -> tuple[Signal, ...]:
        """Return the distances."""
        place, reach = frame_of(body, self.config.frame), self.config.range
        origin, direction = (part @ place.rotation.T for part in np.hsplit(self.rays, 2))
        drawn = np.hstack([origin + place.translation, direction])
        link = f"{body.name}/{body.model.link_names[place.link]}"
        names = tuple(str(k) for k in range(len(self.rays)))
        told = f"distance along rays of {self.config.frame}"
        return (Signal("distance", names, "m", told, rays=(link, drawn, reach)),)

    def bound(self, mount: Mount) -> Callable[[Floats], None]:
        """Return the measurement.

        Raises:
            PluginError: if ``own_body`` is set and the scene has no shapes.
        """
        frame = frame_of(mount.body, self.config.frame)
        arrays = rays.RayArrays(
            place=np.array([mount.first_link + frame.link], np.int64),
            frame=np.append(frame.rotation.T.ravel(), frame.translation).astype(float),
            ray=self.rays,
            range=np.array([self.config.range, np.linalg.norm(self.rays[:, :3], axis=1).max()]),
            **_packed(surroundings(mount, self.config.own_body)),
            ground=np.append(np.eye(3).ravel(), np.zeros(3)),
            eye=np.zeros(24),
            at=np.zeros(12),
            wait=np.zeros(rays.DEEPEST, np.int64),
            entry=np.zeros(rays.DEEPEST),
            out=mount.out,
        )
        call = bind(rays.cast, mount.table, table_of(arrays), like=(NO_ROW,))
        if Capability.MOVING_GROUND not in mount.terrain.capabilities:
            return call
        return _carried(call, mount, arrays.ground)

    def reading(self, body: SensorBody, values: Floats) -> RayReading:
        """Return a view of the distances."""
        table = self.config.scan or self.config.grid
        if table is None:
            return RayReading(values)
        across, along = table.count
        return RayReading(values.reshape((along, across) if self.config.scan else table.count))


def rays_of(config: RayConfig) -> Floats:
    """Return origin and unit direction of each ray, shape (n, 6), in the order of the reading."""
    origins = np.array(config.origins, float)
    if config.scan is not None:
        azimuth, elevation = _steps(config.scan.azimuth, config.scan.elevation, config.scan.count)
        e, a = (angle.ravel() for angle in np.meshgrid(elevation, azimuth, indexing="ij"))
        directions = np.column_stack([np.cos(e) * np.cos(a), np.cos(e) * np.sin(a), np.sin(e)])
    elif config.grid is not None:
        xs, ys = _steps(config.grid.x, config.grid.y, config.grid.count)
        x, y = (part.ravel() for part in np.meshgrid(xs, ys, indexing="ij"))
        origins = origins + np.column_stack([x, y, np.zeros_like(x)])
        directions = np.broadcast_to(np.array([0.0, 0.0, -1.0]), origins.shape)
    else:
        directions = np.array(config.directions, float)
        directions = directions / np.linalg.norm(directions, axis=1, keepdims=True)
    return np.hstack([np.broadcast_to(origins, directions.shape), directions])


def _steps(first: Ends, second: Ends, count: tuple[int, int]) -> tuple[Floats, Floats]:
    one, two = (
        np.linspace(*ends, n) if n > 1 else np.array([0.5 * sum(ends)])
        for ends, n in zip((first, second), count, strict=True)
    )
    return one, two


def _packed(seen: Sequence[Seen]) -> dict[str, Any]:
    """Return the arrays of shapes, see ``RayArrays``."""
    n = len(seen)
    starts = {
        f"{name}_start": np.cumsum([0, *(len(getattr(s, name)) for s in seen)]).astype(np.int64)
        for name in ("node", "triangle", "line", "height", "block")
    }
    return {
        "kind": np.array([s.kind for s in seen], np.int64),
        "link": np.array([s.link for s in seen], np.int64),
        "local": np.array([s.local for s in seen], float).reshape(n, 12),
        "size": np.array([s.size for s in seen], float).reshape(n, 3),
        "ball": np.array([s.ball for s in seen], float).reshape(n, 4),
        "node": np.concatenate([np.zeros((0, 6)), *(s.node for s in seen)]),
        "triangle": np.concatenate([np.zeros((0, 9)), *(s.triangle for s in seen)]),
        "lines": np.array([s.lines for s in seen], np.int64).reshape(n, 2),
        "line": np.concatenate([np.zeros(0), *(s.line for s in seen)]),
        "height": np.concatenate([np.zeros(0), *(s.height for s in seen)]),
        "block": np.concatenate([np.zeros((0, 2)), *(s.block for s in seen)]),
        **starts,
    }


def _carried(
    call: Callable[[Floats], None], mount: Mount, ground: Floats
) -> Callable[[Floats], None]:
    """Return a measurement that first updates the pose of a moving ground."""
    from scipy.spatial.transform import Rotation

    pose, time = np.zeros(7), mount.columns["time"]

    def measure(row: Floats) -> None:
        mount.terrain.pose(float(row[time]), pose)
        ground[:9] = Rotation.from_quat(pose[3:]).as_matrix().T.ravel()
        ground[9:] = pose[:3]
        call(row)

    return measure
