"""Runge-Kutta integrators: the classical one with a fixed step, and pairs with an adaptive step."""

from __future__ import annotations

from footfall.api.plugin import Registry, hookimpl


@hookimpl
def footfall_register(registry: Registry) -> None:
    """Offer the integrators of continuous time."""
    registry.integrator.add(
        "rk4",
        "footfall_integrators.integrator:RungeKutta4",
        summary="classical fourth order, fixed step; laws of force, with events",
    )
    registry.integrator.add(
        "dormand_prince",
        "footfall_integrators.adaptive:DormandPrince",
        summary="adaptive 5(4) or 8(5,3) to a tolerance; laws of force, with events",
        requires=("scipy",),
    )
