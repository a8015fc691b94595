"""The terrain role: distance, normal, friction and restitution of the ground at points."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from footfall.geometry.shapes import Geometry
from footfall.interfaces.plugin import Plugin
from footfall.interfaces.visualizer import Ground, GroundSurface
from footfall.jit.tables import read_only
from footfall.spatial.pose import Pose
from footfall.typing import Floats, Ints


@dataclass(frozen=True, slots=True)
class TerrainSample:
    """The ground at n query points; a terrain overwrites the values that vary with the point.

    Attributes:
        gap: shape (n,), signed distance, positive above the ground, [m].
        normal: shape (n, 3), unit, out of the ground, world frame.
        velocity: shape (n, 3), velocity of the ground's surface, world frame, [m/s].
        friction: shape (n,), coefficient of the ground's side; NaN if not given.
        restitution: shape (n,), coefficient of the ground's side; NaN if not given.
    """

    gap: Floats
    normal: Floats
    velocity: Floats
    friction: Floats
    restitution: Floats

    @classmethod
    def allocate(cls, n: int) -> TerrainSample:
        """Return a sample for n points of a level, fixed ground without coefficients."""
        normal = np.zeros((n, 3))
        normal[:, 2] = 1.0
        nan = np.nan
        return cls(np.zeros(n), normal, np.zeros((n, 3)), np.full(n, nan), np.full(n, nan))


@dataclass(frozen=True, slots=True, eq=False)
class TerrainSolid:
    """A part of the ground as a shape that the shapes of bodies touch.

    Attributes:
        geometry: its shape; half-spaces are allowed.
        pose: pose of its frame in the world.
        friction: coefficient of its side, [-]; None if not given.
        restitution: coefficient of its side, [-]; None if not given.
    """

    geometry: Geometry
    pose: Pose
    friction: float | None = None
    restitution: float | None = None


class Terrain(Plugin):
    """The ground: fixed, or with a prescribed motion; a pure function of time and place.

    A terrain declares these capabilities; a scene is rejected if its law does not support them:

    * ``TILTED_TERRAIN`` if its normal may differ from the vertical,
    * ``MOVING_GROUND`` if it moves,
    * ``CURVED_TERRAIN`` if its normal varies from place to place.

    The gap is the signed distance to the surface and the normal its gradient, at least near the
    surface, both at one instant. The velocity is that of the ground's material at the point.
    """

    kinds: ClassVar[frozenset[str]] = frozenset({"point", "sphere", "rim"})
    """Kinds of contact features that the ground supports; for a rim, the ground is the tangent
    plane below the rim's centre."""

    @abstractmethod
    def prepare(self, sample: TerrainSample) -> None:
        """Fill once the values that do not vary from step to step (e.g. a plane's normals)."""

    @abstractmethod
    def sample(self, time: float, points: Floats, sample: TerrainSample) -> None:
        """Overwrite the values that vary, for query points of shape (n, 3), world frame, [m]."""

    def bound(self, points: Floats, sample: TerrainSample) -> Callable[[float], object]:
        """Return a function ``f(time)`` that does the same as ``sample``, for fixed arrays.

        A ground that is one kernel may override it: the compiled step itself calls the result of
        ``footfall.api.kernels.bind``, without Python in between.
        """
        shown = read_only(points)
        return lambda time: self.sample(time, shown, sample)

    def bound_over_step(
        self, points: Floats, link: Ints, sample: TerrainSample
    ) -> Callable[[float, float], object] | None:
        """Return a kernel ``f(time, dt)`` that samples a moving ground for a step, or None.

        Without it core calls ``sample`` in Python. Gaps, normals and coefficients are those at the
        step's start. Velocities are those at its middle, at the place to which the ground has
        carried the mean of a link's points by then. A kernel must give the same bits: sum the
        velocities at the start over each link's points in their order.

        Args:
            points: shape (n, 3), query points.
            link: shape (n,), the link of each point.
            sample: is overwritten; if dt = 0, with the values at the start.
        """
        return None

    @abstractmethod
    def grounds(self) -> tuple[Ground | GroundSurface, ...]:
        """Return planes and surfaces to draw, in the ground's own frame (see ``pose``)."""

    def solids(self) -> tuple[TerrainSolid, ...]:
        """Return the ground as shapes, for bodies that touch it with theirs; default: none.

        The ground must not move, and its coefficients must be uniform within one shape. Document
        the difference between these surfaces and that of ``sample``.
        """
        return ()

    def pose(self, time: float, out: Floats) -> None:
        """Write the pose of the ground's own frame, shape (7,): position [m], quaternion x y z w.

        It is the world's frame unless the ground moves. Used for drawing; physics is in ``sample``.
        """
        out[:] = 0.0
        out[6] = 1.0

    @property
    def greatest_restitution(self) -> float:
        """The largest coefficient of restitution anywhere on the ground, [-]."""
        return 0.0
