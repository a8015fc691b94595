"""Shapes on links of their own, and what Coal says of two of them."""

import coal
import numpy as np
from scipy.spatial.transform import Rotation

from footfall.geometry.convex_hull import convex_hull
from footfall.geometry.shapes import HalfSpace
from footfall.spatial.pose import Pose
from footfall_stepper.collision.coal_pairs import coal_geometry
from footfall_stepper.collision.detector import Detector
from footfall_stepper.collision.shape import FIXED, CollisionShape

FEATURE = (1 << 21) - 1


def pose(position, rotation=None):
    """Return a link's placement as the world keeps it, (12,)."""
    matrix = np.eye(3) if rotation is None else rotation.as_matrix()
    return np.append(matrix.T.ravel(), position)


def yaw(angle):
    return Rotation.from_euler("z", angle)


def turned(*angles):
    return Rotation.from_euler("xyz", angles)


def shapes(*geometries):
    """Return the shapes, each on a link of its own and a body of its own; half-spaces fixed."""
    placed, link = [], 0
    for number, geometry in enumerate(geometries):
        fixed = isinstance(geometry, HalfSpace)
        name = f"body{number}/link/shape"
        placed.append(
            CollisionShape(geometry, Pose.identity(), FIXED if fixed else link, number, name)
        )
        link += not fixed
    return placed


def detector(*geometries, margin=1e-3, **settings):
    return Detector(shapes(*geometries), margin=margin, **settings)


def cube_hull(half=0.1):
    corners = [(x, y, z) for x in (-half, half) for y in (-half, half) for z in (-half, half)]
    return convex_hull(np.array(corners))


def features(found):
    return (found.key & FEATURE).tolist()


class Coal:
    """Coal's distance of two shapes, computed as finely as it can."""

    def __init__(self, first, second, margin):
        self.shapes = coal_geometry(first), coal_geometry(second)
        self.request = coal.CollisionRequest()
        self.request.security_margin = margin
        self.request.gjk_tolerance = self.request.epa_tolerance = 1e-10
        self.request.gjk_max_iterations = self.request.epa_max_iterations = 1000

    def ask(self, poses):
        """Return gap and normal, or None if the shapes are farther apart than the margin."""
        result = coal.CollisionResult()
        one, two = (coal.Transform3s(p[:9].reshape(3, 3).T, p[9:]) for p in poses)
        coal.collide(self.shapes[0], one, self.shapes[1], two, self.request, result)
        if not result.numContacts():
            return None
        contact = result.getContact(0)
        return contact.penetration_depth, np.array(contact.normal)


def random_poses(rng, nearest, farthest):
    """Return the placements of two links at random, centres at a random distance [m]."""
    away = rng.normal(size=3)
    away *= rng.uniform(nearest, farthest) / np.linalg.norm(away)
    first = np.array([1.0, -2.0, 3.0])
    one, two = Rotation.random(2, random_state=rng)
    return np.array([pose(first, one), pose(first + away, two)])
