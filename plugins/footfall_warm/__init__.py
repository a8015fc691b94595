"""``footfall warm``: compile kernels before the first run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from footfall.api.plugin import hookimpl

if TYPE_CHECKING:
    from collections.abc import Callable

    from footfall.api.plugin import Registry


def _command() -> Callable[..., Any]:
    from footfall_warm.command import warm

    return warm


@hookimpl
def footfall_register(registry: Registry) -> None:
    """Add the command ``warm``."""
    registry.command.add(
        "warm", _command, summary="Compile kernels in advance, so that runs start without waiting."
    )
