"""The command ``footfall validate``: laws and impact models against closed forms and tosses."""

from __future__ import annotations

from footfall.api.plugin import Registry, hookimpl


@hookimpl
def footfall_register(registry: Registry) -> None:
    """Add the command ``validate``."""
    registry.command.add(
        "validate",
        "footfall_validate.command:validate",
        summary=(
            "Measure laws against closed forms and real data, QP solvers, contacts of shapes."
        ),
    )
