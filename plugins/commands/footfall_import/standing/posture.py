"""Search for a standing posture: feet level, centre of mass over them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.optimize import least_squares
from scipy.spatial import ConvexHull, QhullError
from scipy.spatial.transform import Rotation

from footfall.api.advanced import ModelCoupling, ModelJoining
from footfall.api.plugin import Floats
from footfall_import.feet import Foot
from footfall_import.stance import Stance
from footfall_import.standing.posture_rates import gap_rates, height_rate, point_rates, tilt_rates

LEVEL, EVEN, OVER, NEAR, CLOSED = 1e3, 1e3, 10.0, 0.05, 1e4
"""Weights of a sole's tilt, the feet's heights and the centre of mass (both relative to the robot's
height), the distance from the reference posture [1/rad], and gaps of loops [1/m]."""
OPEN = 1e-4
"""Largest gap of a loop that counts as closed, [m or rad]."""
TILT, UNEVEN = 2e-3, 1e-3
"""Largest allowed tilt of a sole [rad] and height difference of feet (relative to the robot's)."""
INSIDE = 0.1
"""Least distance of the centre of mass from the edge of the support, relative to its breadth."""
STEPS = 200
"""Largest number of steps of the search."""
FROM_LIMIT = 0.01
"""Distance of proposed positions from the joint's limits, relative to its range."""


@dataclass(frozen=True, slots=True)
class Standing:
    """Measures of the quality of a standing posture.

    Attributes:
        tilt: largest angle of a sole to the ground, [rad].
        uneven: largest difference of the feet's heights, [m].
        margin: distance of the centre of mass from the edge of the support polygon, [m]; negative
            outside, zero if the support is a line or a point.
        breadth: square root of the support's area; length of the support for a planar base, [m].
    """

    tilt: float
    uneven: float
    margin: float
    breadth: float

    def is_sound(self, height: float) -> bool:
        """Return whether a robot of a height [m] can stand in this posture."""
        level = self.tilt <= TILT and self.uneven <= UNEVEN * height
        return level and self.margin >= INSIDE * self.breadth and self.breadth > 0.0


def follow_limits(stance: Stance, couplings: Sequence[ModelCoupling]) -> list[ModelCoupling]:
    """Narrow the limits of leading joints so that their followers stay within their own limits.

    If that leaves no range, the follower's limits are removed from the stance.

    Returns:
        the couplings whose followers lost their limits.
    """
    names = stance.model.joint_names
    known = [c for c in couplings if {c.joint, c.of} <= set(names) and c.ratio != 0.0]
    lost: list[ModelCoupling] = []
    for _ in known:  # a follower may lead others
        for coupling in known:
            at, of = names.index(coupling.joint), names.index(coupling.of)
            ends = (
                np.array([stance.lower[at], stance.upper[at]]) - coupling.offset
            ) / coupling.ratio
            lower, upper = max(ends.min(), stance.lower[of]), min(ends.max(), stance.upper[of])
            room = 0.0 if np.isinf(ends).any() else 2.0 * FROM_LIMIT * float(np.ptp(ends))
            if upper - lower > room:
                stance.lower[of], stance.upper[of] = lower, upper
            elif np.ptp(ends) > 0.0:
                stance.lower[at], stance.upper[at] = -np.inf, np.inf
                lost.append(coupling)
    return lost


def within_limits(stance: Stance, joints: Floats) -> Floats:
    """Return positions (joints,), clamped to the limits with a distance of ``FROM_LIMIT``."""
    lower, upper = _bounds(stance)
    return np.clip(joints, lower, upper)


def judge(stance: Stance, feet: Sequence[Foot]) -> Standing:
    """Return the measures of the stance's posture."""
    tilt = max((float(np.linalg.norm(t)) for t in _tilts(stance, feet)), default=0.0)
    heights = [foot.lowest(stance) for foot in feet]
    points, com = _ground_points(stance, feet), stance.com()[:2]
    margin, breadth = _along(stance, points, com) if stance.planar else _margin(points, com)
    return Standing(tilt, float(np.ptp(heights)) if heights else 0.0, margin, breadth)


def height_of(stance: Stance, feet: Sequence[Foot]) -> float:
    """Return the height of the base above the lowest foot, [m], at least 1 mm."""
    lowest = min(foot.lowest(stance) for foot in feet)
    return max(float(stance.link(0).translation[2]) - lowest, 1e-3)


Loops = Sequence[ModelJoining | ModelCoupling]


def gaps(stance: Stance, loops: Loops) -> Floats:
    """Return the gaps of the loops in the stance's posture, shape (n,), [m or rad]."""
    names, found = stance.model.joint_names, [np.zeros(0)]
    at = dict(zip(names, stance.joints, strict=True))
    for loop in loops:
        if isinstance(loop, ModelCoupling):
            found.append(np.array([at[loop.joint] - loop.ratio * at[loop.of] - loop.offset]))
            continue
        ends = zip(loop.frames, loop.poses, strict=True)
        one, other = (stance.frame(name) @ pose for name, pose in ends if pose is not None)
        found.append(one.translation - other.translation)
        if loop.kind == "weld":
            found.append((Rotation.from_matrix(one.rotation.T @ other.rotation)).as_rotvec())
    return np.concatenate(found)


def closable(stance: Stance, loops: Loops) -> Loops:
    """Return the loops between the robot's own links or joints with known poses of both ends."""
    known = {*stance.model.frames, *stance.model.joint_names}
    return [
        loop
        for loop in loops
        if known.issuperset(
            (loop.joint, loop.of) if isinstance(loop, ModelCoupling) else loop.frames
        )
        and (isinstance(loop, ModelCoupling) or None not in loop.poses)
    ]


def search(stance: Stance, feet: Sequence[Foot], reference: Floats, loops: Loops = ()) -> Floats:
    """Return the posture nearest to a reference in which the feet are level and carry the robot.

    This is a least-squares problem over the joints between the base and the feet and those of loops
    that they are part of or that are open, with the base upright. Its terms are:

    - tilts of soles, and height differences of feet;
    - distance of the centre of mass from the feet's middle; from its place over the support in the
      reference posture if that is well inside;
    - distance from the reference;
    - gaps of loops.

    Args:
        stance: the robot; left in the returned posture.
        feet: feet of the robot.
        reference: shape (joints,), [rad or m].
        loops: loop closures, see ``closable``.
    """
    start = within_limits(stance, reference)
    stance.place(start)
    height = height_of(stance, feet)
    legs, loops = _involved(stance, feet, loops)
    now = judge(stance, feet)
    offset = np.zeros(2)
    if now.breadth > 0.0 and now.margin >= 2.0 * INSIDE * now.breadth:
        offset = stance.com()[:2] - _middle(stance, feet)

    def residual(x: Floats) -> Floats:
        joints = start.copy()
        joints[legs] = x
        stance.place(joints)
        heights = np.array([foot.lowest(stance) for foot in feet])
        shift = stance.com()[:2] - _middle(stance, feet) - offset
        return np.concatenate(
            [
                LEVEL * np.concatenate([np.zeros(0), *_tilts(stance, feet)]),
                EVEN * (heights - heights.mean()) / height,
                OVER * shift / height,
                NEAR * (x - reference[legs]),
                CLOSED * gaps(stance, loops),
            ]
        )

    def jacobian(x: Floats) -> Floats:
        joints = start.copy()
        joints[legs] = x
        stance.place(joints)
        rows = [np.zeros((0, len(start)))]
        rows += [LEVEL * row for foot in feet for row in tilt_rates(stance, foot)]
        heights = np.array([height_rate(stance, foot) for foot in feet])
        middle = np.mean([point_rates(stance, foot)[1].mean(axis=0) for foot in feet], axis=0)
        rows += [
            EVEN * (heights - heights.mean(axis=0)) / height,
            OVER * (stance.com_jacobian() - middle)[:2] / height,
            NEAR * np.eye(len(start))[legs],
            *(CLOSED * row for row in gap_rates(stance, loops)),
        ]
        found: Floats = np.concatenate(rows)[:, legs]
        return found

    lower, upper = _bounds(stance)
    bounds = lower[legs], upper[legs]
    found = least_squares(residual, start[legs], jacobian, bounds, x_scale=1.0, max_nfev=STEPS)
    residual(found.x)
    return stance.joints.copy()


def _involved(stance: Stance, feet: Sequence[Foot], loops: Loops) -> tuple[list[int], Loops]:
    """Return the joints of the legs and of loops that they move or that are open; these loops."""
    names, links = stance.model.joint_names, stance.model.frames
    joints = {joint for foot in feet for joint in stance.path(foot.link)}
    kept: list[ModelJoining | ModelCoupling] = []
    rest = list(loops)
    while rest:
        found = []
        for loop in rest:
            if isinstance(loop, ModelCoupling):
                own = {names.index(loop.joint), names.index(loop.of)}
            else:
                own = {joint for name in loop.frames for joint in stance.path(links[name].link)}
            if own & joints or (np.abs(gaps(stance, [loop])) > OPEN).any():
                joints |= own
                found.append(loop)
        if not found:
            break
        kept += found
        rest = [loop for loop in rest if all(loop is not each for each in found)]
    return sorted(joints), kept


def _tilts(stance: Stance, feet: Sequence[Foot]) -> list[Floats]:
    """Return each sole's slope, shape (2,): the horizontal part of its normal if it is flat."""
    found = []
    for foot in feet:
        for sole in foot.soles:
            pose = stance.frame(sole.link)
            if sole.normal is not None:
                found.append((pose.rotation @ sole.normal)[:2])
            elif len(sole.points) > 1:
                found.append(_slope(sole.touching(pose)))
    return found


def _slope(points: Floats) -> Floats:
    """Return the gradient of the plane through points (n, 3), the smallest one for a line, [-]."""
    off = points - points.mean(axis=0)
    gradient: Floats = np.linalg.pinv(off[:, :2], rcond=1e-2) @ off[:, 2]
    return gradient


def _ground_points(stance: Stance, feet: Sequence[Foot]) -> Floats:
    """Return the horizontal positions of the contact points, shape (n, 2), [m]."""
    points = [s.touching(stance.frame(s.link))[:, :2] for f in feet for s in f.soles]
    return np.concatenate(points) if points else np.zeros((0, 2))


def _middle(stance: Stance, feet: Sequence[Foot]) -> Floats:
    middles = [_ground_points(stance, [foot]).mean(axis=0) for foot in feet]
    middle: Floats = np.mean(middles, axis=0)
    return middle


def _margin(points: Floats, com: Floats) -> tuple[float, float]:
    """Return the distance of a point inside the support's edge, and the root of its area, [m]."""
    try:
        hull = ConvexHull(points)
    except (QhullError, ValueError):
        return 0.0, 0.0
    distance = -(hull.equations[:, :2] @ com + hull.equations[:, 2])
    return float(distance.min()), float(np.sqrt(hull.volume))


def _along(stance: Stance, points: Floats, com: Floats) -> tuple[float, float]:
    """Return the same distance along the plane of a planar base, and the support's length, [m]."""
    axis = stance.link(0).rotation[:2, 0]
    along, at = points @ axis, float(com @ axis)
    return float(min(along.max() - at, at - along.min())), float(np.ptp(along))


def _bounds(stance: Stance) -> tuple[Floats, Floats]:
    lower, upper = stance.lower, stance.upper
    both = np.isfinite(lower) & np.isfinite(upper)
    inset = np.where(both, FROM_LIMIT * np.where(both, upper - lower, 0.0), 0.0)
    # Equal limits hold a joint in place; least squares needs a small range.
    inset = np.where(both & (upper <= lower), -1e-9, inset)
    return lower + inset, upper - inset
