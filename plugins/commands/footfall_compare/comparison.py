"""The result of ``footfall.compare``."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from footfall_compare.outcome import PAGE, Outcomes
from footfall_compare.page import write_page


@dataclass(frozen=True, slots=True)
class Comparison(Outcomes):
    """Outcomes of a scene in several variations, with a page that shows them."""

    def write_page(self, path: str | Path | None = None, *, overwrite: bool = False) -> Path:
        """Write a page with the table and overlaid plots; it needs no network.

        Args:
            path: path of the page; by default ``comparison.html`` beside the recordings.
            overwrite: True if an existing file may be replaced.

        Raises:
            PluginError: if plotly is not installed; names the install command.
            RecordingError: if the file exists or cannot be written.
        """
        return write_page(self, Path(path) if path else self.folder / PAGE, overwrite=overwrite)
