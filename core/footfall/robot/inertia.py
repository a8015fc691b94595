"""Mass properties: what is physically possible, and what welded links have together."""

from __future__ import annotations

from collections.abc import Collection, Iterable

import numpy as np

from footfall.robot.pose import Pose
from footfall.robot.urdf import Inertial, Urdf
from footfall.robot.xml_numbers import Place

ROUNDING = 1e-4
"""How far the triangle inequality may be missed, relative: files hold a few digits only."""
SINGULAR = 1e-12
"""Least principal moment of inertia, relative to the largest."""


def check_inertias(urdf: Urdf, kept: Collection[str], *, root_moves: bool) -> None:
    """Check that what moves has a mass, and that every inertia that moves is one a body can have.

    A rigid body's moments about its centre of mass are positive and obey the triangle inequality
    ``I1 + I2 >= I3`` (each is an integral of two of three squares). Links welded to a base that
    does not move may have any. A link without mass is allowed if what it carries has some; whether
    that is enough is for ``require_sound`` to say, which sees the whole inertia matrix.

    Args:
        urdf: the model.
        kept: names of the movable joints that are kept.
        root_moves: whether the root link moves.

    Raises:
        RobotError: names the link, or the joint that moves no mass.
    """
    still = set() if root_moves else {urdf.root}
    joints = list(urdf.depth_first())
    for joint in joints:
        if joint.parent in still and joint.name not in kept:
            still.add(joint.child)
    carried = dict.fromkeys(urdf.links, 0.0)
    for name, link in urdf.links.items():
        if link.inertial is not None and name not in still:
            _require_sound(link.inertial, Place(str(urdf.path), f'link "{name}"'))
            carried[name] = link.inertial.mass
    for joint in reversed(joints):
        carried[joint.parent] += carried[joint.child]
        if joint.name in kept and carried[joint.child] == 0.0:
            place = Place(str(urdf.path), f'joint "{joint.name}"')
            raise place.error(f'link "{joint.child}" that it moves has no mass')
    if root_moves and carried[urdf.root] == 0.0:
        raise Place(str(urdf.path), f'link "{urdf.root}"').error("has no mass, nor what it carries")


def _require_sound(inertial: Inertial, place: Place) -> None:
    problem = unsound(inertial)
    if problem:
        raise place.error(problem)


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


def weld(parts: Iterable[tuple[Pose, Inertial]]) -> Inertial:
    """Return the mass properties of bodies welded together, in the common frame.

    ``I = sum R I_k R' + m_k (|d|^2 1 - d d')`` with d from the common centre of mass (Steiner).

    Args:
        parts: each body's placement in the common frame and its properties in its own.
    """
    placed = [
        (part.mass, pose.apply(part.com), pose.rotation @ part.inertia @ pose.rotation.T)
        for pose, part in parts
    ]
    mass = sum(m for m, _, _ in placed)
    com = sum((m * c for m, c, _ in placed), np.zeros(3)) / mass
    inertia = np.zeros((3, 3))
    for m, c, about_own in placed:
        d = c - com
        inertia += about_own + m * (d @ d * np.eye(3) - np.outer(d, d))
    return Inertial(mass, com, 0.5 * (inertia + inertia.T))
