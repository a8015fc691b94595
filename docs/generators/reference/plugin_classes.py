"""Installed plugins by role, loaded."""

from dataclasses import replace

from footfall import discover

TITLES = {
    "simulator": "Simulators",
    "engine": "Dynamics engines",
    "contact": "Contact laws",
    "impact": "Impact models",
    "solver": "QP solvers",
    "integrator": "Integrators",
    "terrain": "Terrains",
    "controller": "Controllers",
    "actuator": "Actuators",
    "sensor": "Sensors",
    "visualizer": "Visualizers",
    "input_device": "Input devices",
    "interaction": "Interactions",
}
"""Of the roles."""
OTHERS = {
    "delassus": "Methods of the Delassus matrix: `[simulation] delassus`\n\nBuilt in: `sparse`.",
    "model_format": "Formats of robots' model files: `[model] format`\n\nBuilt in: `urdf`.",
    "mesh_format": "Formats of mesh files, by suffix",
    "exporter": "Exporters: `footfall export RUN -o FILE.NAME`",
}
"""Titles of the catalogs that are not roles, and that a user names."""
CHECKS = {
    "scene_check": "always, before a scene is built",
    "start_check": "always, at a scene's start",
    "watch": "always, during a run, for [alarms](../explanation/alarms.md) and the summary",
    "certificate": "only with [`certificates = true`](../explanation/alarms.md#certificates)",
}
"""Titles of the catalogs that work by themselves."""


def loaded_plugins():
    """Return the installed plugins by role: pairs of entry and class.

    Raises:
        RuntimeError: if one cannot be loaded; the documentation describes all of them.
    """
    registry = discover()
    if registry.broken:
        raise RuntimeError(f"broken plugins: {registry.broken}")
    return {c.role: [(entry, class_of(entry)) for entry in c] for c in registry.roles}


def class_of(entry):
    """Return what is offered, also where the library is missing that it needs when it is used."""
    return replace(entry, requires=()).load()
