"""The commands ``footfall validate`` and ``report``: laws against closed forms and real data."""

from __future__ import annotations

from footfall.api.plugin import Registry, hookimpl


@hookimpl
def footfall_register(registry: Registry) -> None:
    """Add the commands."""
    registry.command.add(
        "report",
        "footfall_validate.report.command:report",
        summary=(
            "Write a law's report card: closed forms, symmetries, energy, impacts, cost, real data."
        ),
    )
    registry.command.add(
        "validate",
        "footfall_validate.command:validate",
        summary=(
            "Measure laws against closed forms and real data, QP solvers, contacts of shapes."
        ),
    )
