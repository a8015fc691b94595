"""Write an MJCF's default classes out into the elements that they apply to."""

from __future__ import annotations

from collections.abc import Sequence
from xml.etree.ElementTree import Element

from footfall.errors import RobotError, nearest

ORIENTATIONS = frozenset({"quat", "axisangle", "euler", "xyaxes", "zaxis"})
"""Attributes that say the same thing: one in the element replaces another in its class."""

Attributes = dict[str, str]
Classes = dict[str, dict[str, Attributes]]
"""Attributes by class name and element tag."""


def write_out_defaults(top: Element, path: str, sections: Sequence[str] = ("worldbody",)) -> None:
    """Give each element of the world, or of other sections, the attributes of its class.

    An element's own class counts, otherwise the ``childclass`` of the nearest body around it,
    otherwise the top class (MuJoCo's rules; Pinocchio lets a class and a childclass mix).

    Raises:
        RobotError: if an element names a class that does not exist.
    """
    classes: Classes = {"main": {}}
    for node in top.findall("default"):
        _read_class(node, classes["main"], "main", classes)
    for section in (node for tag in sections for node in top.findall(tag)):
        _write_below(section, "main", classes, path)


def _read_class(node: Element, inherited: dict[str, Attributes], name: str, into: Classes) -> None:
    own = {tag: dict(attributes) for tag, attributes in inherited.items()}
    for child in node:
        if child.tag != "default":
            own[child.tag] = own.get(child.tag, {}) | child.attrib
    into[name] = own
    for child in node.findall("default"):
        _read_class(child, own, child.get("class", "main"), into)


def _write_below(node: Element, childclass: str, classes: Classes, path: str) -> None:
    for child in node:
        inner = child.attrib.pop("childclass", childclass)
        name = child.attrib.pop("class", childclass)
        for used in (inner, name):
            if used not in classes:
                hint = nearest(used, classes)
                raise RobotError(f'{path}: <{child.tag}>: no default class "{used}"{hint}')
        given = classes[name].get(child.tag, {})
        if ORIENTATIONS & child.attrib.keys():
            given = {key: text for key, text in given.items() if key not in ORIENTATIONS}
        child.attrib = given | child.attrib
        _write_below(child, inner, classes, path)
