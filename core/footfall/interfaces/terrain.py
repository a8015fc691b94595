"""The terrain role: distance, normal, friction and restitution of the ground at points."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from footfall.interfaces.plugin import Plugin
from footfall.interfaces.visualizer import Ground, GroundSurface
from footfall.typing import Floats, Ints

if TYPE_CHECKING:
    from footfall.geometry.shapes import Geometry
    from footfall.spatial.pose import Pose


@dataclass(frozen=True, slots=True)
class TerrainSample:
    """What the ground is at n query points; a terrain overwrites what varies with the point.

    Attributes:
        gap: shape (n,), signed distance, positive above the ground, [m].
        normal: shape (n, 3), unit, out of the ground, world frame.
        velocity: shape (n, 3), velocity of the ground's surface, world frame, [m/s].
        friction: shape (n,), coefficient of the ground's side; NaN: none given.
        restitution: shape (n,), coefficient of the ground's side; NaN: none given.
    """

    gap: Floats
    normal: Floats
    velocity: Floats
    friction: Floats
    restitution: Floats

    @classmethod
    def allocate(cls, n: int) -> TerrainSample:
        """Make a sample for n points of a level, still ground without coefficients."""
        normal = np.zeros((n, 3))
        normal[:, 2] = 1.0
        nan = np.nan
        return cls(np.zeros(n), normal, np.zeros((n, 3)), np.full(n, nan), np.full(n, nan))


@dataclass(frozen=True, slots=True, eq=False)
class TerrainSolid:
    """A part of the ground as a shape that the shapes of bodies touch.

    Attributes:
        geometry: what it is; half-spaces are allowed.
        pose: of its frame in the world.
        friction: coefficient of its side, [-]; None: none given.
        restitution: coefficient of its side, [-]; None: none given.
    """

    geometry: Geometry
    pose: Pose
    friction: float | None = None
    restitution: float | None = None


class Terrain(Plugin):
    """The ground: fixed, or moved as prescribed. A pure function of time and place.

    A terrain declares ``TILTED_TERRAIN`` if its normal need not be vertical, ``MOVING_GROUND`` if
    it moves, ``CURVED_TERRAIN`` if its normal varies from place to place; scenes are refused whose
    laws cannot meet it. The gap is the signed distance to the surface and the normal its gradient,
    at least near the surface; both are of one instant, and the velocity is that of the ground's
    material there.
    """

    kinds: ClassVar[frozenset[str]] = frozenset({"point", "sphere", "rim"})
    """Kinds of contact features that the ground can meet; a rim takes it as a plane that is
    tangent below the rim's centre."""

    @abstractmethod
    def prepare(self, sample: TerrainSample) -> None:
        """Fill once what does not vary from step to step (e.g. a plane's normals)."""

    @abstractmethod
    def sample(self, time: float, points: Floats, sample: TerrainSample) -> None:
        """Overwrite what varies, for query points of shape (n, 3), world frame, [m]."""

    def bound(self, points: Floats, sample: TerrainSample) -> Callable[[float], object]:
        """Return a call ``f(time)`` that does what ``sample`` does, for arrays that never move.

        A ground that is one kernel may override it: what ``footfall.api.kernels.bind`` returns is
        called by the compiled step itself, without Python in between.
        """
        return lambda time: self.sample(time, points, sample)

    def bound_over_step(
        self, points: Floats, link: Ints, sample: TerrainSample
    ) -> Callable[[float, float], object] | None:
        """Return a kernel ``f(time, dt)`` that asks a ground that moves for a step, or None.

        By default the core asks ``sample`` in Python: gaps, normals and coefficients are those of
        the step's start, velocities those of its middle, and of where the ground has carried the
        middle of a link's points by then. So a kernel does, where there is one, with the same bits:
        with the sums, over each link's points in their order, of the velocities at the start.

        Args:
            points: shape (n, 3), query points.
            link: shape (n,), the link that each is of.
            sample: what is overwritten; if dt = 0, all of it is that of the start.
        """
        return None

    @abstractmethod
    def grounds(self) -> tuple[Ground | GroundSurface, ...]:
        """Planes and surfaces to draw, in the ground's own frame (see ``pose``)."""

    def solids(self) -> tuple[TerrainSolid, ...]:
        """Return the ground as shapes, for bodies that touch it with theirs; none if it has none.

        For a ground that stands still and whose coefficients do not differ from place to place in
        one shape. What its surface and that of ``sample`` differ by belongs into its documentation.
        """
        return ()

    def pose(self, time: float, out: Floats) -> None:
        """Write where the ground's own frame is, shape (7,): position [m], quaternion x, y, z, w.

        The world's frame, unless a ground moves. For drawing; physics is in ``sample``.
        """
        out[:] = 0.0
        out[6] = 1.0

    @property
    def greatest_restitution(self) -> float:
        """The largest coefficient of restitution that the ground gives anywhere, [-]."""
        return 0.0
