"""A closed form that laws are compared with."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Literal

from footfall_validate.claims import Claim
from footfall_validate.combination import Combination
from footfall_validate.lab import Lab
from footfall_validate.measure import Measure, Trace

Run = Callable[[Lab], Iterable[Measure | Trace]]


@dataclass(frozen=True, slots=True)
class Check:
    """One closed form.

    Attributes:
        name: by which it is chosen.
        title: what is looked at, in a few words.
        run: simulates and yields measures, and curves for the figures.
        needs: what the laws must claim for a miss to be a failure.
        about: whose figures they are: with ``impact`` it is run with every impact model, with
            ``contact`` with the one that suits each law, with ``motion`` also with every
            integrator, since no contact takes part in it.
    """

    name: str
    title: str
    run: Run
    needs: tuple[Claim, ...] = ()
    about: Literal["motion", "contact", "impact"] = "contact"

    def __str__(self) -> str:
        return self.name

    @property
    def reference(self) -> str:
        """The equation, its source, and where the tolerance comes from."""
        return inspect.cleandoc(self.run.__doc__ or "")

    def disclaimed(self, laws: Combination) -> str | None:
        """Return why laws do not claim the check, None if they do."""
        for needed in self.needs:
            reason = needed(laws)
            if reason:
                return reason
        for subject in (laws.contact, laws.impact, laws.integrator):
            misses = getattr(subject.cls, "known_misses", {})
            if self.name in misses:
                return str(misses[self.name])
        return None
