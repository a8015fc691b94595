"""A model source as a ``mujoco.MjSpec``: bodies with at most one joint, and mass properties."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from xml.etree import ElementTree
from xml.etree.ElementTree import Element, SubElement

import mujoco
import numpy as np

from footfall.api.advanced import Inertial, Joint, Urdf, read_urdf
from footfall.api.engine import ModelSource
from footfall.api.plugin import Floats, RobotError

KINDS = {"prismatic": mujoco.mjtJoint.mjJNT_SLIDE, "revolute": mujoco.mjtJoint.mjJNT_HINGE}
LINK = "link "
"""Prefix of the names of a URDF's links: one may be "world", a name reserved by MuJoCo."""
PLACEMENT = ("pos", "quat")
"""Attributes of an MJCF's body that place it in its parent."""


@dataclass(frozen=True, slots=True, eq=False)
class Specification:
    """Input of the compilation.

    Attributes:
        spec: the ``mujoco.MjSpec``, without inertias.
        world: name of the body fixed to the world: "world", or the root of a URDF.
        inertials: mass properties by body, in the body's frame; bodies without mass are left out.
        joints: joints of a URDF by name, for limits that MuJoCo cannot store.
    """

    spec: Any
    world: str
    inertials: dict[str, Inertial]
    joints: dict[str, Joint] = field(default_factory=dict)

    def name(self, body: Any) -> str:
        """Return the name in the file of a compiled body (``model.body(i)``)."""
        return str(body.name).removeprefix(LINK) if body.id else self.world


def specify(source: ModelSource) -> Specification:
    """Return the bodies of a model in normal form.

    Raises:
        RobotError: if the text cannot be read, or lacks the base or a kept or locked joint; names
            the element.
    """
    if source.format == "urdf":
        return _specify_urdf(read_urdf(Path(source.path), source.xml), source)
    try:
        top = ElementTree.fromstring(source.xml)
    except ElementTree.ParseError as error:
        raise RobotError(f"{source.path}: malformed XML: {error}") from error
    return _specify_mjcf(top, source)


def _specify_urdf(urdf: Urdf, source: ModelSource) -> Specification:
    _require_joints(source, urdf.movable)
    spec = mujoco.MjSpec()
    bodies = {urdf.root: spec.worldbody}
    if source.base == "floating":
        bodies[urdf.root] = spec.worldbody.add_body(name=LINK + urdf.root)
        bodies[urdf.root].add_freejoint()
    for joint in urdf.depth_first():
        quaternion = np.zeros(4)
        mujoco.mju_mat2Quat(quaternion, joint.origin.rotation.ravel())
        place = {"pos": joint.origin.translation, "quat": quaternion}
        body = bodies[joint.child] = bodies[joint.parent].add_body(name=LINK + joint.child, **place)
        if joint.type != "fixed":
            body.add_joint(name=joint.name, type=KINDS[joint.type], axis=joint.axis)
    inertials = {link.name: link.inertial for link in urdf.links.values() if link.inertial}
    return Specification(spec, urdf.root, inertials, dict(urdf.joints))


def _specify_mjcf(top: Element, source: ModelSource) -> Specification:
    source.require_base(top.findall("worldbody/body"))
    for worldbody in top.findall("worldbody"):
        _split_joints(worldbody)
    try:
        spec = mujoco.MjSpec.from_string(ElementTree.tostring(top, encoding="unicode"))
    except ValueError as error:
        raise RobotError(f"{source.path}: {' '.join(str(error).split())}") from error
    _require_joints(source, tuple(joint.name for joint in spec.joints if _has_one_dof(joint)))
    inertials = {body.name: _inertial(body) for body in spec.bodies if body.mass != 0.0}
    return Specification(spec, "world", inertials)


def _has_one_dof(joint: Any) -> bool:
    return joint.type in KINDS.values()


def _require_joints(source: ModelSource, movable: tuple[str, ...]) -> None:
    source.require_joints(movable)
    kept = source.joints if source.joints is not None else movable
    there = movable if source.format == "urdf" else tuple(n for n in movable if n in kept)
    if there != kept:
        raise RobotError(
            f"{source.path}: its movable joints, depth first, are {', '.join(there) or 'none'}; "
            f"the source names {', '.join(kept) or 'none'}"
        )


def _split_joints(parent: Element) -> None:
    """Replace each body with several joints by a chain of massless bodies with one joint each.

    At zero positions all have the body's axes and origin; only the first has a placement.
    """
    for i, body in enumerate(list(parent)):
        if body.tag != "body":
            continue
        _split_joints(body)
        joints = body.findall("joint")
        if len(joints) < 2:
            continue
        placement = {key: body.attrib.pop(key) for key in PLACEMENT if key in body.attrib}
        parent.remove(body)
        inner = body
        for joint in reversed(joints[:-1]):
            body.remove(joint)
            outer = Element("body", name=f"{body.get('name')}/{joint.get('name')}")
            SubElement(outer, "inertial", pos="0 0 0", mass="0", diaginertia="0 0 0")
            outer.extend((joint, inner))
            inner = outer
        inner.attrib.update(placement)
        parent.insert(i, inner)


def _inertial(body: Any) -> Inertial:
    """Return a body's mass properties from the file; ``fullinertia`` is along the body's axes."""
    xx, yy, zz, xy, xz, yz = body.fullinertia
    moments: Floats = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    return Inertial(float(body.mass), np.array(body.ipos), moments)
