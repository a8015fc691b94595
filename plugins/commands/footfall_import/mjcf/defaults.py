"""Default classes of an MJCF, written out into the elements."""

from __future__ import annotations

from collections.abc import Mapping
from xml.etree.ElementTree import Element

from footfall.api.plugin import RobotError, nearest

ORIENTATIONS = frozenset({"quat", "axisangle", "euler", "xyaxes", "zaxis"})
"""Equivalent attributes: one in the element replaces another one in its class."""

Attributes = dict[str, str]
Classes = dict[str, dict[str, Attributes]]
"""Attributes by class name and element tag."""
ACTUATORS = (
    *("general", "motor", "position", "velocity", "intvelocity", "damper", "cylinder", "muscle"),
    *("adhesion", "dcmotor"),
)
SHARED = ("ctrlrange", "ctrllimited", "forcerange", "forcelimited", "gear")
"""Attributes that actuators of all kinds take from the last default of any, as in MuJoCo."""


def read_class(
    node: Element, inherited: dict[str, Attributes], name: str, into: Classes, path: str
) -> None:
    """Read a ``<default>`` and those inside it.

    Args:
        node: the element.
        inherited: attributes of the class that it extends, by tag.
        name: name of its class.
        into: classes by name; changed in place.
        path: the file, for errors.

    Raises:
        RobotError: if a class is defined twice.
    """
    if name in into and name != "main":
        raise RobotError(f'{path}: <default>: class "{name}" is defined twice')
    own = {tag: dict(attributes) for tag, attributes in inherited.items()}
    for child in node:
        if child.tag in ACTUATORS:
            given = as_general(child.tag, own.get(child.tag, {}), child.attrib)
            general = child.tag == "general"
            own |= {kind: given if general else inherited.get(kind, {}) for kind in ACTUATORS}
            own[child.tag] = own["general"] = given
            shared = {key: value for key, value in child.items() if key in SHARED}
            own["actuator"] = own.get("actuator", {}) | shared
        elif child.tag != "default":
            own[child.tag] = own.get(child.tag, {}) | child.attrib
    into[name] = own
    for child in node.findall("default"):
        read_class(child, own, child.get("class", "main"), into, path)


def write_below(node: Element, childclass: str, classes: Classes, path: str) -> None:
    """Write the defaults of their classes into all elements below one.

    Raises:
        RobotError: if an element names a class that does not exist.
    """
    for child in node:
        inner = child.attrib.pop("childclass", childclass)
        name = child.attrib.pop("class", childclass)
        for used in (inner, name):
            if used not in classes:
                hint = nearest(used, classes)
                raise RobotError(f'{path}: <{child.tag}>: no default class "{used}"{hint}')
        given = _defaults(classes[name], node.tag, child.tag)
        if ORIENTATIONS & child.attrib.keys():
            given = {key: text for key, text in given.items() if key not in ORIENTATIONS}
        if node.tag == "actuator":
            child.attrib = as_general(child.tag, given, child.attrib)
        else:
            child.attrib = given | child.attrib
        write_below(child, inner, classes, path)


def _defaults(of: Mapping[str, Attributes], outer: str, tag: str) -> Attributes:
    """Return the defaults of a class for an element within another one."""
    if outer in ("fixed", "spatial"):
        return {}
    if outer in ("tendon", "equality"):
        return of.get(outer, {})
    return of.get(tag, {}) | (of.get("actuator", {}) if outer == "actuator" else {})


def as_general(kind: str, inherited: Attributes, given: Attributes) -> Attributes:
    """Return the attributes of an actuator, or of its default, with the law of ``<general>``.

    As in MuJoCo 4.0, a ``<general>`` takes the law of the class's last default of any kind. Other
    kinds take it if that default is a ``<general>`` or of their kind, else that of an outer class.
    Kinds without a linear law become a ``gaintype``.
    """
    whole = inherited | given
    if kind == "general":
        return whole
    if kind not in ("motor", "position", "velocity", "intvelocity"):
        return whole | {"gaintype": kind}
    fixed = whole.pop("gaintype", "fixed") == "fixed"
    gain = whole.get("gainprm", "1").split()[0] if fixed else "1"
    by_rate = ([*whole.get("biasprm", "").split(), "0", "0", "0"])[2] if fixed else "0"
    kp, kv, ratio = (given.get(key) for key in ("kp", "kv", "dampratio"))
    for key in ("kp", "kv", "dampratio", "dyntype"):
        whole.pop(key, None)
    if kind == "motor":
        return whole | {"gainprm": "1", "biastype": "none", "biasprm": "0"}
    if kind == "velocity":
        gain = kv or gain
        bias = f"0 0 -{gain}"
    else:
        gain = kp or gain
        bias = f"0 -{gain} {ratio or (f'-{kv}' if kv else by_rate)}"
    law = {"gainprm": gain, "biastype": "affine", "biasprm": bias.replace("--", "")}
    return whole | law | ({"dyntype": "integrator"} if kind == "intvelocity" else {})
