"""Proximity of a ball at a hand: shapes of bodies, fixed objects and the terrain."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from footfall.api.errors import RobotError
from footfall.api.geometry import (
    Box,
    Capsule,
    Convex,
    Cylinder,
    Geometry,
    HeightField,
    Pose,
    Sphere,
    TriangleMesh,
)
from footfall.api.plugin import Floats
from footfall.api.terrain import TerrainSample
from footfall.collision.coal_pairs import coal_geometry, failed, is_unit
from footfall.collision.shape import CollisionShape
from footfall.model.collision_shapes import geometry_of
from footfall.scene.schema import TERRAIN
from footfall.stepping.time_stepping import TimeStepping

if TYPE_CHECKING:
    from footfall.simulation.simulator import Simulator


FIXED = -2
"""Link of objects that never move, and of the ground."""


@dataclass(frozen=True, slots=True)
class Met:
    """What a ball has met.

    Attributes:
        link: global link; ``FIXED``: of what never moves by what it feels.
        point: shape (3,), nearest point of its surface, in the link's frame, [m].
        direction: shape (3,), unit, world, from the ball into the link.
        gap: distance of the surfaces, negative where they penetrate, [m].
        velocity: shape (3,), of a ground that moves, world, [m/s]; links have their own.
    """

    link: int
    point: Floats
    direction: Floats
    gap: float
    velocity: Floats = field(default_factory=lambda: np.zeros(3))


MOST = 64
"""Triangles of one mesh that are looked at."""

SIGNS: Floats = np.array([[x, y, z] for x in (-1.0, 1.0) for y in (-1.0, 1.0) for z in (-1.0, 1.0)])
WORLD: Floats = np.array([*np.eye(3).ravel(), 0.0, 0.0, 0.0])
"""Where the link of fixed objects is."""
FAR = 1e6
"""Greatest distance that is looked at, [m]."""


class Touchable:
    """The shapes of all bodies and fixed objects, asked with Coal for the nearest to a ball.

    A link's collision shapes where the scene looks for contacts; else those of its model, and of
    links that have none, what is drawn of them. Meshes are their convex hulls.
    """

    def __init__(self, sim: Simulator, radius: float) -> None:
        """Take the shapes of a simulation, for a ball of that radius [m]."""
        import coal

        shapes = list(_shapes(sim))
        self._poses = sim.world.dynamics.pose
        self._links = np.array([link for link, _, _ in shapes], np.int64)
        self._still = np.flatnonzero(self._links == FIXED)
        self._rows = np.maximum(self._links, 0)
        self._at = [pose for _, pose, _ in shapes]
        bounds = [pose.apply(_corners(geometry)) for _, pose, geometry in shapes]
        self._low = np.array([points.min(axis=0) for points in bounds]).reshape(-1, 3)
        self._high = np.array([points.max(axis=0) for points in bounds]).reshape(-1, 3)
        self._radius = radius
        self._made: list[Any] = [coal_geometry(geometry) for _, _, geometry in shapes]
        self._ball, self._collide = coal.Sphere(radius), coal.collide
        self._one, self._other = coal.Transform3s(), coal.Transform3s()
        self._result = coal.CollisionResult()
        self._request = coal.CollisionRequest()
        self._request.num_max_contacts = MOST
        self._request.gjk_initial_guess = coal.GJKInitialGuess.DefaultGuess

    def nearest(
        self,
        centre: Floats,
        margin: float = 0.0,
        link: int | None = None,
    ) -> Met | None:
        """Return the nearest surface of all links, or of one.

        Args:
            centre: shape (3,), middle of the ball, world, [m].
            margin: greatest distance of the ball's surface from it, [m]; may be infinite.
            link: global link; None: any.
        """
        wanted = self._links != FIXED if link is None else self._links == link
        return self._nearest(centre, margin, wanted)

    def nearest_fixed(self, centre: Floats) -> Met | None:
        """Return the nearest surface of an object that never moves, None if the ball meets none."""
        return self._nearest(centre, 0.0, self._links == FIXED) if len(self._still) else None

    def _nearest(self, centre: Floats, margin: float, wanted: npt.NDArray[np.bool_]) -> Met | None:
        pose = self._poses[self._rows]
        pose[self._still] = WORLD
        axes = pose[:, :9].reshape(-1, 3, 3)  # rows are the links' axes
        there = (axes @ (centre - pose[:, 9:])[:, :, None])[:, :, 0]
        away = np.maximum(np.maximum(self._low - there, there - self._high), 0.0)
        near = np.flatnonzero(wanted & ((away * away).sum(axis=1) <= (self._radius + margin) ** 2))
        self._request.security_margin = min(margin, FAR)
        self._one.setTranslation(centre)
        best: Met | None = None
        for k in near.tolist():
            met = self._ask(k)
            if met is not None and (best is None or met.gap < best.gap):
                best = met
        return best

    def _ask(self, k: int) -> Met | None:
        link = int(self._links[k])
        pose = WORLD if link == FIXED else self._poses[link]
        turn, shift = pose[:9].reshape(3, 3).T, pose[9:]
        at = self._at[k]
        self._other.setRotation(turn @ at.rotation)
        self._other.setTranslation(turn @ at.translation + shift)
        self._result.clear()
        made = self._made[k]
        self._collide(self._ball, self._one, made, self._other, self._request, self._result)
        found = [one for one in self._result.getContacts() if not failed(one)]
        if not found:
            return None
        contact = min(found, key=lambda one: float(one.penetration_depth))
        direction = np.array(contact.normal)
        if not is_unit(direction):
            return None
        point = np.array(contact.getNearestPoint2())
        return Met(link, turn.T @ (point - shift), direction, float(contact.penetration_depth))


def _shapes(sim: Simulator) -> Iterator[tuple[int, Pose, Geometry]]:
    """Yield link, placement in it and geometry."""
    collider = sim.world.collider
    done: set[int] = set()
    for shape in collider.shapes if collider is not None else ():
        assert isinstance(shape, CollisionShape)
        if not shape.name.startswith(f"{TERRAIN}/"):  # see ``TouchableGround``
            done.add(shape.link)
            yield shape.link if shape.link >= 0 else FIXED, shape.pose, shape.geometry
    for layer in ("collision", "visual"):
        nodes = [node for node in sim.about.nodes if node.layer == layer]
        for node in nodes:
            if node.link not in done and node.link < sim.world.n_links:
                geometry = _drawn(node.shape, node.name)
                if geometry is not None:
                    pose = Pose(np.asarray(node.rotation), np.asarray(node.translation))
                    yield node.link, pose, geometry
        done |= {node.link for node in nodes}


def _drawn(shape: Any, name: str) -> Geometry | None:
    """Return the geometry of what is drawn; None for a mesh that cannot be read or is flat."""
    from dataclasses import replace

    solid = replace(shape, kind="mesh") if shape.kind == "hull" else shape
    with warnings.catch_warnings():  # that a mesh is its hull is said where it is documented
        warnings.simplefilter("ignore")
        try:
            return geometry_of(solid, name)
        except RobotError:
            return None


def _corners(geometry: Geometry) -> Floats:
    """Return points whose convex hull holds a geometry, shape (n, 3), [m], in its own frame."""
    match geometry:
        case Sphere(radius):
            half = np.full(3, radius)
        case Box(size):
            half = 0.5 * np.array(size)
        case Capsule(radius, length):
            half = np.array([radius, radius, radius + 0.5 * length])
        case Cylinder(radius, length):
            half = np.array([radius, radius, 0.5 * length])
        case Convex(vertices) | TriangleMesh(vertices):
            return vertices
        case HeightField():
            return geometry.mesh().vertices
        case _:
            raise TypeError(f"no bounds of {geometry}")
    corners: Floats = SIGNS * half
    return corners


class TouchableGround:
    """Asks the terrain for its distance and normal at the middle of a ball.

    The same surface that contact points feel, whatever terrain it is: a plane, steps, a height
    map, a ground that moves.
    """

    def __init__(self, sim: Simulator) -> None:
        """Take the terrain of a simulation."""
        assert isinstance(sim.stepper, TimeStepping)
        self._sim, self._terrain = sim, sim.stepper.terrain
        self._sample = TerrainSample.allocate(1)
        self._terrain.prepare(self._sample)

    def met(self, centre: Floats, radius: float) -> Met | None:
        """Return where the ground meets a ball, None if it does not.

        Args:
            centre: shape (3,), of the ball, world, [m].
            radius: of the ball, [m].
        """
        sample = self._sample
        self._terrain.sample(self._sim.time, centre[None], sample)
        gap, normal = float(sample.gap[0]), sample.normal[0].copy()
        if gap > radius:
            return None
        return Met(FIXED, centre - gap * normal, -normal, gap - radius, sample.velocity[0].copy())
