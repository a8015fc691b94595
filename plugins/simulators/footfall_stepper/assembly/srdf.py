"""SRDF files: pairs of links whose collisions are switched off."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from xml.etree.ElementTree import Element

from footfall.errors import RobotError, nearest
from footfall.formats.xml import FileElement, read_xml


def read_srdf(
    path: Path, body: str, links: Collection[str], shaped: Collection[str]
) -> tuple[tuple[str, str], ...]:
    """Return the pairs of links that an SRDF switches off, as names for ``PairFilter.disabled``.

    ``<disable_collisions>`` names a pair. ``<disable_default_collisions>`` names a link, which then
    touches only the links named with it by ``<enable_collisions>``.

    Args:
        path: the SRDF file.
        body: name of the body in the scene.
        links: names of all links of the robot.
        shaped: names of links with collision shapes; pairs with other links are ignored.

    Raises:
        RobotError: if the file is missing, malformed or not an SRDF, or names an unknown link;
            offers the nearest.
    """
    top = read_xml(path)
    if top.tag != "robot":
        raise RobotError(f"{path}: is not an SRDF: it begins with <{top.tag}>, not <robot>")
    disabled = [_pair(node, path, links) for node in top.findall("disable_collisions")]
    for node in top.findall("disable_default_collisions"):
        link = _link(node, "link", path, links)
        disabled += [(link, other) for other in shaped if other != link]
    on_again = {frozenset(_pair(node, path, links)) for node in top.findall("enable_collisions")}
    return tuple(
        (f"{body}/{one}", f"{body}/{two}")
        for one, two in disabled
        if one in shaped and two in shaped and frozenset((one, two)) not in on_again
    )


def _pair(node: Element, path: Path, links: Collection[str]) -> tuple[str, str]:
    return _link(node, "link1", path, links), _link(node, "link2", path, links)


def _link(node: Element, key: str, path: Path, links: Collection[str]) -> str:
    name = FileElement(str(path), f"<{node.tag}>").attribute(node, key)
    if name not in links:
        raise RobotError(f"{path}: <{node.tag}>: no link {name!r}{nearest(name, links)}")
    return name
