"""Conversion of an MJCF's bodies to one tree with at most one joint per body."""

from __future__ import annotations

from xml.etree.ElementTree import Element, SubElement

from footfall.api.plugin import RobotError

PLACEMENT = ("pos", "quat")
"""Attributes of a body that place it in its parent."""


def single_tree(worldbody: Element, base: str, path: str) -> None:
    """Reduce the world to one root body: the one with the free joint, or one for the world.

    Pinocchio reads the first body of the world only, and ignores the placement of a body welded to
    the world. Therefore welded bodies are put into a massless root at the origin.

    Raises:
        RobotError: if the base is floating and the world is not one root body with a free joint.
    """
    bodies = worldbody.findall("body")
    for child in list(worldbody):
        worldbody.remove(child)
    if base == "fixed":
        worldbody.append(_massless_body("world", *bodies))
        return
    if len(bodies) != 1 or not is_free(bodies[0]):
        names = ", ".join(f'"{body.get("name")}"' for body in bodies) or "none"
        raise RobotError(
            f"{path}: a floating robot is one root body with a free joint, found {names}: put "
            "other bodies into the scene, as bodies or terrain"
        )
    for key in PLACEMENT:
        bodies[0].attrib.pop(key, None)  # the base's placement is part of q
    worldbody.append(bodies[0])


def is_free(body: Element) -> bool:
    """Return whether a body has a free joint."""
    return body.find("freejoint") is not None


def split_joints(parent: Element) -> None:
    """Replace each body with several joints by a chain of massless bodies with one joint each."""
    for i, body in enumerate(list(parent)):
        if body.tag != "body":
            continue
        split_joints(body)
        joints = body.findall("joint")
        if len(joints) < 2:
            continue
        placement = {key: body.attrib.pop(key) for key in PLACEMENT if key in body.attrib}
        parent.remove(body)
        inner = body
        for joint in reversed(joints[:-1]):
            body.remove(joint)
            inner = _massless_body(f"{body.get('name')}/{joint.get('name')}", joint, inner)
        inner.attrib.update(placement)
        parent.insert(i, inner)


def _massless_body(name: str, *children: Element) -> Element:
    body = Element("body", name=name)
    SubElement(body, "inertial", pos="0 0 0", mass="0", diaginertia="0 0 0")
    body.extend(children)
    return body
