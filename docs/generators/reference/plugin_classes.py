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
    "delassus": "Methods of the Delassus matrix: `[simulation] delassus`\n\nThey compute the"
    " [Delassus matrix](glossary.md) of the contacts. Built in: `sparse`.",
    "model_format": "Formats of robots' model files: `[model] format`\n\nBuilt in: `urdf`.",
    "mesh_format": "Formats of mesh files, by suffix",
    "exporter": "Exporters: `footfall export RUN -o FILE.csv`",
}
"""Titles of the catalogs that are not roles, and that a user names."""


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
