"""``footfall import``: make a robot folder from a URDF or an MJCF; readers of MJCF and meshes."""

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


def _stl() -> Callable[..., Any]:
    from footfall_import.meshes.formats import read_stl

    return read_stl


def _obj() -> Callable[..., Any]:
    from footfall_import.meshes.formats import read_obj

    return read_obj


def _dae() -> Callable[..., Any]:
    from footfall_import.meshes.formats import read_dae

    return read_dae


def _msh() -> Callable[..., Any]:
    from footfall_import.meshes.formats import read_msh

    return read_msh


@hookimpl
def footfall_register(registry: Registry) -> None:
    """Add the command ``import``, the format MJCF and those of meshes."""
    registry.command.add(
        "import",
        _import,
        summary=(
            "Make a robot of a URDF or MJCF: look at it, check it, propose what it lacks, "
            "write a folder."
        ),
    )
    registry.model_format.add("mjcf", _mjcf, summary="MuJoCo's format, .xml or .mjcf.")
    registry.mesh_format.add("stl", _stl, summary="Binary or text.")
    registry.mesh_format.add("obj", _obj, summary="Faces of any number of corners.")
    registry.mesh_format.add("dae", _dae, summary="Collada, in metres by its unit.")
    registry.mesh_format.add("msh", _msh, summary="MuJoCo's own.")
