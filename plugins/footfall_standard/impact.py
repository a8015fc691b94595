"""No impact model: the contact law brings points to rest itself."""

from __future__ import annotations

from footfall.interfaces.impact import ImpactModel
from footfall.interfaces.plugin import NoConfig
from footfall.problem.contact_problem import ContactProblem


class NoImpact(ImpactModel):
    """Leaves velocities as they are."""

    name = "none"
    acts = False

    def __init__(self, config: NoConfig) -> None:
        self.config = config

    def resolve(self, problem: ContactProblem) -> None:
        """Set all impulses to zero."""
        problem.impulse[:] = 0.0
        problem.offset[:] = 0.0
        problem.arrays.report[:] = 0.0
