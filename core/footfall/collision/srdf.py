"""Pairs of links that an SRDF file switches off."""

from __future__ import annotations

from collections.abc import Collection
from fnmatch import fnmatchcase
from pathlib import Path

from footfall.errors import RobotError, nearest
from footfall.robot.urdf_file import read_xml
from footfall.robot.xml_numbers import Place, attribute


def read_srdf(path: Path, body: str, links: Collection[str]) -> tuple[tuple[str, str], ...]:
    """Return the pairs of ``<disable_collisions>``, as names for ``PairFilter.disabled``.

    Args:
        path: the SRDF file.
        body: name of the body in the scene.
        links: names of the links that have collision shapes; pairs with other links say nothing.

    Raises:
        RobotError: if the file is missing, malformed or not an SRDF, or none of its pairs names a
            link that there is.
    """
    top = read_xml(path)
    if top.tag != "robot":
        raise RobotError(f"{path}: is not an SRDF: it begins with <{top.tag}>, not <robot>")
    given = []
    for node in top.findall("disable_collisions"):
        place = Place(str(path), "<disable_collisions>")
        given.append((attribute(node, "link1", place), attribute(node, "link2", place)))
    known = [pair for pair in given if all(_exists(name, links) for name in pair)]
    if given and not known:
        missing = next(name for pair in given for name in pair if not _exists(name, links))
        raise RobotError(
            f"{path}: no link {missing!r} with a collision shape{nearest(missing, links)}"
        )
    return tuple((f"{body}/{one}", f"{body}/{two}") for one, two in known)


def _exists(name: str, links: Collection[str]) -> bool:
    return any(fnmatchcase(link, name) for link in links)
