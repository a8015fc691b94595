"""Bring an MJCF in normal form to one that Pinocchio reads as MuJoCo does.

Pinocchio's reader takes one root body and one joint a body, leaves out where a welded root is, and
takes the range of a slide for an angle.
"""

from __future__ import annotations

from xml.etree import ElementTree

from footfall.api.engine import ModelSource
from footfall.api.errors import RobotError
from footfall_pinocchio.mjcf_bodies import single_tree, split_joints


def readable_mjcf(source: ModelSource) -> str:
    """Return the text of an MJCF with one root and one joint a body.

    Raises:
        RobotError: if the text is malformed, or a floating robot is not all that it holds.
    """
    try:
        top = ElementTree.fromstring(source.xml)
    except ElementTree.ParseError as error:
        raise RobotError(f"{source.path}: {error}") from error
    for worldbody in top.findall("worldbody"):
        single_tree(worldbody, source.base, source.path)
        split_joints(worldbody)
    return ElementTree.tostring(top, encoding="unicode")
