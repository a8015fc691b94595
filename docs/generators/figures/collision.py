"""Figures of the page on collision detection."""

import numpy as np
from matplotlib import pyplot as plt

from footfall.api.advanced import Box, HeightField
from footfall.api.engine import Pose, rotation_from_rpy
from footfall.geometry.shapes import Cylinder
from footfall_stepper.collision.detector import Detector
from footfall_stepper.collision.kernels.points import CROSSINGS, NAMES_B
from footfall_stepper.collision.shape import CollisionShape
from footfall_stepper.world.collision_arrays import unpack_key

KINDS = ("corner of a", "corner of b", "edges cross")
COLORS = ("C0", "C1", "C2")


def contacts(lower, upper, height, place, yaw, most=8):
    """Return the contacts of a shape that stands on another one, turned by a yaw."""
    still, identity = np.append(np.eye(3).ravel(), (0.0, 0.0, -height)), Pose.identity()
    shapes = [
        CollisionShape(shape, identity, k, k + 1, f"{name}/link/0")
        for k, (name, shape) in enumerate((("a", lower), ("b", upper)))
    ]
    moved = np.append(rotation_from_rpy((0.0, 0.0, yaw)).T.ravel(), (*place, 0.1))
    return Detector(shapes, margin=1e-3, max_points_per_pair=most).detect(np.array([still, moved]))


def square(axes, half, place=(0.0, 0.0), yaw=0.0, **style):
    """Draw a square's outline."""
    corners = half * np.array([(-1, -1), (1, -1), (1, 1), (-1, 1), (-1, -1)])
    turned = corners @ rotation_from_rpy((0.0, 0.0, yaw))[:2, :2].T + place
    axes.plot(*turned.T, **style)


def mark(axes, found):
    """Draw contact points by what names them."""
    features = [unpack_key(int(key))[2] for key in found.key]
    kinds = [2 if f >= CROSSINGS else int(f >= NAMES_B) for f in features]
    for kind, (label, color) in enumerate(zip(KINDS, COLORS, strict=True)):
        points = found.position[[k == kind for k in kinds]]
        axes.plot(points[:, 0], points[:, 1], "o", color=color, label=label, ms=6)


def manifolds():
    """What stands on a cube: the same cube turned, moved and turned, and a cylinder."""
    figure, all_axes = plt.subplots(1, 4, figsize=(10, 2.9))
    cube, wide = Box((0.2, 0.2, 0.2)), Box((0.3, 0.3, 0.2))
    for axes, place, yaw in zip(
        all_axes, ((0.0, 0.0), (0.06, 0.03), (0.0, 0.0)), (0.0, 0.25, np.pi / 4), strict=False
    ):
        square(axes, 0.1, color="k", lw=1)
        square(axes, 0.1, place, yaw, color="k", lw=1, ls="--")
        mark(axes, contacts(cube, cube, 0.1, place, yaw))
    square(all_axes[3], 0.15, color="k", lw=1)
    round_ = np.linspace(0.0, 2.0 * np.pi, 100)
    all_axes[3].plot(0.08 + 0.1 * np.cos(round_), 0.1 * np.sin(round_), "k--", lw=1)
    mark(all_axes[3], contacts(wide, Cylinder(0.1, 0.2), 0.1, (0.08, 0.0), 0.2))
    titles = ("flush", "moved and turned", "turned by 45 degrees", "a cylinder")
    for axes, title in zip(all_axes, titles, strict=True):
        axes.set(title=title, aspect="equal", xticks=[], yticks=[])
    all_axes[1].legend(loc="upper center", bbox_to_anchor=(0.5, -0.02), fontsize=8)
    return figure


def thinned():
    """A box on a height field: all points, and those kept of them."""
    grid = np.linspace(-0.2, 0.2, 9)
    field, cube = HeightField(grid, grid, np.zeros((9, 9))), Box((0.2, 0.2, 0.2))
    figure, all_axes = plt.subplots(1, 3, figsize=(8, 2.9))
    for axes, most in zip(all_axes, (1000, 8, 4), strict=True):
        for at in grid:
            axes.plot((-0.2, 0.2), (at, at), "0.8", lw=0.6)
            axes.plot((at, at), (-0.2, 0.2), "0.8", lw=0.6)
        for k in range(-7, 8):
            along = np.array((max(-0.2, -0.2 + 0.05 * k), min(0.2, 0.2 + 0.05 * k)))
            axes.plot(along, along - 0.05 * k, "0.8", lw=0.6)
        square(axes, 0.1, (0.01, 0.0), 0.3, color="k", lw=1, ls="--")
        found = contacts(field, cube, 0.0, (0.01, 0.0), 0.3, most)
        mark(axes, found)
        axes.set(title=f"{found.n} points", aspect="equal", xticks=[], yticks=[])
        axes.set(xlim=(-0.17, 0.18), ylim=(-0.17, 0.17))
    return figure


COLLISION = (manifolds, thinned)
