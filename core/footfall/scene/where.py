"""Where a table comes from, so that errors can point into its file."""

from __future__ import annotations

from dataclasses import dataclass

from footfall.errors import SceneError
from footfall.scene.toml_lines import KeyLines, KeyPath, dotted


@dataclass(frozen=True, slots=True)
class Where:
    """Where a table comes from, so that an error can point into it.

    Attributes:
        file: path of the file, or None for a table that was given in Python.
        lines: line of each key of the whole file.
    """

    file: str | None
    lines: KeyLines

    def error(self, message: str, path: KeyPath) -> SceneError:
        """Make an error about the key at a path of the whole file."""
        line = None
        for n in range(len(path), 0, -1):
            if path[:n] in self.lines:
                line = self.lines[path[:n]]
                if line is None:
                    return SceneError(f"{message} (set by an override)", key=dotted(path))
                break
        return SceneError(message, file=self.file, line=line, key=dotted(path) or None)
