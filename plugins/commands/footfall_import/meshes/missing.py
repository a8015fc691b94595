"""Report of all missing mesh files of a URDF."""

from __future__ import annotations

from pathlib import Path
from xml.etree.ElementTree import Element

from footfall.api.advanced import find_mesh
from footfall.api.plugin import RobotError
from footfall_import.checks import Finding


def missing_meshes(top: Element, urdf: Path) -> list[Finding]:
    """Return a warning for each missing visual mesh.

    Raises:
        RobotError: if collision meshes are missing; names them.
    """
    lost = _lost(top, urdf, "collision")
    if lost:
        named = [f'{uri} of link "{link}"' for uri, link in list(lost.items())[:3]]
        more = f" and {len(lost) - 3} more" if len(lost) > 3 else ""
        raise RobotError(
            f"{urdf}: {len(lost)} collision mesh{'es' * (len(lost) > 1)} not found: "
            f"{', '.join(named)}{more} (package:// is searched beside and above the file, in "
            "installed packages, in --package-path and in ROS_PACKAGE_PATH; nothing is downloaded)"
        )
    return [
        Finding("warning", uri, f"visual mesh of link {link} was not found: left out", True)
        for uri, link in _lost(top, urdf, "visual").items()
    ]


def _lost(top: Element, urdf: Path, what: str) -> dict[str, str]:
    """Return the first link that uses each missing mesh, by the mesh."""
    lost: dict[str, str] = {}
    for link in top.findall("link"):
        for mesh in link.findall(f"{what}/geometry/mesh"):
            uri = mesh.get("filename", "")
            if uri and uri not in lost and find_mesh(uri, urdf) is None:
                lost[uri] = link.get("name", "")
    return lost
