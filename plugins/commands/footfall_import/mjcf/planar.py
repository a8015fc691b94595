"""Detection of a planar base in an MJCF: two slides and a hinge at right angles."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from xml.etree.ElementTree import Element

import numpy as np

from footfall.api.engine import Pose
from footfall.api.plugin import Floats
from footfall_import.mjcf.document import Document, range_of, unit

KINDS = ("slide", "slide", "hinge")
"""Joint types in order; a slide after the hinge would move along a turned axis."""
RIGHT = 1e-6
"""Largest cosine of an angle that counts as a right angle, [-]."""
ROOT_JOINTS = ("planar_x", "planar_z", "planar_pitch")
"""Names of the joints of a planar base."""
DYNAMICS = ("damping", "armature", "frictionloss")
"""Attributes of these joints that a planar base does not have."""


@dataclass(frozen=True, slots=True)
class PlanarRoot:
    """A planar base of an MJCF.

    Attributes:
        plane: frame in whose x-z plane the body moves; its origin is on the hinge with all joints
            at zero; world frame.
        body: pose of the body in the plane's frame, all joints at zero.
        joints: name of the file's joint and sign (1 or -1), by the joint of the base.
        lost: dynamics of its joints that are not honoured, e.g. ``rootx damping``.
    """

    plane: Pose
    body: Pose
    joints: Mapping[str, tuple[str, float]]
    lost: tuple[str, ...]


def planar_root(document: Document, body: Element) -> PlanarRoot | None:
    """Return the planar base of a root body, None if it has none.

    Joints with limits, springs, actuators or tendons are joints of a machine, not a planar base.
    """
    joints = body.findall("joint")
    if tuple(joint.get("type", "hinge") for joint in joints) != KINDS:
        return None
    if any(_is_a_machines(joint, document) for joint in joints):
        return None
    pose = document.pose(body)
    axes = [pose.rotation @ _axis(joint, document) for joint in joints]
    if max(abs(float(axes[i] @ axes[j])) for i, j in ((0, 1), (0, 2), (1, 2))) > RIGHT:
        return None
    upward = int(abs(axes[1][2]) >= abs(axes[0][2]))  # the slide that is the plane's z
    x, z = axes[1 - upward], axes[upward]
    z_sign = -1.0 if z[2] < -RIGHT else 1.0
    y = np.cross(z_sign * z, x)
    turn = 1.0 if float(y @ axes[2]) > 0.0 else -1.0
    place = document.place(joints[2])
    anchor = np.array(place.numbers(joints[2], "pos", count=3, default=(0.0, 0.0, 0.0)))
    plane = Pose(np.column_stack([x, y, z_sign * z]), pose.apply(anchor))
    names = [str(joints[i].get("name")) for i in (1 - upward, upward, 2)]
    signs = (1.0, z_sign, turn)
    lost = [
        f"{joint.get('name')} {key}"
        for joint in joints
        for key in DYNAMICS
        if document.place(joint).number(joint, key, default=0.0)
    ]
    found = dict(zip(ROOT_JOINTS, zip(names, signs, strict=True), strict=True))
    return PlanarRoot(plane, plane.inverse() @ pose, found, tuple(lost))


def _is_a_machines(joint: Element, document: Document) -> bool:
    """Return whether a joint has limits, a spring, an actuator or a tendon."""
    if range_of(document, joint) is not None:
        return True
    if document.place(joint).number(joint, "stiffness", default=0.0):
        return True
    name = joint.get("name")
    sections = (*document.top.findall("actuator"), *document.top.findall("tendon"))
    return any(node.get("joint") == name for section in sections for node in section.iter())


def _axis(joint: Element, document: Document) -> Floats:
    place = document.place(joint)
    return unit(place.numbers(joint, "axis", count=3, default=(0.0, 0.0, 1.0)), place)
