"""Fates of every element and attribute of a URDF."""

from __future__ import annotations

from collections.abc import Iterator
from xml.etree.ElementTree import Element

from footfall_import.checks import Finding
from footfall_import.coverage import Coverage, Fate

OTHERS = ("gazebo", "sensor", "safety_controller", "calibration", "mujoco", "ros2_control")
"""Elements for other programs, which the import notes."""
SECTIONS: dict[str, Fate] = {
    **dict.fromkeys(OTHERS, "ignored"),
    "transmission": "honoured",
}
"""Elements for other programs; transmissions, whose losses the import reports."""
ELEMENTS: dict[str, dict[Fate, str]] = {
    "robot": {"ignored": "name version"},
    "link": {"honoured": "name"},
    "inertial": {"honoured": ""},
    "mass": {"honoured": "value"},
    "inertia": {"honoured": "ixx ixy ixz iyy iyz izz"},
    "origin": {"honoured": "xyz rpy"},
    "visual": {"ignored": "name"},
    "collision": {"ignored": "name"},
    "geometry": {"honoured": ""},
    "box": {"honoured": "size"},
    "sphere": {"honoured": "radius"},
    "cylinder": {"honoured": "radius length"},
    "capsule": {"honoured": "radius length"},
    "mesh": {"honoured": "filename scale"},
    "material": {"honoured": "name"},
    "color": {"honoured": "rgba"},
    "texture": {"honoured": "filename"},
    "joint": {"honoured": "name type"},
    "parent": {"honoured": "link"},
    "child": {"honoured": "link"},
    "axis": {"honoured": "xyz"},
    "limit": {"honoured": "lower upper effort", "scene": "velocity"},
    "dynamics": {"honoured": "damping friction"},
    "mimic": {"honoured": "joint multiplier offset"},
}
"""Attributes by element and fate."""
URDF = Coverage(ELEMENTS, SECTIONS, {("limit", "velocity")})


def losses(top: Element) -> list[Finding]:
    """Return the findings of a URDF's unread elements and attributes."""
    return URDF.losses(_below(top))


def _below(node: Element) -> Iterator[tuple[str, Element]]:
    if not isinstance(node.tag, str) or node.tag in SECTIONS:
        return
    yield node.tag, node
    for child in node:
        yield from _below(child)
