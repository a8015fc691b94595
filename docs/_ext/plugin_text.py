"""What the pages say of a plugin."""

import inspect
import re

from footfall.registry.discover import discover

MULTILINE_CODE = re.compile(r"``(.+?)``", re.DOTALL)
TITLES = {
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
}


def loaded_plugins():
    """Return the installed plugins by role: pairs of entry and class.

    Raises:
        PluginError: if one cannot be loaded; the documentation describes all of them.
    """
    registry = discover()
    if registry.broken:
        raise RuntimeError(f"broken plugins: {registry.broken}")
    return {c.role: [(entry, entry.load()) for entry in c] for c in registry.roles}


def docstring(thing):
    """Return a docstring as Markdown: its code keeps to one line each."""
    text = inspect.getdoc(thing) or ""
    return MULTILINE_CODE.sub(lambda code: "`" + " ".join(code[1].split()) + "`", text)


def first_paragraph(thing):
    """Return the first paragraph of a docstring as one line."""
    return " ".join(docstring(thing).split("\n\n")[0].split())
