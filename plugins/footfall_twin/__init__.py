"""``footfall twin`` and ``footfall.twin``: compare two simulators layer by layer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from footfall.api.plugin import hookimpl

if TYPE_CHECKING:
    from collections.abc import Callable

    from footfall.api.plugin import Registry


def _command() -> Callable[..., Any]:
    from footfall_twin.command import twin

    return twin


def _function() -> Callable[..., Any]:
    from footfall_twin.twin import twin

    return twin


@hookimpl
def footfall_register(registry: Registry) -> None:
    """Add the command ``twin`` and the function ``footfall.twin``."""
    summary = "Say where a scene, or a model file, differs in another simulator."
    registry.command.add("twin", _command, summary=summary)
    registry.function.add("twin", _function, summary=summary, requires=("mujoco",), extra="mujoco")
