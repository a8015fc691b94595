"""Expansion of xacro files: they evaluate expressions, and read files and the environment."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import IO
from unittest.mock import patch
from xml.etree.ElementTree import Element

from footfall.api.advanced import find_mesh
from footfall.api.plugin import RobotError


def is_xacro(top: Element) -> bool:
    """Return whether a file holds xacro elements."""
    return any("xacro}" in str(node.tag) for node in top.iter())


def expanded(path: Path, arguments: Mapping[str, str]) -> str:
    """Return the URDF that a xacro file expands to.

    ``$(find NAME)`` gives the folder of a package with a ``package.xml``, searched as for meshes.

    Args:
        path: the file.
        arguments: values of its ``<xacro:arg>``.

    Raises:
        RobotError: if xacro is not installed, or the file cannot be expanded.
    """
    try:
        import xacro
        from xacro import substitution_args
    except ImportError:
        raise RobotError(f'{path}: xacro needs "xacro": {RobotError.pip("xacro")}') from None

    def find(package: str) -> str:
        manifest = find_mesh(f"package://{package}/package.xml", path)
        if manifest is None:
            raise RobotError(f'there is no package "{package}" (see --package-path)')
        return str(manifest.parent)

    def opened(name: str, mode: str = "r") -> IO[str]:
        if Path(name).exists() and not Path(name).is_file():  # to open a pipe would wait
            raise RobotError(f"{name}: is not a file")
        return open(name, mode)

    try:
        with (
            patch.object(substitution_args, "_eval_find", find),
            patch.object(xacro, "open", opened, create=True),
        ):
            return str(xacro.process_file(str(path), mappings=dict(arguments)).toxml())
    except Exception as error:  # of xacro, its parsers and the file's expressions
        reason = getattr(error, "exc", None) or error  # what xacro wraps it repeats
        raise RobotError(f"{path}: xacro: {' '.join(str(reason).split())}") from error
