"""What a plugin can do, in words for people."""

from __future__ import annotations

from footfall.interfaces.contact import ContactModel, Need
from footfall.interfaces.plugin import Capability, Plugin

APART = "several bodies that do not touch each other"
"""What "several bodies" is for laws that are stated with accelerations: contacts between bodies
would need the curvature of both surfaces (see ``footfall.assembly.collision_needs``)."""


def abilities(cls: type[Plugin]) -> list[str]:
    """Return the capabilities that a plugin declares, as they hold, in alphabetical order."""
    accelerations = issubclass(cls, ContactModel) and Need.JDOT_V in cls.needs
    return sorted(
        APART if what is Capability.SEVERAL_BODIES and accelerations else what.value
        for what in cls.capabilities
    )
