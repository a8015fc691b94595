"""What ``footfall.compare`` returns."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from footfall_compare.outcome import PAGE, Outcomes
from footfall_compare.page import write_page


@dataclass(frozen=True, slots=True)
class Comparison(Outcomes):
    """A scene run in several variations: its outcomes, and a page that shows them."""

    def write_page(self, path: str | Path | None = None, *, overwrite: bool = False) -> Path:
        """Write a page with the table and overlaid plots that opens from disk, without a network.

        Args:
            path: of the page; by default ``comparison.html`` beside the recordings.
            overwrite: whether a file of that name is replaced.

        Raises:
            PluginError: if plotly is not installed; says how to install it.
            RecordingError: if the file exists or cannot be written.
        """
        return write_page(self, Path(path) if path else self.folder / PAGE, overwrite=overwrite)
