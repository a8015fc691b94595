"""Contact laws by Gauss's principle of least constraint: two modes, and a corrected form."""

from __future__ import annotations

from footfall.api.plugin import Registry, hookimpl


@hookimpl
def footfall_register(registry: Registry) -> None:
    """Offer the contact laws ``gauss``, ``gauss_discrete`` and ``gauss_de_saxce``."""
    registry.contact.add(
        "gauss",
        "footfall_gauss.contact:Gauss",
        summary="Gauss's principle, accelerations, friction pyramid, QP",
    )
    registry.contact.add(
        "gauss_discrete",
        "footfall_gauss.contact:GaussDiscrete",
        summary="Gauss's principle, velocities after one step, friction pyramid, QP",
    )
    registry.contact.add(
        "gauss_de_saxce",
        "footfall_gauss.contact:GaussDeSaxce",
        summary="the same QP iterated to Coulomb's law over the pyramid: slides, does not hop",
    )
