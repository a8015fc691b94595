"""Paths of the mesh files that a URDF names."""

from __future__ import annotations

import os
import sys
import sysconfig
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from urllib.parse import unquote, urlparse
from xml.etree import ElementTree

SCHEMES = ("package://", "model://")
"""URI schemes of a URDF for files inside a package."""
NEAREST = 4
"""Number of folders above a URDF beside which packages are searched by name."""


def find_mesh(uri: str, urdf: Path) -> Path | None:
    """Return the file of a mesh's ``filename``, or None if it does not exist.

    A relative path is relative to the URDF. ``package://NAME/path`` and ``model://NAME/path`` are
    searched in a folder NAME beside or above the URDF, then in the running environment's ``share``
    folders, then in the folders of ``ROS_PACKAGE_PATH``. Last, a folder counts as NAME if the
    ``<name>`` of its ``package.xml`` says so: one
    that holds the URDF, or one beside these, or one in, or two below, a folder of
    ``ROS_PACKAGE_PATH``. A path that leaves its package by ``..`` is not found.

    Args:
        uri: the text in the URDF.
        urdf: the URDF file.
    """
    for candidate in _candidates(uri, urdf):
        if candidate.is_file():
            return candidate
    return None


def share_folders() -> Iterator[Path]:
    """Yield the folders in which installed packages keep robot models."""
    site = Path(sysconfig.get_paths()["purelib"])
    yield Path(sys.prefix) / "share"
    yield site / "cmeel.prefix" / "share"
    yield site
    yield from _ros_folders()


def _ros_folders() -> Iterator[Path]:
    for folder in os.environ.get("ROS_PACKAGE_PATH", "").split(os.pathsep):
        if folder:
            yield Path(folder)


def _candidates(uri: str, urdf: Path) -> Iterator[Path]:
    if uri.startswith("file://"):
        yield Path(unquote(urlparse(uri).path))
        yield urdf.parent / unquote(uri.removeprefix("file://"))  # file://meshes/a.stl
    elif uri.startswith(SCHEMES):
        package, _, rest = uri.partition("://")[2].partition("/")
        yield from _in_package(package, rest, urdf)
    else:
        yield urdf.parent / uri


def _in_package(package: str, rest: str, urdf: Path) -> Iterator[Path]:
    if ".." in (package, *rest.split("/")):
        return
    for folder in urdf.resolve().parents:
        if folder.name == package:
            yield folder / rest
        yield folder / package / rest
    for folder in share_folders():
        if folder.name == package:  # ROS_PACKAGE_PATH may name the package itself
            yield folder / rest
        yield folder / package / rest
    for manifest in _manifests(urdf):
        if _package_name(manifest) == package:
            yield manifest.parent / rest


def _manifests(urdf: Path) -> Iterator[Path]:
    """Yield the ``package.xml`` of packages around the URDF and in ``ROS_PACKAGE_PATH``."""
    for folder in list(urdf.resolve().parents)[:NEAREST]:
        yield from folder.glob("package.xml")
        yield from sorted(folder.glob("*/package.xml"))
    for folder in _ros_folders():
        for depth in ("", "*/", "*/*/"):
            yield from sorted(folder.glob(f"{depth}package.xml"))


@lru_cache(maxsize=4096)
def _package_name(manifest: Path) -> str:
    """Return the name of a ROS package, empty if its manifest cannot be read."""
    try:
        if not manifest.is_file():  # to open a pipe would wait
            return ""
        return (ElementTree.parse(manifest).findtext("name") or "").strip()
    except (OSError, ElementTree.ParseError):
        return ""
