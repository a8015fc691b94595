"""The impact-model role: what happens to the velocity when points newly touch."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from types import MappingProxyType
from typing import ClassVar

from footfall.interfaces.plugin import Plugin
from footfall.problem.contact_problem import ContactProblem


class ImpactModel(Plugin):
    """Resolves an impulsive problem ``v+ = v + M^-1 J' r`` over the touching points.

    Constructed as ``cls(config)``, or ``cls(config, solver)`` if ``uses_solver``.
    """

    uses_solver: ClassVar[bool] = False
    acts: ClassVar[bool] = True
    """False for the null model: the stepper then looks for no impacts."""
    bilateral: ClassVar[bool] = False
    """Whether it holds every touching point, pulling where it must, without bound on friction."""
    residual_bound: ClassVar[float | None] = None
    """Largest natural-map residual of its answers, as in ``ContactModel``; None: it solves
    something else than Signorini's condition and Coulomb's law."""
    anisotropy: ClassVar[float] = 0.0
    """By how much friction exceeds mu in its strongest direction along the ground, relative."""
    known_misses: ClassVar[Mapping[str, str]] = MappingProxyType({})
    """Checks that it is known to miss, by name, with the reason; as in ``ContactModel``."""

    @abstractmethod
    def resolve(self, problem: ContactProblem) -> None:
        """Overwrite ``problem.impulse``, ``offset`` and ``report``; must not add energy."""
