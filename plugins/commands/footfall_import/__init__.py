"""``footfall import``: make a robot folder from a URDF or an MJCF; readers of MJCF and meshes."""

from __future__ import annotations

from footfall.api.plugin import Registry, hookimpl

MESHES = {
    "stl": "STL, binary or text.",
    "obj": "Wavefront, faces with any number of corners.",
    "dae": "Collada, converted to metres.",
    "msh": "MuJoCo's format.",
}
BY_TRIMESH = {"glb": "Binary glTF.", "gltf": "glTF, buffers in other files.", "ply": "Polygons."}
"""Formats of meshes, with their summaries."""


@hookimpl
def footfall_register(registry: Registry) -> None:
    """Add ``import``, the format MJCF and those of meshes, and ``pose``."""
    registry.command.add(
        "import",
        "footfall_import.command:import_",
        summary=(
            "Make a robot from a URDF, MJCF or SDF: check it, add missing parts, write a folder."
        ),
    )
    registry.model_format.add(
        "mjcf",
        "footfall_import.mjcf.description:read_mjcf",
        summary="MuJoCo's format, .xml or .mjcf.",
    )
    for name, summary in MESHES.items():
        reader = f"footfall_import.meshes.formats:read_{name}"
        registry.mesh_format.add(name, reader, summary=summary)
    for name, summary in BY_TRIMESH.items():
        registry.mesh_format.add(
            name,
            "footfall_import.meshes.by_trimesh:read_by_trimesh",
            summary=summary,
            requires=("trimesh",),
            extra="meshes",
        )
    registry.command.add(
        "pose",
        "footfall_import.pose.command:pose",
        summary="Find joint positions that bring frames to given places.",
    )
    registry.function.add(
        "pose",
        "footfall_import.pose.posing:pose",
        summary="joint positions that bring frames to given places",
    )
