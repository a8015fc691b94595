"""Tessellation of shapes, for tools that draw only triangles."""

from __future__ import annotations

import numpy as np

from footfall.api.advanced import drawn_triangles
from footfall.api.plugin import Floats
from footfall.api.viewer import Shape

AROUND, ALONG = 32, 12
"""Segments of a full turn, and of a quarter of a meridian, [-]."""


def triangles_of(shape: Shape) -> Floats:
    """Return triangles, counter-clockwise seen from outside, shape (n, 3, 3), [m].

    Args:
        shape: sizes of a box: full lengths; sphere: radius; cylinder, capsule: radius, and length
            of the straight part, along z; others are read from their files.

    Raises:
        RobotError: if a file cannot be read.
    """
    if shape.kind == "box":
        box: Floats = _box() * np.asarray(shape.size, float)
        return box
    if shape.kind in ("sphere", "cylinder", "capsule"):
        return _turned(_profile(shape))
    return drawn_triangles(shape)


def _box() -> Floats:
    """Return the triangles of a unit cube around the origin."""
    ends = ((-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0))
    square = np.array([[ends[0], ends[1], ends[2]], [ends[0], ends[2], ends[3]]])
    faces = []
    for axis in range(3):
        face = np.zeros((2, 3, 3))
        face[..., (axis + 1) % 3], face[..., (axis + 2) % 3] = square[..., 0], square[..., 1]
        face[..., axis] = 1.0
        lower = face[:, ::-1].copy()
        lower[..., axis] = -1.0
        faces += [face, lower]
    return 0.5 * np.concatenate(faces)


def _profile(shape: Shape) -> Floats:
    """Return radius and height along a meridian, upwards, shape (n, 2)."""
    radius = shape.size[0]
    half = 0.5 * shape.size[1] if shape.kind != "sphere" else 0.0
    if shape.kind == "cylinder":
        return np.array([(0.0, -half), (radius, -half), (radius, half), (0.0, half)])
    angle = np.linspace(-0.5 * np.pi, 0.0, ALONG + 1)
    lower = np.stack([radius * np.cos(angle), radius * np.sin(angle) - half], axis=1)
    lower[0, 0] = 0.0
    return np.concatenate([lower, lower[::-1] * (1.0, -1.0)])


def _turned(profile: Floats) -> Floats:
    """Return the surface of revolution of a meridian about z, without triangles of zero area."""
    turn = np.linspace(0.0, 2.0 * np.pi, AROUND, endpoint=False)
    radius, height = profile[:, None, 0], profile[:, None, 1]
    level = np.broadcast_to(height, (len(profile), AROUND))
    points = np.stack([radius * np.cos(turn), radius * np.sin(turn), level], axis=2)
    a, b = points[:-1], points[1:]
    after_a, after_b = np.roll(a, -1, axis=1), np.roll(b, -1, axis=1)
    halves = np.stack([a, after_a, after_b], axis=2), np.stack([a, after_b, b], axis=2)
    triangles = np.concatenate(halves).reshape(-1, 3, 3)
    edges = np.diff(triangles, axis=1)
    area = np.linalg.norm(np.cross(edges[:, 0], edges[:, 1]), axis=1)
    kept: Floats = triangles[area > 1e-12 * area.max()]
    return kept
