"""Contact laws by Gauss's principle of least constraint: two modes, and a corrected form."""

from __future__ import annotations

from typing import TYPE_CHECKING

from footfall.api.plugin import hookimpl

if TYPE_CHECKING:
    from footfall.api.plugin import Registry
    from footfall_gauss.contact import Gauss, GaussDeSaxce, GaussDiscrete


def _gauss() -> type[Gauss]:
    from footfall_gauss.contact import Gauss

    return Gauss


def _gauss_discrete() -> type[GaussDiscrete]:
    from footfall_gauss.contact import GaussDiscrete

    return GaussDiscrete


def _gauss_de_saxce() -> type[GaussDeSaxce]:
    from footfall_gauss.contact import GaussDeSaxce

    return GaussDeSaxce


@hookimpl
def footfall_register(registry: Registry) -> None:
    """Offer the contact laws ``gauss``, ``gauss_discrete`` and ``gauss_de_saxce``."""
    registry.contact.add(
        "gauss", _gauss, summary="Gauss's principle, accelerations, friction pyramid, QP"
    )
    registry.contact.add(
        "gauss_discrete",
        _gauss_discrete,
        summary="Gauss's principle, velocities after one step, friction pyramid, QP",
    )
    registry.contact.add(
        "gauss_de_saxce",
        _gauss_de_saxce,
        summary="the same QP iterated to Coulomb's law over the pyramid: slides, does not hop",
    )
