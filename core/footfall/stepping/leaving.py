"""Which contact laws give way, and when a rising point is left alone by those that do not."""

from __future__ import annotations

from footfall.interfaces.contact import ContactModel, ForceLaw
from footfall.interfaces.impact import ImpactModel
from footfall.interfaces.plugin import Capability

NEVER = 1e300
"""A speed that nothing reaches, [m/s], and a time that never comes, [s]."""


def gives(law: ContactModel) -> bool:
    """Return whether points at rest are in the ground: what presses them is the law's to stop."""
    return law.rest_depth(1.0) > 0.0


def leaving_speed(law: ContactModel, impact: ImpactModel, threshold: float) -> float:
    """Return the speed over e from which restituting points that rise stay out of a problem.

    A rigid law for forces holds the acceleration of a touching point whatever its velocity, and
    would carry a body that an impact has just thrown up: at e times the threshold at least.
    """
    throws = impact.acts and Capability.RESTITUTION in impact.capabilities
    if throws and isinstance(law, ForceLaw) and not gives(law):
        return threshold
    return NEVER
