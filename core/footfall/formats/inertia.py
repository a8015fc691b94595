"""Mass properties: what is physically possible, and the inertia of welded links together."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass

import numpy as np

from footfall.formats.urdf import Inertial, Urdf
from footfall.formats.xml import Place
from footfall.spatial.pose import Pose

ROUNDING = 1e-4
"""How far the triangle inequality may be missed, relative: files hold a few digits only."""
SINGULAR = 1e-12
"""Least principal moment of inertia, relative to the largest."""
NEGLIGIBLE = 1e-3
"""Greatest moment of a link that may be impossible, relative to that of the body it is part of."""


def check_inertias(urdf: Urdf, kept: Collection[str], *, root_moves: bool) -> None:
    """Check that what moves has a mass, and that every inertia that moves is one a body can have.

    A rigid body's moments about its centre of mass are positive and obey the triangle inequality
    ``I1 + I2 >= I3`` (each is an integral of two of three squares). Links welded to a base that
    does not move may have any. Of links welded to others, see ``odd_inertias``. A link without mass
    is allowed if what it carries has some; whether that is enough is for ``require_sound`` to say,
    which sees the whole inertia matrix.

    Args:
        urdf: the model.
        kept: names of the movable joints that are kept.
        root_moves: whether the root link moves.

    Raises:
        RobotError: names the link, or the joint that moves no mass.
    """
    for odd in odd_inertias(urdf, kept, root_moves=root_moves):
        if not odd.allowed:
            raise Place(str(urdf.path), f'link "{odd.link}"').error(odd.problem)
    still = _still(urdf, kept, root_moves)
    carried = {
        name: link.inertial.mass if link.inertial and name not in still else 0.0
        for name, link in urdf.links.items()
    }
    for joint in reversed(list(urdf.depth_first())):
        carried[joint.parent] += carried[joint.child]
        if joint.name in kept and carried[joint.child] == 0.0:
            place = Place(str(urdf.path), f'joint "{joint.name}"')
            raise place.error(f'link "{joint.child}" that it moves has no mass')
    if root_moves and carried[urdf.root] == 0.0:
        raise Place(str(urdf.path), f'link "{urdf.root}"').error("has no mass, nor what it carries")


@dataclass(frozen=True, slots=True)
class OddInertia:
    """A moving link whose mass properties no rigid body could have.

    Attributes:
        link: its name.
        problem: what is wrong.
        allowed: whether it is welded to others with which it makes a sound body.
    """

    link: str
    problem: str
    allowed: bool


def odd_inertias(urdf: Urdf, kept: Collection[str], *, root_moves: bool) -> Iterator[OddInertia]:
    """Yield the moving links whose mass properties no rigid body could have.

    Only bodies move: links that fixed (or locked) joints weld together. So a link may be a point
    mass, and its moments may be impossible while they are below ``NEGLIGIBLE`` of those of its
    body, as long as the body is sound.

    Args:
        urdf: the model.
        kept: names of the movable joints that are kept.
        root_moves: whether the root link moves.
    """
    still = _still(urdf, kept, root_moves)
    for body in _bodies(urdf, kept).values():
        parts = {name: part for name, part in body.items() if name not in still}
        problems = {name: unsound(inertial) for name, (_, inertial) in parts.items()}
        whole = Inertial.weld(parts.values()) if any(problems.values()) else None
        for name, problem in problems.items():
            if problem and whole:
                allowed = unsound(whole) is None and _negligible(parts[name][1], whole)
                yield OddInertia(name, problem, allowed)


def _still(urdf: Urdf, kept: Collection[str], root_moves: bool) -> set[str]:
    """Return the links that are welded to a base that does not move."""
    still = set() if root_moves else {urdf.root}
    for joint in urdf.depth_first():
        if joint.parent in still and joint.name not in kept:
            still.add(joint.child)
    return still


def _bodies(urdf: Urdf, kept: Collection[str]) -> dict[str, dict[str, tuple[Pose, Inertial]]]:
    """Return the links with mass by the first link of their body, placed in its frame."""
    first, poses = {urdf.root: urdf.root}, {urdf.root: Pose.identity()}
    for joint in urdf.depth_first():
        welded = joint.name not in kept
        first[joint.child] = first[joint.parent] if welded else joint.child
        poses[joint.child] = poses[joint.parent] @ joint.origin if welded else Pose.identity()
    bodies: dict[str, dict[str, tuple[Pose, Inertial]]] = {}
    for name, link in urdf.links.items():
        if link.inertial is not None:
            bodies.setdefault(first[name], {})[name] = poses[name], link.inertial
    return bodies


def _negligible(part: Inertial, whole: Inertial) -> bool:
    moments = np.abs(np.linalg.eigvalsh(part.inertia))
    return bool(moments.max() <= NEGLIGIBLE * np.linalg.eigvalsh(whole.inertia).max())


def unsound(inertial: Inertial) -> str | None:
    """Say what no rigid body could have about these mass properties, None if they are sound."""
    small, middle, large = (float(moment) for moment in np.linalg.eigvalsh(inertial.inertia))
    moments = f"principal moments {small:.4g}, {middle:.4g}, {large:.4g} kg m^2"
    if not inertial.inertia.any():
        return f"has a mass of {inertial.mass:g} kg but no inertia"
    if small <= SINGULAR * abs(large):
        return f"inertia is not positive definite: {moments}"
    if large > (small + middle) * (1.0 + ROUNDING):
        return f"inertia violates the triangle inequality: {moments}"
    return None
