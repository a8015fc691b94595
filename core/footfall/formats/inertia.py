"""Mass properties: their physical validity, and the inertia of welded links."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass

import numpy as np

from footfall.formats.urdf import Inertial, Urdf
from footfall.formats.xml import FileElement
from footfall.spatial.pose import Pose

ROUNDING = 1e-4
"""Relative tolerance of the triangle inequality: files hold only a few digits."""
SINGULAR = 1e-12
"""Least principal moment of inertia, relative to the largest."""
NEGLIGIBLE = 1e-3
"""Greatest moment of a link that may be unphysical, relative to that of its whole body."""


def check_inertias(urdf: Urdf, kept: Collection[str], *, root_moves: bool) -> None:
    """Check that all moving parts have mass and physical inertias.

    A rigid body's moments about its centre of mass are positive and obey the triangle inequality
    ``I1 + I2 >= I3`` (each is an integral of two of three squares). Links welded to a fixed base
    may have any moments. For links welded to others, see ``odd_inertias``. A link without mass is
    allowed if it carries links with mass; ``require_sound`` later checks the whole inertia matrix.

    Args:
        urdf: the model.
        kept: names of the movable joints that are kept.
        root_moves: whether the root link moves.

    Raises:
        RobotError: names the link, or the joint that moves no mass.
    """
    for odd in odd_inertias(urdf, kept, root_moves=root_moves):
        if not odd.allowed:
            raise FileElement(str(urdf.path), f'link "{odd.link}"').error(odd.problem)
    still = _still(urdf, kept, root_moves)
    carried = {
        name: link.inertial.mass if link.inertial and name not in still else 0.0
        for name, link in urdf.links.items()
    }
    for joint in reversed(list(urdf.depth_first())):
        carried[joint.parent] += carried[joint.child]
        if joint.name in kept and carried[joint.child] == 0.0:
            place = FileElement(str(urdf.path), f'joint "{joint.name}"')
            raise place.error(f'moves link "{joint.child}", which has no mass')
    if root_moves and carried[urdf.root] == 0.0:
        raise FileElement(str(urdf.path), f'link "{urdf.root}"').error(
            "has no mass and carries none"
        )


@dataclass(frozen=True, slots=True)
class OddInertia:
    """A moving link with unphysical mass properties.

    Attributes:
        link: its name.
        problem: its fault.
        allowed: whether it is part of a welded body that is physical as a whole.
    """

    link: str
    problem: str
    allowed: bool


def odd_inertias(urdf: Urdf, kept: Collection[str], *, root_moves: bool) -> Iterator[OddInertia]:
    """Yield the moving links with unphysical mass properties.

    Only whole bodies move: links that fixed (or locked) joints weld together. So a link may be a
    point mass, and its moments may be unphysical, if they are below ``NEGLIGIBLE`` of those of its
    body and the body is physical.

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
    """Return the links that are welded to a fixed base."""
    still = set() if root_moves else {urdf.root}
    for joint in urdf.depth_first():
        if joint.parent in still and joint.name not in kept:
            still.add(joint.child)
    return still


def _bodies(urdf: Urdf, kept: Collection[str]) -> dict[str, dict[str, tuple[Pose, Inertial]]]:
    """Return each body's links with mass, by its first link and placed in that link's frame."""
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
    """Return why these mass properties are unphysical, or None if they are physical."""
    small, middle, large = (float(moment) for moment in np.linalg.eigvalsh(inertial.inertia))
    moments = f"principal moments {small:.4g}, {middle:.4g}, {large:.4g} kg m^2"
    if not inertial.inertia.any():
        return f"has a mass of {inertial.mass:g} kg but no inertia"
    if small <= SINGULAR * abs(large):
        return f"inertia is not positive definite: {moments}"
    if large > (small + middle) * (1.0 + ROUNDING):
        return f"inertia violates the triangle inequality: {moments}"
    return None
