"""The QP solver quadprog."""

from __future__ import annotations

from typing import TYPE_CHECKING

from footfall.api.plugin import hookimpl

if TYPE_CHECKING:
    from footfall.api.plugin import Registry
    from footfall_quadprog.solver import Quadprog


def _quadprog() -> type[Quadprog]:
    from footfall_quadprog.solver import Quadprog

    return Quadprog


@hookimpl
def footfall_register(registry: Registry) -> None:
    """Offer the QP solver ``quadprog``."""
    registry.solver.add(
        "quadprog",
        _quadprog,
        summary="dual active set (Goldfarb and Idnani), with proximal steps",
        requires=("quadprog",),
        extra="quadprog",
    )
