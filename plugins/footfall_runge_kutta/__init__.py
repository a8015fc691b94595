"""Runge-Kutta integrators: the classical one with a fixed step, and pairs with an adaptive step."""

from __future__ import annotations

from typing import TYPE_CHECKING

from footfall.api.plugin import hookimpl

if TYPE_CHECKING:
    from footfall.api.integrator import Integrator
    from footfall.api.plugin import Registry


def _rk4() -> type[Integrator]:
    from footfall_runge_kutta.integrator import RungeKutta4

    return RungeKutta4


def _dormand_prince() -> type[Integrator]:
    from footfall_runge_kutta.adaptive import DormandPrince

    return DormandPrince


@hookimpl
def footfall_register(registry: Registry) -> None:
    """Offer the integrators of continuous time."""
    registry.integrator.add(
        "rk4", _rk4, summary="classical fourth order, fixed step; laws of force, with events"
    )
    registry.integrator.add(
        "dormand_prince",
        _dormand_prince,
        summary="adaptive 5(4) or 8(5,3) to a tolerance; laws of force, with events",
        requires=("scipy",),
    )
