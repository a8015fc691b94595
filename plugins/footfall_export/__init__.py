"""Exporters ``mjcf`` and ``urdf``: scenes for other programs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from footfall.api.plugin import hookimpl

if TYPE_CHECKING:
    from collections.abc import Callable

    from footfall.api.plugin import Registry


def _mjcf() -> Callable[..., Any]:
    from footfall_export.mjcf import export_mjcf

    return export_mjcf


def _urdf() -> Callable[..., Any]:
    from footfall_export.urdf import export_urdf

    return export_urdf


@hookimpl
def footfall_register(registry: Registry) -> None:
    """Add the exporters ``mjcf`` and ``urdf``."""
    registry.exporter.add(
        "mjcf", _mjcf, summary="the bodies, ground and contacts of a scene or a recording's scene"
    )
    registry.exporter.add("urdf", _urdf, summary="the one robot of a scene or a recording's scene")
