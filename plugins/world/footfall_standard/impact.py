"""No impact model: the contact law brings points to rest itself."""

from __future__ import annotations

from footfall.api.contact import ContactProblem, ImpactModel
from footfall.api.plugin import PluginConfig


class NoImpact(ImpactModel):
    """Impact model that does not change velocities."""

    name = "none"
    acts = False

    def __init__(self, config: PluginConfig) -> None:
        self.config = config

    def resolve(self, problem: ContactProblem) -> None:
        """Set all impulses to zero."""
        problem.impulse[:] = 0.0
        problem.offset[:] = 0.0
        problem.report.write()
