"""Outcomes of a comparison: of one combination, and of all combinations."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from footfall import RunReport, open_run
from footfall.api.command import write_whole
from footfall.api.plugin import RecordingError
from footfall_compare.reference import Own
from footfall_compare.trajectory import Difference, Trajectory
from footfall_compare.variation import Combination, Variation

if TYPE_CHECKING:
    import xarray as xr

Ending = Literal["complete", "refused", "failed", "interrupted"]
PAGE, TABLE = "comparison.html", "comparison.json"
"""Names of the page and of the table beside the recordings."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of one combination.

    Attributes:
        combination: the values.
        ending: ``complete``; ``refused``: the scene cannot run; ``failed``: the run ended with an
            error; ``interrupted``.
        reason: reason why it is not complete, in one line; else empty.
        report: figures of the run up to its end; None if refused.
        trajectory: its motion; None if there is no recording.
        difference: from the first complete combination; None if either is not complete.
    """

    combination: Combination
    ending: Ending
    reason: str = ""
    report: RunReport | None = None
    trajectory: Trajectory | None = field(default=None, repr=False)
    difference: Difference | None = None

    @property
    def recording(self) -> Path | None:
        """Path of the recording, None if there is none."""
        return self.report.recording if self.report and self.trajectory else None

    def open(self) -> xr.Dataset:
        """Open the recording.

        Raises:
            RecordingError: if there is none; names the reason.
        """
        if self.recording is None:
            raise RecordingError(f"{self.combination.label}: no recording: {self.reason}")
        return open_run(self.recording)


@dataclass(frozen=True, slots=True)
class Comparison:
    """Outcomes of a scene in several variations, with a page that shows them.

    Attributes:
        scene: name of the scene.
        variations: varied keys and values.
        outcomes: in the order of the runs.
        folder: folder of the recordings.
        own: motions of the reference that show what it does not determine; None if not run.
    """

    scene: str
    variations: Sequence[Variation]
    outcomes: Sequence[Outcome]
    folder: Path
    own: Own | None = None

    @property
    def reference(self) -> Outcome | None:
        """The first complete combination, with which the others are compared."""
        return next((o for o in self.outcomes if o.ending == "complete"), None)

    def judgements(self) -> dict[int, tuple[bool, str]]:
        """Return whether each combination differs beyond the reference's own differences, and text.

        By number of the combination; those whose difference does not count are left out.
        """
        if self.own is None or self.reference is None:
            return {}
        name, judge = self.reference.combination.label, self.own.judge
        runs = {o.combination.number: o.trajectory for o in self.outcomes if o.ending == "complete"}
        return {n: found for n, run in runs.items() if run and (found := judge(run, name))}

    def write_tables(self) -> None:
        """Write ``comparison.json`` beside the recordings."""
        own, judged = self.own.differences() if self.own else {}, self.judgements()
        tables = {
            "scene": self.scene,
            "own": {way: asdict(off) for way, off in own.items()},
            "horizon": self.own.horizon if self.own and self.own.horizon < inf else None,
            "outcomes": [
                {
                    **asdict(one.combination),
                    "ending": one.ending,
                    "reason": one.reason,
                    "difference": one.difference and asdict(one.difference),
                    "judgement": judged.get(one.combination.number),
                }
                for one in self.outcomes
            ],
        }
        text = json.dumps(tables, indent=2, default=str).replace(": NaN", ": null")
        write_whole(self.folder / TABLE, text + "\n")

    def write_page(self, path: str | Path | None = None, *, overwrite: bool = False) -> Path:
        """Write a page with the table and overlaid plots; it needs no network.

        Args:
            path: path of the page; by default ``comparison.html`` beside the recordings.
            overwrite: True if an existing file may be replaced.

        Raises:
            PluginError: if plotly is not installed; names the install command.
            RecordingError: if the file exists or cannot be written.
        """
        from footfall_compare.page import write_page

        return write_page(self, Path(path) if path else self.folder / PAGE, overwrite=overwrite)
