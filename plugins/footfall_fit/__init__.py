"""``footfall fit`` and ``footfall.fit``: find parameters of a scene from measured motions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from footfall.api.plugin import hookimpl

if TYPE_CHECKING:
    from collections.abc import Callable

    from footfall.api.plugin import Registry


def _command() -> Callable[..., Any]:
    from footfall_fit.command import fit

    return fit


def _function() -> Callable[..., Any]:
    from footfall_fit.fit import fit

    return fit


@hookimpl
def footfall_register(registry: Registry) -> None:
    """Add the command and the function ``fit``."""
    summary = "Find parameters of a scene from measured motions, under one law or several."
    registry.command.add("fit", _command, summary=summary)
    registry.function.add("fit", _function, summary=summary)
