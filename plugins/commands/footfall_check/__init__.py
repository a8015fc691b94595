"""``footfall check``: the conformance kit for plugins; ``footfall new``: a package to begin."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from footfall.api.plugin import Registry, hookimpl

if TYPE_CHECKING:
    from collections.abc import Callable


KITS = {
    "actuator": "the checks of actuators",
    "contact": "the checks of contact laws",
    "simulator": "the checks of simulators",
    "controller": "the checks of controllers",
    "sensor": "the checks of sensors",
    "impact": "the checks of impact models",
    "engine": "the checks of dynamics engines",
    "solver": "the checks of QP solvers",
    "terrain": "the checks of terrains",
    "visualizer": "the checks of visualizers",
    "input_device": "the checks of input devices",
    "integrator": "the checks of integrators",
    "interaction": "the checks of interactions",
}
"""The roles whose checks are in ``footfall_check.kit``, with the summaries of the checks."""


def _checks_of(role: str) -> Callable[[], Callable[[], tuple[Any, ...]]]:
    def load() -> Callable[[], tuple[Any, ...]]:
        from importlib import import_module

        kit = import_module(f"footfall_check.kit.{role}")
        return lambda: kit.CHECKS

    return load


@hookimpl
def footfall_register(registry: Registry) -> None:
    """Add the commands ``check`` and ``new``, and the checks of all roles."""
    registry.command.add(
        "check",
        "footfall_check.command:check",
        summary="Test an installed plugin: its interface and its physics.",
    )
    for role, summary in KITS.items():
        registry.kit.add(role, _checks_of(role), summary=summary)
    registry.command.add(
        "new",
        "footfall_check.new.command:new",
        summary="Write a package with a new plugin that passes its checks.",
    )
