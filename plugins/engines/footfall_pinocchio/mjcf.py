"""Conversion of an MJCF in normal form to one that Pinocchio reads in the same way as MuJoCo.

Pinocchio's reader accepts one root body and one joint per body, ignores the placement of a welded
root, and treats the range of a slide as an angle.
"""

from __future__ import annotations

from xml.etree import ElementTree

from footfall.api.engine import ModelSource
from footfall.api.plugin import RobotError
from footfall_pinocchio.mjcf_bodies import single_tree, split_joints


def readable_mjcf(source: ModelSource) -> str:
    """Return the text of an MJCF with one root and one joint per body.

    Raises:
        RobotError: if the text is malformed, or holds more than a floating robot.
    """
    try:
        top = ElementTree.fromstring(source.xml)
    except ElementTree.ParseError as error:
        raise RobotError(f"{source.path}: {error}") from error
    for worldbody in top.findall("worldbody"):
        single_tree(worldbody, source.base, source.path)
        split_joints(worldbody)
    return ElementTree.tostring(top, encoding="unicode")
