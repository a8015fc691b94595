"""No impact model: the contact law brings points to rest itself."""

from __future__ import annotations

from footfall.api.contact import ContactProblem, ImpactModel


class NoImpact(ImpactModel):
    """Leave velocities unchanged: the contact law resolves impacts."""

    name = "none"
    acts = False

    def resolve(self, problem: ContactProblem) -> None:
        """Set all impulses to zero."""
        problem.impulse[:] = 0.0
        problem.offset[:] = 0.0
        problem.report.write()


class Dissipative(NoImpact):
    """The contact law resolves impacts, with less restitution if it would add energy.

    All coefficients of restitution in a collision group are multiplied by the same factor: the
    largest factor up to 1 that adds no energy (to about 1e-4).
    """

    name = "dissipative"
    cuts = True
