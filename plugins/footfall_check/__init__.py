"""``footfall check``: an installed plugin put through the conformance kit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from footfall.api.plugin import hookimpl

if TYPE_CHECKING:
    from collections.abc import Callable

    from footfall.api.plugin import Registry


def _check() -> Callable[..., Any]:
    from footfall_check.command import check

    return check


@hookimpl
def footfall_register(registry: Registry) -> None:
    """Add the command ``check``."""
    registry.command.add(
        "check",
        _check,
        summary="Check that an installed plugin keeps its role's contract, physics included.",
    )
