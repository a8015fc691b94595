"""Wheels: feet that are round about the axis of the joint that turns them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.spatial import ConvexHull, QhullError

from footfall.api.plugin import Floats
from footfall_import.sole import Sole, Solid
from footfall_import.stance import Stance

LYING = 0.5
"""Largest cosine between an axle and the vertical, [-]."""
ROUND = 0.05
"""Largest difference of radii of a wheel's outline, relative to its radius; 0.05 for a decagon."""
TREAD = 0.02
"""Depth of the outermost part of a wheel, relative to its radius; its edges become rims."""
THIN = 0.1
"""Width of this part, relative to the radius, below which one rim in its middle is enough."""
SPEED, SPIN = 0.5, 5.0
"""Greatest speed [m/s] and wheel rate [rad/s] of the trial roll."""


@dataclass(frozen=True, slots=True, eq=False)
class Axle:
    """The axis of a joint that turns without limits.

    Attributes:
        point: shape (3,), a point of the axis, [m].
        axis: shape (3,), unit.
    """

    point: Floats
    axis: Floats


@dataclass(frozen=True, slots=True, eq=False)
class Roll:
    """A motion of a robot on wheels.

    Attributes:
        velocity: shape (3,), of the base, world frame, [m/s].
        rates: by wheel joint, [rad/s].
        radius: of each wheel, [m].
        casters: links of the other contact features; without friction, as casters that swivel.
    """

    velocity: Floats
    rates: dict[str, float]
    radius: dict[str, float]
    casters: tuple[str, ...]


def axle(link: int, stance: Stance) -> Axle | None:
    """Return the lying axis about which a link turns without limits, world frame; else None."""
    if link == 0 or np.isfinite(stance.model.position_lower[link - 1]):
        return None
    linear, axis = np.split(stance.tree.S[stance.first + link - 1], 2)
    if np.linalg.norm(axis) < 0.5 or abs(axis[2]) > LYING:  # a slide, or a swivel
        return None
    return Axle(np.cross(axis, linear), axis.copy())


def wheel(solids: Sequence[Solid], link: int, stance: Stance) -> Sole | None:
    """Return the rims of solids that are round about their joint's axis, else None.

    Args:
        solids: the lowest solids of one URDF link.
        link: the link of the tree that they move with.
        stance: the robot in its posture.
    """
    about = axle(link, stance)
    if about is None or any(solid.balls for solid in solids):
        return None
    pose = stance.frame(solids[0].link)
    axis = pose.rotation.T @ about.axis
    center = pose.inverse().apply(about.point)
    points = np.concatenate([solid.points for solid in solids]) - center
    along = points @ axis
    across = points - np.outer(along, axis)
    reach = np.linalg.norm(across, axis=1)
    radius = float(reach.max())
    if _inradius(across, axis) < (1.0 - ROUND) * radius:
        return None
    tread = along[reach >= (1.0 - TREAD) * radius]
    middle, half = 0.5 * (tread.max() + tread.min()), 0.5 * float(np.ptp(tread))
    offsets = [middle] if half < 0.5 * THIN * radius else [middle - half, middle + half]
    kinds = " and ".join(sorted({solid.kind for solid in solids}))
    edges = "middle of the tread" if len(offsets) == 1 else "both edges of the tread"
    origin = f"{edges} of the wheel, collision {kinds} of {solids[0].link}"
    centers = center + np.outer(offsets, axis)
    return Sole(solids[0].link, "rim", centers, radius, None, origin, axis)


def _inradius(across: Floats, axis: Floats) -> float:
    """Return the least distance of the outline's edges from the axis, [m]; negative outside."""
    plane = np.linalg.svd(axis[None, :])[2][1:].T
    try:
        return float((-ConvexHull(across @ plane).equations[:, 2]).min())
    except (QhullError, ValueError):
        return 0.0


def roll_of(soles: Sequence[tuple[int, Sole]], stance: Stance) -> Roll | None:
    """Return a slow motion across the axles, None without wheels or if their axles differ.

    Args:
        soles: contact features with their links of the tree.
        stance: the robot in its posture.
    """
    turning = {k: (sole, about) for k, sole in soles if sole.radius and (about := axle(k, stance))}
    if not turning:
        return None
    first = next(iter(turning.values()))[1].axis
    ahead = np.cross(first, (0.0, 0.0, 1.0))
    if ahead[np.abs(ahead).argmax()] < 0.0:
        first, ahead = -first, -ahead
    if any(abs(float(about.axis @ first)) < 0.99 for _, about in turning.values()):
        return None
    least = min(sole.radius for sole, _ in turning.values())
    velocity = min(SPEED, SPIN * least) * ahead / np.linalg.norm(ahead)
    names = stance.model.joint_names
    radius = {names[k - 1]: sole.radius for k, (sole, _) in turning.items()}
    rates = {
        names[k - 1]: float(np.linalg.norm(velocity) / sole.radius * np.sign(about.axis @ first))
        for k, (sole, about) in turning.items()
    }
    casters = tuple(sole.link for k, sole in soles if k not in turning)
    return Roll(velocity, rates, radius, casters)
