"""What the attributes of an MJCF may say: words from a list, ranges that are not empty, turns."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from xml.etree.ElementTree import Element

from footfall.api.errors import RobotError, nearest
from footfall.api.formats import Place

YES_NO = ("true", "false")
YES_NO_AUTO = (*YES_NO, "auto")
WORDS: dict[tuple[str, str], tuple[str, ...]] = {
    ("compiler", "angle"): ("degree", "radian"),
    ("compiler", "coordinate"): ("local", "global"),
    ("compiler", "autolimits"): YES_NO,
    ("compiler", "balanceinertia"): YES_NO,
    ("compiler", "inertiafromgeom"): YES_NO_AUTO,
    ("joint", "type"): ("free", "ball", "slide", "hinge"),
    ("joint", "limited"): YES_NO_AUTO,
    ("joint", "actuatorfrclimited"): YES_NO_AUTO,
}
"""What an attribute of an element may be, by element and attribute (MuJoCo: XML reference)."""
NAMED = ("body", "joint", "geom", "site")
"""Elements whose names are unique among their kind."""


def check_element(node: Element, path: str) -> None:
    """Refuse a word that MuJoCo does not know, an empty range and a quaternion of zeros.

    Raises:
        RobotError: names the element, what it says and what is allowed.
    """
    place = Place(path, f'<{node.tag}> "{node.get("name", "")}"')
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


def check_names(bodies: Sequence[Element], path: Path) -> None:
    """Refuse two bodies, joints, geoms or sites of one name.

    Raises:
        RobotError: for the first of them.
    """
    for tag in NAMED:
        taken: set[str] = set()
        for name in (node.get("name") for body in bodies for node in body.iter(tag)):
            if name in taken:
                raise RobotError(f'{path}: two elements <{tag}> are called "{name}"')
            taken |= {name} if name else set()
