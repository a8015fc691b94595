"""Gauss's principle of least constraint as a contact law, in its two modes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from footfall.registry import hookimpl

if TYPE_CHECKING:
    from footfall.registry.registry import Registry
    from footfall_gauss.contact import Gauss, GaussDiscrete


def _gauss() -> type[Gauss]:
    from footfall_gauss.contact import Gauss

    return Gauss


def _gauss_discrete() -> type[GaussDiscrete]:
    from footfall_gauss.contact import GaussDiscrete

    return GaussDiscrete


@hookimpl
def footfall_register(registry: Registry) -> None:
    """Offer the contact laws ``gauss`` and ``gauss_discrete``."""
    registry.contact.add(
        "gauss", _gauss, summary="Gauss's principle, accelerations, friction pyramid, QP"
    )
    registry.contact.add(
        "gauss_discrete",
        _gauss_discrete,
        summary="Gauss's principle, velocities after one step, friction pyramid, QP",
    )
