"""``footfall import``: make a robot folder from a URDF or an MJCF; readers of MJCF and meshes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from footfall.api.plugin import hookimpl

if TYPE_CHECKING:
    from footfall.api.plugin import Registry


@hookimpl
def footfall_register(registry: Registry) -> None:
    """Add ``import``, the format MJCF and those of meshes, and ``pose``."""
    registry.command.add(
        "import",
        "footfall_import.command:import_",
        summary=(
            "Make a robot of a URDF or MJCF: look at it, check it, propose what it lacks, "
            "write a folder."
        ),
    )
    registry.model_format.add(
        "mjcf",
        "footfall_import.mjcf.description:read_mjcf",
        summary="MuJoCo's format, .xml or .mjcf.",
    )
    registry.mesh_format.add(
        "stl", "footfall_import.meshes.formats:read_stl", summary="Binary or text."
    )
    registry.mesh_format.add(
        "obj", "footfall_import.meshes.formats:read_obj", summary="Faces of any number of corners."
    )
    registry.mesh_format.add(
        "dae", "footfall_import.meshes.formats:read_dae", summary="Collada, in metres by its unit."
    )
    registry.mesh_format.add(
        "msh", "footfall_import.meshes.formats:read_msh", summary="MuJoCo's own."
    )
    registry.command.add(
        "pose",
        "footfall_import.pose.command:pose",
        summary="Find joint positions in which frames are where they shall be.",
    )
    registry.function.add(
        "pose",
        "footfall_import.pose.posing:pose",
        summary="joint positions in which frames are where they shall be",
    )
