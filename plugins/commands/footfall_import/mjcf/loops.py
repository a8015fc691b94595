"""Reader of an MJCF's loops: its ``<equality>`` section."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator
from pathlib import Path
from xml.etree.ElementTree import Element

import numpy as np

from footfall.api.advanced import FileElement, ModelCoupling, ModelJoining
from footfall.api.engine import Pose
from footfall.api.plugin import RobotWarning
from footfall_import.mjcf.document import rotation_of

WORLD = "world"
"""Name of the world in a file."""
SOFTNESS = ("solref", "solimp")
"""Attributes that make MuJoCo's constraints soft."""
INSTEAD = 'to run without the file\'s loops set loops = "ignored" in [model] of robot.toml'


def read_equalities(
    elements: Iterable[Element], path: Path
) -> Iterator[ModelJoining | ModelCoupling]:
    """Yield the active loops; ``elements`` are the children of ``<equality>``.

    Loops are rigid in Footfall. A ``RobotWarning`` names those that the file makes soft.

    Raises:
        RobotError: if a loop is not a connect, weld or joint, or cannot be honoured; names it.
    """
    soft = []
    for index, element in enumerate(elements):
        if element.get("active", "true") == "false":
            continue
        name = element.get("name") or f"equality{index}"
        place = FileElement(str(path), f'<equality> {element.tag} "{name}"')
        if element.tag == "connect":
            yield _connect(element, name, place)
        elif element.tag == "weld":
            yield _weld(element, name, place)
        elif element.tag == "joint":
            yield _coupling(element, name, place)
        else:
            raise place.error(f"is not supported (allowed: connect, weld, joint); {INSTEAD}")
        soft += [name] if any(key in element.attrib for key in SOFTNESS) else []
    if soft:
        warnings.warn(
            f"{path}: <equality>: solref and solimp have no effect, loops are rigid: "
            f"{', '.join(soft)}",
            RobotWarning,
            stacklevel=2,
        )


def _sites(element: Element) -> tuple[str, str] | None:
    names = element.get("site1"), element.get("site2")
    return (names[0], names[1]) if names[0] and names[1] else None


def _two_bodies(element: Element, place: FileElement) -> tuple[str, str]:
    """Return the names of two bodies; the second defaults to the world."""
    first, second = place.attribute(element, "body1"), element.get("body2") or WORLD
    if first == second:
        raise place.error(f'joins "{first}" to itself')
    return first, second


def _connect(element: Element, name: str, place: FileElement) -> ModelJoining:
    sites = _sites(element)
    if sites:
        return ModelJoining(name, "point", sites, (Pose.identity(), Pose.identity()), str(place))
    anchor = np.array(place.numbers(element, "anchor", count=3, default=None))
    poses = (Pose(np.eye(3), anchor), None)
    return ModelJoining(name, "point", _two_bodies(element, place), poses, str(place))


def _weld(element: Element, name: str, place: FileElement) -> ModelJoining:
    """Return a weld; ``anchor`` is ignored, because it has no effect on a rigid weld."""
    sites = _sites(element)
    if sites:
        return ModelJoining(name, "weld", sites, (Pose.identity(), Pose.identity()), str(place))
    default = (0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    relative = np.array(place.numbers(element, "relpose", count=7, default=default))
    given = Pose(rotation_of(relative[3:]), relative[:3]) if relative[3:].any() else None
    return ModelJoining(
        name, "weld", _two_bodies(element, place), (given, Pose.identity()), str(place)
    )


def _coupling(element: Element, name: str, place: FileElement) -> ModelCoupling:
    joint, of = place.attribute(element, "joint1"), element.get("joint2")
    given = element.get("polycoef", "0 1 0 0 0").split()
    count = len(given)
    if not 1 <= count <= 5:
        raise place.error(f'polycoef="{element.get("polycoef")}" must be up to 5 numbers')
    default = (0.0, 1.0, 0.0, 0.0, 0.0)
    a = (*place.numbers(element, "polycoef", count=count, default=default), *default[count:])
    if any(a[2:]):
        raise place.error(
            f'polycoef="{element.get("polycoef")}": joints can only follow linearly, not by a '
            f"polynomial of higher order; {INSTEAD}"
        )
    if not of:
        raise place.error(
            f"holds {joint} still: leave it out of joints in robot.toml and set its posture; "
            f"{INSTEAD}"
        )
    return ModelCoupling(name, joint, of, a[1], a[0], str(place))
