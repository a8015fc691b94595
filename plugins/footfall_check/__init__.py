"""``footfall check``: an installed plugin put through the conformance kit."""

from __future__ import annotations

from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any

from footfall.api.plugin import hookimpl

if TYPE_CHECKING:
    from collections.abc import Callable

    from footfall.api.plugin import Registry


KITS = {
    "solver": "QP solvers",
    "input_device": "input devices",
}
"""What is checked, by role."""


def _check() -> Callable[..., Any]:
    from footfall_check.command import check

    return check


def _kit(role: str) -> Callable[[], tuple[Any, ...]]:
    """Return the function that returns the checks of a role."""
    module = import_module(f"footfall_check.kit.{role}")
    return lambda: module.CHECKS


@hookimpl
def footfall_register(registry: Registry) -> None:
    """Add the command ``check`` and the checks of roles that act beside the step."""
    registry.command.add(
        "check",
        _check,
        summary="Check that an installed plugin keeps its role's contract, physics included.",
    )
    for role, what in KITS.items():
        registry.kit.add(role, partial(_kit, role), summary=f"the checks of {what}")
