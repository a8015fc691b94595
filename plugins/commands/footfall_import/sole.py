"""Contact features of a foot, from the lowest points and spheres of its collision shapes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, Protocol

import numpy as np
from scipy.spatial import ConvexHull, QhullError

from footfall.api.engine import Pose
from footfall.api.plugin import Floats, Ints
from footfall.api.viewer import Shape
from footfall_import.meshes.checks import read_mesh

ROUND = 32
"""Number of points that approximate a circle."""


class Placed(Protocol):
    """A visual or collision shape of a link, and its pose in the link's frame."""

    @property
    def origin(self) -> Pose:
        """The shape's frame in the link's frame."""
        raise NotImplementedError

    @property
    def shape(self) -> Shape:
        """The shape, sizes in [m]."""
        raise NotImplementedError


@dataclass(frozen=True, slots=True, eq=False)
class Ball:
    """A sphere: centre, shape (3,), [m], and radius [m]."""

    center: Floats
    radius: float


@dataclass(frozen=True, slots=True, eq=False)
class Solid:
    """A convex approximation of one shape, in the frame of its link.

    Attributes:
        link: name of the URDF's link.
        kind: kind of the shape, e.g. ``mesh``.
        points: shape (n, 3), corners of its convex hull, [m]; n is 0 for spheres and capsules.
        balls: the sphere, or the two ends of a capsule.
    """

    link: str
    kind: str
    points: Floats
    balls: tuple[Ball, ...]

    def lowest(self, pose: Pose) -> float:
        """Return the height of its lowest point, [m], for the link's pose in the world."""
        heights = [float(pose.apply(b.center)[2]) - b.radius for b in self.balls]
        if len(self.points):
            heights.append(float(pose.apply(self.points)[:, 2].min()))
        return min(heights)


def solids(link: str, shapes: Iterable[Placed]) -> list[Solid]:
    """Return a solid for each shape of a link.

    Raises:
        RobotError: if a mesh cannot be read.
    """
    return [_solid(link, given.shape, given.origin) for given in shapes]


def hull_corners(points: Floats) -> Floats:
    """Return the corners of the convex hull of points (n, 3), all points if they span no volume."""
    try:
        corners: Floats = points[ConvexHull(points).vertices]
    except (QhullError, ValueError):
        return points
    return corners


def _solid(link: str, shape: Shape, origin: Pose) -> Solid:
    none = np.zeros((0, 3))
    match shape.kind:
        case "sphere":
            return Solid(link, "sphere", none, (Ball(origin.translation, shape.size[0]),))
        case "capsule":
            radius, half = shape.size[0], shape.size[1] / 2.0
            ends = (origin.apply(np.array([0.0, 0.0, z])) for z in (-half, half))
            return Solid(link, "capsule", none, tuple(Ball(end, radius) for end in ends))
        case "box":
            signs = np.array(np.meshgrid(*[[-0.5, 0.5]] * 3)).reshape(3, -1).T
            return Solid(link, "box", origin.apply(signs * np.array(shape.size)), ())
        case "cylinder":
            return Solid(link, "cylinder", origin.apply(_cylinder(*shape.size)), ())
    corners = _mesh_corners(str(shape.mesh)) * np.array(shape.size)
    return Solid(link, "mesh", origin.apply(corners), ())


def _cylinder(radius: float, length: float) -> Floats:
    angle = 2.0 * np.pi / ROUND * np.arange(ROUND)
    circle = np.column_stack([radius * np.cos(angle), radius * np.sin(angle), 0.0 * angle])
    up = np.array([0.0, 0.0, length / 2.0])
    return np.concatenate([circle - up, circle + up])


@lru_cache(maxsize=256)
def _mesh_corners(path: str) -> Floats:
    mesh = read_mesh(path)
    return hull_corners(mesh.vertices[mesh.indices].reshape(-1, 3).astype(np.float64))


FLATNESS = 0.02
"""Largest distance of a sole's corners from its plane, relative to the foot's largest extent."""
STEEPEST = np.cos(np.radians(50.0))
"""Least cosine between a sole's normal and straight down, in the reference posture."""
KEPT_AREA = 0.9
"""Fraction of a sole's area that must remain when corners are left out."""
FEWEST, MOST = 4, 8
"""Least and largest number of corners of a sole."""
ROLLS = 3
"""Iterations for the plane that touches balls of different radii."""
FLAT = 0.4
"""Least area of a flat sole, relative to the foot's projection on its plane; 0.28 for a wheel."""


@dataclass(frozen=True, slots=True, eq=False)
class Sole:
    """A contact feature of a link.

    Attributes:
        link: name of the URDF's link; all vectors are in its frame.
        kind: ``point``, ``sphere`` or ``rim``.
        points: shape (n, 3), corners, or centres of the spheres or rims, [m].
        radius: radius of the spheres or rims, [m]; zero for points.
        normal: shape (3,), unit outward normal of a flat sole; None for a round or pointed foot.
        origin: source of the feature, for comments.
        axis: shape (3,), unit axis of the rims.
    """

    link: str
    kind: Literal["point", "sphere", "rim"]
    points: Floats
    radius: float
    normal: Floats | None
    origin: str
    axis: Floats | None = None

    def lowest(self, pose: Pose) -> float:
        """Return the height of the lowest point, [m], for the link's pose in the world."""
        lowest = float(pose.apply(self.points)[:, 2].min())
        if self.axis is None:
            return lowest - self.radius
        upright = float((pose.rotation @ self.axis)[2])
        return lowest - self.radius * float(np.sqrt(max(1.0 - upright**2, 0.0)))

    def touching(self, pose: Pose) -> Floats:
        """Return the points that touch flat ground below, shape (n, 3), [m], world frame.

        Args:
            pose: pose of the link in the world.
        """
        down = np.array([0.0, 0.0, -1.0])
        if self.axis is not None:
            axis = pose.rotation @ self.axis
            down = down - axis * float(axis @ down)
            down /= max(float(np.linalg.norm(down)), 1e-9)
        points: Floats = pose.apply(self.points) + self.radius * down
        return points


def soles(lowest: Sequence[Solid], pose: Pose) -> tuple[Sole, ...]:
    """Return the contact features of a link's lowest solids.

    Args:
        lowest: solids of one URDF link that reach the ground.
        pose: pose of the link in the world, in this posture.
    """
    rounds = [solid for solid in lowest if solid.balls]
    if rounds:
        return _round(rounds, pose)
    points = np.concatenate([solid.points for solid in lowest])
    kinds = " and ".join(sorted({solid.kind for solid in lowest}))
    down = pose.rotation.T @ np.array([0.0, 0.0, -1.0])
    return (
        _flat(lowest[0].link, kinds, points, down) or _blunt(lowest[0].link, kinds, points, down),
    )


def whole(solid: Solid) -> tuple[Sole, ...]:
    """Return contact features for all sides of an object's shape."""
    origin = f"collision {solid.kind} of {solid.link}"
    if solid.balls:
        centers = np.array([ball.center for ball in solid.balls])
        return (Sole(solid.link, "sphere", centers, solid.balls[0].radius, None, origin),)
    if solid.kind == "cylinder":
        ends = solid.points.reshape(2, -1, 3)
        centers = ends.mean(axis=1)
        along = centers[1] - centers[0]
        radius = float(np.linalg.norm(ends[0, 0] - centers[0]))
        origin = f"both edges of the {origin}"
        axis = along / np.linalg.norm(along)
        return (Sole(solid.link, "rim", centers, radius, None, origin, axis),)
    return (
        Sole(solid.link, "point", _outermost(solid.points), 0.0, None, f"corners of the {origin}"),
    )


def _outermost(points: Floats) -> Floats:
    """Return the farthest points in the 26 directions to a cube's faces, edges and corners."""
    directions = np.array(np.meshgrid(*[[-1.0, 0.0, 1.0]] * 3)).reshape(3, -1).T
    directions = directions[np.abs(directions).sum(axis=1) > 0.0]
    directions /= np.linalg.norm(directions, axis=1)[:, None]
    found: Floats = points[np.unique((points @ directions.T).argmax(axis=0))]
    return found


def _round(rounds: Sequence[Solid], pose: Pose) -> tuple[Sole, ...]:
    """Return the spheres and lower ends of capsules that touch flat ground, grouped by radius.

    Balls that hang above the ground, such as the upper end of a tilted capsule, are left out.
    """
    link = rounds[0].link
    balls = [(solid.kind, ball) for solid in rounds for ball in _low_ends(solid, pose)]
    bearing, normal = _bearing([ball for _, ball in balls], pose)
    balls = [balls[k] for k in bearing]
    found = []
    for radius in dict.fromkeys(ball.radius for _, ball in balls):
        same = [(kind, ball) for kind, ball in balls if ball.radius == radius]
        kinds = " and ".join(sorted({kind for kind, _ in same}))
        centers = np.array(list(dict.fromkeys(tuple(ball.center) for _, ball in same)))
        origin = f"collision {kinds} of {link}"
        found.append(Sole(link, "sphere", centers, radius, normal, origin))
    return tuple(found)


def _bearing(balls: Sequence[Ball], pose: Pose) -> tuple[list[int], Floats | None]:
    """Return the indices of the balls that a link stands on, and the normal of the plane below.

    If their lowest points span no downward face, return all balls and None.
    """
    centers = np.array([ball.center for ball in balls])
    radii = np.array([ball.radius for ball in balls])
    normal = pose.rotation.T @ np.array([0.0, 0.0, -1.0])
    chosen = np.arange(len(balls))
    for _ in range(ROLLS):  # a ball's contact point depends on the plane's slope
        points = centers + np.outer(radii, normal)
        face = _lowest_face(points, normal, FLATNESS * float(np.ptp(points, axis=0).max()))
        below = np.zeros((0, 3)) if face is None else _plane(points[face[2]], normal)
        if face is None or not len(below):
            return list(range(len(balls))), None
        chosen, normal = face[2], below[0]
    return chosen.tolist(), normal


def _low_ends(solid: Solid, pose: Pose) -> list[Ball]:
    """Return both ends of a lying capsule, the lower end of a standing one."""
    if len(solid.balls) == 1:
        return list(solid.balls)
    low, high = sorted(solid.balls, key=lambda ball: float(pose.apply(ball.center)[2]))
    rise = pose.apply(high.center) - pose.apply(low.center)
    lies = rise[2] < 0.5 * float(np.linalg.norm(rise))
    return [low, high] if lies else [low]


def _flat(link: str, kinds: str, points: Floats, down: Floats) -> Sole | None:
    """Return the corners of the largest flat downward face, None without one."""
    try:
        corners = points[ConvexHull(points).vertices]
    except (QhullError, ValueError):
        return None
    best = _lowest_face(corners, down, FLATNESS * float(np.ptp(points, axis=0).max()))
    if best is None or best[0] < FLAT * _area(corners, best[1]):
        return None
    _, normal, touches = best
    touching = corners[touches]
    chosen = _few_corners(touching, normal)
    # Move all corners to the plane through the outermost one: a level foot touches with each.
    chosen = chosen + np.outer((touching @ normal).max() - chosen @ normal, normal)
    origin = f"{len(chosen)} corners of the flat lowest face of the collision {kinds} of {link}"
    return Sole(link, "point", chosen, 0.0, normal, origin)


def _lowest_face(
    points: Floats, down: Floats, tolerance: float
) -> tuple[float, Floats, Ints] | None:
    """Return area [m^2], normal and point indices of the largest downward face, None without one.

    Args:
        points: shape (n, 3), [m].
        down: shape (3,), unit.
        tolerance: largest distance of a face's points from its plane, [m].
    """
    try:
        normals = ConvexHull(points).equations[:, :3]
    except (QhullError, ValueError):
        normals = _plane(points, down)
    best: tuple[float, Floats, Ints] | None = None
    for rounded in np.unique(np.round(normals, 3), axis=0):
        normal = rounded / np.linalg.norm(rounded)
        if normal @ down < STEEPEST:
            continue
        height = points @ normal
        touching = np.flatnonzero(height > height.max() - tolerance)
        area = _area(points[touching], normal)
        if area > (best[0] if best else 0.0):
            best = (area, normal, touching)
    return best


def _plane(points: Floats, down: Floats) -> Floats:
    """Return the downward normal of points in a plane, shape (1, 3); (0, 3) for a line."""
    if len(points) < 3:
        return np.zeros((0, 3))
    _, extent, axes = np.linalg.svd(points - points.mean(axis=0), full_matrices=False)
    if extent[1] <= FLATNESS * extent[0]:
        return np.zeros((0, 3))
    normal: Floats = axes[2:] * (1.0 if axes[2] @ down > 0.0 else -1.0)
    return normal


def _blunt(link: str, kinds: str, points: Floats, down: Floats) -> Sole:
    """Return a sphere for a compact foot, else its lowest point."""
    center = 0.5 * (points.max(axis=0) + points.min(axis=0))
    depth = points @ down
    radius = float(depth.max() - center @ down)
    facing = points[depth > center @ down]
    off = np.abs(np.linalg.norm(facing - center, axis=1) - radius).max() if len(facing) else np.inf
    if radius > 0.0 and off < 0.5 * radius:
        origin = (
            f"sphere for the round collision {kinds} of {link}, which differs by at most "
            f"{1e3 * off:.1f} mm"
        )
        return Sole(link, "sphere", center[None, :], radius, None, origin)
    tip = points[int(depth.argmax())]
    return Sole(link, "point", tip[None, :], 0.0, None, f"lowest corner of the {kinds} of {link}")


def _basis(normal: Floats) -> Floats:
    """Return two orthonormal axes of the plane with a normal, shape (3, 2)."""
    axes: Floats = np.linalg.svd(normal[None, :])[2][1:].T
    return axes


def _area(points: Floats, normal: Floats) -> float:
    """Return the area of the hull of points projected on a plane, [m^2]."""
    try:
        return float(ConvexHull(points @ _basis(normal)).volume)
    except (QhullError, ValueError):
        return 0.0


def _few_corners(points: Floats, normal: Floats) -> Floats:
    """Return few corners of the projected outline that keep ``KEPT_AREA`` of its area."""
    flat = points @ _basis(normal)
    order = list(ConvexHull(flat).vertices)
    whole = _outline(flat[order])
    while len(order) > FEWEST:
        cut = [_outline(flat[order[:i] + order[i + 1 :]]) for i in range(len(order))]
        keeps = int(np.argmax(cut))
        if cut[keeps] < KEPT_AREA * whole and len(order) <= MOST:
            break
        del order[keeps]
    chosen: Floats = points[order]
    return chosen


def _outline(corners: Floats) -> float:
    """Return the area of a polygon with ordered corners, shape (n, 2), [m^2]."""
    x, y = corners.T
    return 0.5 * abs(float(x @ np.roll(y, -1) - y @ np.roll(x, -1)))
