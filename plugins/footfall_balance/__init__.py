"""Balance on feet: a whole-body controller of momentum."""

from __future__ import annotations

from typing import TYPE_CHECKING

from footfall.api.plugin import hookimpl

if TYPE_CHECKING:
    from footfall.api.plugin import Registry
    from footfall_balance.controller import MomentumBalance


def _momentum_balance() -> type[MomentumBalance]:
    from footfall_balance.controller import MomentumBalance

    return MomentumBalance


@hookimpl
def footfall_register(registry: Registry) -> None:
    """Offer the controller ``momentum_balance``."""
    registry.controller.add(
        "momentum_balance",
        _momentum_balance,
        summary="balances on feet with a whole-body QP, along a schedule of phases",
    )
