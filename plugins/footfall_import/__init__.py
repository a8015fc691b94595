"""``footfall import``: make a robot folder of a URDF or an MJCF. And the reader of MJCF."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from footfall.api.plugin import hookimpl

if TYPE_CHECKING:
    from collections.abc import Callable

    from footfall.api.plugin import Registry


def _import() -> Callable[..., Any]:
    from footfall_import.command import import_

    return import_


def _mjcf() -> Callable[..., Any]:
    from footfall_import.mjcf.description import read_mjcf

    return read_mjcf


@hookimpl
def footfall_register(registry: Registry) -> None:
    """Add the command ``import`` and the format MJCF."""
    registry.command.add(
        "import",
        _import,
        summary=(
            "Make a robot of a URDF or MJCF: look at it, check it, propose what it lacks, "
            "write a folder."
        ),
    )
    registry.model_format.add("mjcf", _mjcf, summary="MuJoCo's format, .xml or .mjcf.")
