"""The plugins of a scene that names none: the default contact law, engine, simulator and so on."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

DEFAULTS: Mapping[str, str] = MappingProxyType(
    {
        "simulator": "footfall",
        "engine": "featherstone",
        "contact": "coulomb",
        "solver": "proxqp",
        "integrator": "semi_implicit_euler",
        "terrain": "plane",
        "controller": "zero",
        "visualizer": "none",
        "input_device": "mouse",
    }
)
"""Default plugin of each role; the contact law determines the default impact model."""
