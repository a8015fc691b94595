"""``footfall new``: write a plugin package that works from the start."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from footfall.api.plugin import hookimpl

if TYPE_CHECKING:
    from collections.abc import Callable

    from footfall.api.plugin import Registry


def _new() -> Callable[..., Any]:
    from footfall_new.command import new

    return new


@hookimpl
def footfall_register(registry: Registry) -> None:
    """Add the command ``new``."""
    registry.command.add(
        "new",
        _new,
        summary="Write a plugin of your own: "
        "a package that installs, is found and passes its checks.",
    )
