"""No impact model: the contact law brings points to rest itself."""

from __future__ import annotations

from footfall.api.contact import ContactProblem, ImpactModel


class NoImpact(ImpactModel):
    """Leave velocities unchanged, for laws that resolve impacts themselves."""

    name = "none"
    acts = False

    def resolve(self, problem: ContactProblem) -> None:
        """Set all impulses to zero."""
        problem.impulse[:] = 0.0
        problem.offset[:] = 0.0
        problem.report.write()


class Dissipative(NoImpact):
    """The contact law's impacts, with their restitution cut where it would add energy.

    All coefficients of a group of linked contacts are multiplied by the largest s <= 1 (to 1e-4)
    that adds no energy, see ``footfall.problem.restitution``.
    """

    name = "dissipative"
    cuts = True
