"""Put the files that an MJCF includes in their places."""

from __future__ import annotations

from pathlib import Path
from xml.etree.ElementTree import Element

from footfall.formats.urdf_file import read_xml


def with_includes(node: Element, folder: Path) -> Element:
    """Replace each ``<include>`` by the contents of its file, relative to the main file.

    Raises:
        RobotError: if a file cannot be read or is no XML.
    """
    for i, child in reversed(list(enumerate(node))):
        if child.tag == "include":
            included = read_xml(folder / child.get("file", ""))
            node[i : i + 1] = list(with_includes(included, folder))
        else:
            with_includes(child, folder)
    return node
