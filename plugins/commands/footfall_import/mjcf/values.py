"""Checks of an MJCF's attributes: keywords, names, references, ranges and quaternions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from xml.etree.ElementTree import Element

from footfall.api.advanced import FileElement
from footfall.api.plugin import RobotError, nearest

YES_NO = ("true", "false")
YES_NO_AUTO = (*YES_NO, "auto")
WORDS: dict[tuple[str, str], tuple[str, ...]] = {
    ("compiler", "angle"): ("degree", "radian"),
    ("compiler", "coordinate"): ("local", "global"),
    ("compiler", "autolimits"): YES_NO,
    ("compiler", "balanceinertia"): YES_NO,
    ("compiler", "inertiafromgeom"): YES_NO_AUTO,
    ("option", "cone"): ("pyramidal", "elliptic"),
    ("option", "integrator"): ("Euler", "RK4", "implicit", "implicitfast"),
    ("option", "jacobian"): ("dense", "sparse", "auto"),
    ("option", "solver"): ("PGS", "CG", "Newton"),
    ("mesh", "inertia"): ("convex", "exact", "legacy", "shell"),
    ("joint", "type"): ("free", "ball", "slide", "hinge"),
    ("joint", "limited"): YES_NO_AUTO,
    ("joint", "actuatorfrclimited"): YES_NO_AUTO,
    ("geom", "type"): (
        *("plane", "hfield", "sphere", "capsule", "ellipsoid", "cylinder", "box", "mesh", "sdf"),
    ),
    ("geom", "shellinertia"): YES_NO,
    **{(tag, "active"): YES_NO for tag in ("connect", "weld", "joint", "tendon", "flex")},
    **{
        (tag, f"{of}limited"): YES_NO_AUTO
        for tag in ("general", "motor", "position", "velocity", "intvelocity", "damper", "muscle")
        for of in ("ctrl", "force", "act")
    },
}
"""Allowed keywords by element and attribute (MuJoCo: XML reference)."""
NAMED = ("body", "joint", "geom", "site")
"""Elements whose names are unique among their kind."""
REFERENCES: Mapping[str, Mapping[str, str]] = {
    "actuator": {"joint": "joint", "jointinparent": "joint", "site": "site", "body": "body"},
    "equality": {
        **{"body1": "body", "body2": "body", "site1": "site", "site2": "site"},
        **{"joint1": "joint", "joint2": "joint"},
    },
    "contact": {"body1": "body", "body2": "body", "geom1": "geom", "geom2": "geom"},
}
"""Attributes that name another element, with its tag, by section."""
IN_WORLD = frozenset({"body", "geom", "site", "camera", "light", "plugin"})
IN_BODY = IN_WORLD | {"inertial", "joint", "freejoint"}
"""Allowed children of the world and of a body after frames are expanded."""
MULTIPLIED = ("replicate", "composite", "flexcomp", "attach")
"""Elements that generate others with unlisted names; the readers reject them."""


def place_of(node: Element, path: str | Path) -> FileElement:
    """Return the place of an element: file, tag and name, if it has one."""
    name = f' "{node.get("name")}"' if node.get("name") else ""
    return FileElement(str(path), f"<{node.tag}>{name}")


def check_element(node: Element, path: str) -> None:
    """Check an element's keywords, range and quaternion.

    Raises:
        RobotError: if a keyword is unknown, a range is empty or a quaternion is zero; names the
            element, the value and the allowed values.
    """
    place = place_of(node, path)
    for key, value in node.attrib.items():
        words = WORDS.get((node.tag, key))
        if words is not None and value not in words:
            offer = nearest(value, words)
            raise place.error(f'{key}="{value}" must be one of {", ".join(words)}{offer}')
    if "quat" in node.attrib and not any(place.numbers(node, "quat", count=4, default=None)):
        raise place.error("quat must not be zero")
    if node.tag == "joint" and "range" in node.attrib and node.get("limited") != "false":
        lower, upper = place.numbers(node, "range", count=2, default=None)
        if lower > upper or (lower == upper and node.get("limited") == "true"):
            raise place.error(f"range must go up, got {lower:g} {upper:g}")


def check_children(node: Element, path: str | Path) -> None:
    """Check that the world or a body holds only supported elements; others may have mass.

    Raises:
        RobotError: names the first unsupported element.
    """
    allowed = IN_WORLD if node.tag == "worldbody" else IN_BODY
    for child in node:
        if child.tag not in allowed:
            offer = "" if child.tag in MULTIPLIED else nearest(child.tag, allowed)
            text = f"<{child.tag}> is not supported{offer or ': write it out'}"
            raise place_of(node, path).error(text)


def check_names(bodies: Sequence[Element], path: Path) -> None:
    """Check that names of bodies, joints, geoms and sites are unique.

    Raises:
        RobotError: names the first duplicate.
    """
    for tag in NAMED:
        taken: set[str] = set()
        for name in (node.get("name") for body in bodies for node in body.iter(tag)):
            if name in taken:
                raise RobotError(f'{path}: two <{tag}> elements have the name "{name}"')
            taken |= {name} if name else set()


def check_references(top: Element, path: Path) -> None:
    """Check that referenced joints, bodies, geoms, sites and materials exist.

    Args:
        top: the file's top element, with includes and default classes written out.
        path: the file, for errors.

    Raises:
        RobotError: names the element and the missing name; suggests the nearest name.
    """
    world = [node for section in top.findall("worldbody") for node in section.iter()]
    if any(node.tag in MULTIPLIED for node in world):
        return
    names = {tag: [n.get("name", "") for n in world if n.tag == tag] for tag in NAMED}
    names["body"].append("world")
    names["joint"] += [node.get("name", "") for node in world if node.tag == "freejoint"]
    for section, kinds in REFERENCES.items():
        for node in (child for each in top.findall(section) for child in each):
            for key, kind in kinds.items():
                _require(node, key, names[kind], kind, path)
    materials = [node.get("name", "") for node in top.findall("asset/material")]
    for node in world:
        if node.tag == "geom":
            _require(node, "material", materials, "material", path)


def _require(node: Element, key: str, names: Sequence[str], kind: str, path: Path) -> None:
    wanted = node.get(key, "")
    if wanted and wanted not in names:
        raise place_of(node, path).error(
            f'{key}="{wanted}": there is no such {kind}{nearest(wanted, names)}'
        )
