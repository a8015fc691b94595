"""The command ``footfall validate``: laws and impact models against closed forms and tosses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from footfall.api.plugin import hookimpl

if TYPE_CHECKING:
    from collections.abc import Callable

    from footfall.api.plugin import Registry


def _validate() -> Callable[..., Any]:
    from footfall_validate.command import validate

    return validate


@hookimpl
def footfall_register(registry: Registry) -> None:
    """Add the command ``validate``."""
    registry.command.add(
        "validate",
        _validate,
        summary=(
            "Measure laws against closed forms and real data, QP solvers, and collision groups."
        ),
    )
