"""Outcomes of a comparison: of one combination, and of all of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from footfall import RunReport, open_run
from footfall.api.errors import RecordingError
from footfall_compare.trajectory import Difference, Trajectory
from footfall_compare.variation import Combination, Variation

if TYPE_CHECKING:
    import xarray as xr

Ending = Literal["complete", "refused", "failed", "interrupted"]
PAGE = "comparison.html"
"""Name of the page beside the recordings."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a combination.

    Attributes:
        combination: the values.
        ending: ``refused`` if the scene cannot be run, ``failed`` if the run broke off.
        reason: why it is not complete, in one line; empty if it is.
        report: figures of the run, up to where it came; None if it is refused.
        trajectory: its motion; None if there is no recording.
        difference: from the first combination that ran to its end; None if either did not.
    """

    combination: Combination
    ending: Ending
    reason: str = ""
    report: RunReport | None = None
    trajectory: Trajectory | None = field(default=None, repr=False)
    difference: Difference | None = None

    @property
    def recording(self) -> Path | None:
        """Where the recording is; None if there is none."""
        return self.report.recording if self.report and self.trajectory else None

    def open(self) -> xr.Dataset:
        """Open the recording.

        Raises:
            RecordingError: if there is none; says why.
        """
        if self.recording is None:
            raise RecordingError(f"{self.combination.label}: no recording: {self.reason}")
        return open_run(self.recording)


@dataclass(frozen=True, slots=True)
class Outcomes:
    """What became of a scene that was run in several variations.

    Attributes:
        scene: name of the scene.
        variations: what was varied.
        outcomes: in the order in which they ran.
        folder: where the recordings are.
    """

    scene: str
    variations: Sequence[Variation]
    outcomes: Sequence[Outcome]
    folder: Path

    @property
    def reference(self) -> Outcome | None:
        """The combination that the others are compared with: the first complete one."""
        return next((o for o in self.outcomes if o.ending == "complete"), None)
