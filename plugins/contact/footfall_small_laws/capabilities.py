"""The capabilities that all laws of this package have."""

from __future__ import annotations

from footfall.api.plugin import Capability

CAPABILITIES = frozenset(
    {
        Capability.FRICTION,
        Capability.DIRECTIONAL_FRICTION,
        Capability.TILTED_TERRAIN,
        Capability.MOVING_GROUND,
        Capability.SEVERAL_BODIES,
        Capability.IMPLICIT_GAINS,
    }
)
