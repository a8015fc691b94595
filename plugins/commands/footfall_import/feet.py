"""The feet of a robot: the links that it stands on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from footfall.api.advanced import FileElement, Urdf
from footfall.api.plugin import RobotError, nearest
from footfall_import.checks import Finding
from footfall_import.sole import Sole, Solid, hull_corners, soles, solids, whole
from footfall_import.stance import Stance
from footfall_import.wheels import axle, wheel

END_HEIGHT = 0.1
"""Greatest height of a leg's end above the lowest point, relative to the robot's height."""
OTHER_HEIGHT = 0.01
"""The same for links that carry others, e.g. a foot with toes."""
ROUNDING = 1e-9
"""Height difference of shapes that counts as none, [m]."""
VISIBLE = 2e-3
"""Distance between a foot's lowest point and its contact points from which it is reported, [m]."""
ARM = 3
"""Least number of joints of an arm: wheels and casters may be above a base's origin."""
MANY = 64
"""Number of contact points of a jointless object above which inner ones are left out."""
LEAST_FEET = 2
"""Least number of feet of a legged robot; a single chain counts as an arm."""


@dataclass(frozen=True, slots=True, eq=False)
class Foot:
    """A link of the tree that touches the ground, with its contact features.

    Attributes:
        link: index in the tree.
        soles: contact features, in URDF links that are welded to it.
    """

    link: int
    soles: tuple[Sole, ...]

    def lowest(self, stance: Stance) -> float:
        """Return the height of the foot's lowest point, [m]."""
        return min(sole.lowest(stance.frame(sole.link)) for sole in self.soles)


@dataclass(frozen=True, slots=True, eq=False)
class Shapes:
    """The solids of a robot by the link of the tree that they move with.

    Attributes:
        of_link: solids of each link of the tree.
        drawn: True if the solids are visuals because no chain ends in a collision shape.
    """

    of_link: tuple[tuple[Solid, ...], ...]
    drawn: bool

    def lowest(self, link: int, stance: Stance) -> float:
        """Return the height of a link's lowest point, [m]; infinity without shapes."""
        heights = [solid.lowest(stance.frame(solid.link)) for solid in self.of_link[link]]
        return min(heights, default=float("inf"))


def shapes_of(urdf: Urdf, stance: Stance) -> Shapes:
    """Return a robot's collision shapes, or its visuals if no chain ends in a collision shape.

    Raises:
        RobotError: if a mesh cannot be read.
    """
    touching = _shapes(urdf, stance, drawn=False)
    ends = set(range(stance.model.n_links)) - set(stance.parent.tolist())
    if any(touching.of_link[end] for end in ends):
        return touching
    drawn = _shapes(urdf, stance, drawn=True)
    return drawn if any(drawn.of_link[end] for end in ends) else touching


def _shapes(urdf: Urdf, stance: Stance, *, drawn: bool) -> Shapes:
    found: list[list[Solid]] = [[] for _ in range(stance.model.n_links)]
    for link in urdf.links.values():
        if link.name in stance.model.frames:
            given = link.visuals if drawn else link.collisions
            try:
                found[stance.model.frames[link.name].link] += solids(link.name, given)
            except RobotError as error:
                place = FileElement(str(urdf.path), f'link "{link.name}"')
                raise place.error(f"{'visual' if drawn else 'collision'}: {error}") from error
    return Shapes(tuple(map(tuple, found)), drawn)


def find_feet(shapes: Shapes, stance: Stance, *, floats: bool = False) -> tuple[Foot, ...]:
    """Return the feet: the lowest links in the stance's posture.

    Feet are:

    - ends of chains within ``END_HEIGHT`` of the lowest point (beside wheels: ``OTHER_HEIGHT``);
    - other links within ``OTHER_HEIGHT`` of it;
    - the base, if it is within ``OTHER_HEIGHT`` and known to float, or other feet are wheels.

    The result is empty if:

    - one of these is a hand: its chain rises above the base by more than it ends below it;
    - the base is within ``OTHER_HEIGHT`` but not known to float;
    - the base is not a foot, and there are fewer than ``LEAST_FEET`` legs (one is enough for a
      planar base).

    Args:
        shapes: shapes of the robot.
        stance: the robot in its posture.
        floats: True if the robot is known to have a floating base.
    """
    low = {k: shapes.lowest(k, stance) for k in range(stance.model.n_links)}
    low = {k: height for k, height in low.items() if height < float("inf")}
    ends = [k for k in low if k and k not in stance.parent]
    if not ends:
        return ()
    bottom = min(low.values())
    height = max(float(stance.link(k).translation[2]) for k in low) - bottom
    chosen = [k for k in ends if low[k] <= bottom + END_HEIGHT * height]
    chosen += [k for k in low if k not in ends and low[k] <= bottom + OTHER_HEIGHT * height]
    wheels = {k for k in chosen if axle(k, stance)}
    if wheels:
        floats = True
        chosen = [k for k in chosen if k in wheels or low[k] <= bottom + OTHER_HEIGHT * height]
    if floats and low.get(0, bottom + height) <= bottom + OTHER_HEIGHT * height:
        chosen = sorted({0, *chosen})
    elif 0 in chosen or any(_is_hand(k, low[k], stance) for k in chosen):
        return ()
    if _legs(chosen, stance) < (1 if stance.planar else LEAST_FEET) and 0 not in chosen:
        return ()
    return tuple(_foot(k, shapes, stance) for k in sorted(chosen))


def _is_hand(link: int, bottom: float, stance: Stance) -> bool:
    """Return whether a chain rises above the base by more than its end is below it."""
    base = float(stance.link(0).translation[2])
    joints = [float(stance.link(k + 1).translation[2]) for k in stance.path(link)]
    return len(joints) >= ARM and max(joints) - base > base - bottom


def _legs(links: Sequence[int], stance: Stance) -> int:
    """Return the number of links that carry none of the others; a foot and its toes count once."""
    return sum(len(set(stance.carried(k)) & set(links)) == 1 for k in links)


def named_feet(names: Sequence[str], shapes: Shapes, stance: Stance) -> tuple[Foot, ...]:
    """Return the feet at the links or fixed joints that the user names.

    Raises:
        RobotError: if a link does not exist (suggests the nearest) or has no shape.
    """
    found = []
    for name in names:
        frame = stance.model.frames.get(name)
        if frame is None:
            raise RobotError(f'no link "{name}"{nearest(name, stance.model.frames)}')
        if not shapes.of_link[frame.link]:
            raise RobotError(f'link "{name}" has no collision shape to stand on')
        if frame.link not in found:
            found.append(frame.link)
    return tuple(_foot(k, shapes, stance) for k in found)


def body_itself(shapes: Shapes, stance: Stance) -> tuple[Foot, ...]:
    """Return one foot with the contact features (corners, spheres, rims) of a jointless object.

    Of an object of many shapes these are the corners of its convex hull and what is round.
    """
    own = [sole for solid in shapes.of_link[0] for sole in whole(solid)]
    if sum(len(sole.points) for sole in own) > MANY:
        at = [stance.frame(sole.link).apply(sole.points) for sole in own]
        left = {tuple(corner) for corner in hull_corners(np.concatenate(at)).tolist()}
        for k, sole in enumerate(own):
            rows = [i for i, point in enumerate(at[k].tolist()) if tuple(point) in left]
            left -= {tuple(point) for point in at[k].tolist()}
            own[k] = sole if sole.radius else replace(sole, points=sole.points[rows])
    kept = tuple(sole for sole in own if len(sole.points))
    return (Foot(0, kept),) if kept else ()


def drawn_wheels(
    urdf: Urdf, feet: Sequence[Foot], stance: Stance
) -> tuple[tuple[Foot, ...], list[Finding]]:
    """Return feet with rims of drawn wheels where collision shapes are no wheels, and warnings.

    Args:
        urdf: the model.
        feet: feet of the robot.
        stance: the robot in its posture.
    """
    square = {foot.link for foot in feet if axle(foot.link, stance) and not foot.soles[0].radius}
    if not square:
        return tuple(feet), []
    drawn = _shapes(urdf, stance, drawn=True)
    new = {k: _foot(k, drawn, stance) for k in square if drawn.of_link[k]}
    round_ = {k: foot for k, foot in new.items() if foot.soles[0].kind == "rim"}
    names = ", ".join(foot.soles[0].link for foot in round_.values())
    text = "collision shapes do not roll: contact points are the rims of what is drawn"
    told = [Finding("warning", names, text)] if round_ else []
    return tuple(round_.get(foot.link, foot) for foot in feet), told


def check_soles(urdf: Urdf, feet: Sequence[Foot], stance: Stance) -> list[Finding]:
    """Return findings of feet whose visual or collision shapes end away from their contact points.

    Feet with equal distances, to 0.1 mm, share a finding.

    Args:
        urdf: the model.
        feet: feet of the robot.
        stance: the robot in its posture.
    """
    told: dict[tuple[str, bool], list[str]] = {}
    for drawn in (True, False):
        try:
            shapes = _shapes(urdf, stance, drawn=drawn)
        except RobotError:  # an unreadable mesh is reported elsewhere
            continue
        for foot in feet:
            gap = shapes.lowest(foot.link, stance) - foot.lowest(stance)
            if VISIBLE < abs(gap) < float("inf"):
                where = f"{1e3 * abs(gap):.1f} mm {'below' if gap < 0.0 else 'above'}"
                told.setdefault((where, drawn), []).append(foot.soles[0].link)
    found = []
    for (where, drawn), names in told.items():
        text = f"collision shapes end {where} the contact points"
        if drawn:
            text = f"drawn {where} the contact points: see visual_offsets of robot.toml"
        found.append(Finding("warning" if drawn else "note", ", ".join(names), text))
    return found


def check_buried(shapes: Shapes, feet: Sequence[Foot], stance: Stance) -> list[Finding]:
    """Return a warning if links are below the ground under the feet.

    In the written scene only contact points touch the ground, so nothing else reports this.
    """
    if not feet:
        return []
    ground = min(foot.lowest(stance) for foot in feet)
    others = set(range(stance.model.n_links)) - {foot.link for foot in feet}
    depths = {k: ground - shapes.lowest(k, stance) for k in others}
    buried = sorted((k for k in others if depths[k] > VISIBLE), key=lambda k: -depths[k])
    if not buried:
        return []
    names = stance.model.link_names
    text = (
        f"{1e3 * depths[buried[0]]:.1f} mm below the ground under the feet, which does not touch "
        "them (name the links to stand on with --feet)"
    )
    subject = ", ".join(names[k] for k in buried[:3]) + (", ..." if len(buried) > 3 else "")
    return [Finding("warning", subject, text)]


def check_rollers(shapes: Shapes, feet: Sequence[Foot], stance: Stance) -> list[Finding]:
    """Return a warning of parts of turning wheels that come down later and are no feet.

    Only contact points touch the ground, so a mecanum wheel stands on its lowest rollers alone.
    """
    wheels = {
        joint + 1
        for foot in feet
        for joint in stance.path(foot.link)[:-1]
        if axle(joint + 1, stance)
    }
    turning = {link for wheel in wheels for link in stance.carried(wheel)}
    high = sorted(k for k in turning - {foot.link for foot in feet} if shapes.of_link[k])
    if not high:
        return []
    names = [stance.model.link_names[k] for k in high]
    text = (
        f"{len(high)} links turn with a wheel and have no contact points: the ground does not "
        'touch them; use [collisions] ground = "shapes" in the scene, or --feet'
    )
    return [Finding("warning", ", ".join(names[:3]) + (", ..." if high[3:] else ""), text)]


def _foot(link: int, shapes: Shapes, stance: Stance) -> Foot:
    """Return a foot with its lowest shape and similar shapes of the same link at that height.

    Shapes of all URDF links of a base count, e.g. its casters.
    """
    own = shapes.of_link[link]
    heights = [solid.lowest(stance.frame(solid.link)) for solid in own]
    bottom = min(heights)
    lowest = own[heights.index(bottom)]
    highest = bottom + OTHER_HEIGHT * abs(bottom) + ROUNDING
    of_link: dict[str, list[Solid]] = {lowest.link: []}
    for solid, height in zip(own, heights, strict=True):
        if height <= highest and bool(solid.balls) == bool(lowest.balls):
            of_link.setdefault(solid.link, []).append(solid)
    found: list[Sole] = []
    for name, beside in of_link.items():
        if link == 0 or name == lowest.link:
            rolls = wheel(beside, link, stance)
            found += (rolls,) if rolls else soles(beside, stance.frame(name))
    return Foot(link, tuple(found))
