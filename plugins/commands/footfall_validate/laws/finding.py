"""The result of a check for a combination of laws."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field
from time import perf_counter
from typing import Literal

import numpy as np

from footfall.api.plugin import error_line
from footfall_validate.combination import Combination, Names
from footfall_validate.lab import Lab, Refused
from footfall_validate.laws.check import Check, Measure, Trace

Outcome = Literal[
    "holds", "FAILS", "holds, not claimed", "misses as declared", "refused", "not available"
]


@dataclass(frozen=True, slots=True)
class Finding:
    """The result of a check.

    Attributes:
        check: name of the check.
        laws: names of the plugins.
        disclaimed: reason why the laws do not claim the check; None if they do.
        measures: all measures, or those up to an error.
        traces: curves for the figures.
        error: reason why it did not finish, None if it did.
        refused: whether the reason is that the laws do not declare something it needs.
        unavailable: whether a plugin or one of its dependencies is not installed.
        seconds: wall-clock time, [s].
        steps: steps of all simulators together.
        residual: largest natural-map residual, computed by Footfall, [m/s]; None if nothing was
            simulated, and in continuous time: forces act at every instant, and no step has
            impulses to check.
    """

    check: str
    laws: Names
    disclaimed: str | None = None
    measures: tuple[Measure, ...] = ()
    traces: tuple[Trace, ...] = field(default=(), repr=False)
    error: str | None = None
    refused: bool = False
    unavailable: bool = False
    seconds: float = 0.0
    steps: int = 0
    residual: float | None = None

    @property
    def is_met(self) -> bool:
        """Whether the check finished with every figure within its tolerance."""
        return self.error is None and all(measure.is_met for measure in self.measures)

    @property
    def outcome(self) -> Outcome:
        """The verdict: a miss is a failure if the laws claim the check."""
        if self.unavailable:
            return "not available"
        if self.disclaimed is None:
            return "holds" if self.is_met else "FAILS"
        if self.refused:
            return "refused"
        return "holds, not claimed" if self.is_met else "misses as declared"

    @property
    def worst(self) -> Measure | None:
        """Measure with the largest error in units of its tolerance."""
        return max(self.measures, key=lambda measure: measure.excess, default=None)

    @property
    def shown_residual(self) -> str:
        """The residual as text, "-" if there is none."""
        return "-" if self.residual is None else f"{self.residual:.1e}"

    @property
    def reason(self) -> str:
        """Reasons why it did not finish or is not claimed; empty if neither."""
        parts = (self.error, None if self.refused else self.disclaimed)
        return "; ".join(part for part in parts if part)


def examine(check: Check, laws: Combination) -> Finding:
    """Run a check; an exception of a plugin becomes part of the finding.

    Warnings of diverging numbers are not shown; the figures show the divergence.
    """
    start, lab = perf_counter(), None
    found: list[Measure | Trace] = []
    error, refused = None, False
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            lab = Lab(laws)
            for item in check.run(lab):
                found.append(item)
        if not found:
            error = "nothing was measured"
    except Refused as why:
        error, refused = str(why), True
    except Exception as raised:
        error = f"raised {error_line(raised)}"
    return Finding(
        check=check.name,
        laws=laws.names,
        disclaimed=check.disclaimed(laws),
        measures=tuple(item for item in found if isinstance(item, Measure)),
        traces=tuple(item for item in found if isinstance(item, Trace)),
        error=error,
        refused=refused,
        seconds=perf_counter() - start,
        steps=lab.steps if lab else 0,
        residual=lab.residual if lab else None,
    )
