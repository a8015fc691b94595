"""Where a table comes from, so that errors can point into its file."""

from __future__ import annotations

from dataclasses import dataclass

from footfall.config.toml import KeyLines, KeyPath, dotted
from footfall.errors import SceneError


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
        if self._is_overridden(path):
            return SceneError(f"{message} (set by an override)", key=dotted(path))
        known = (self.lines.get(path[:n]) for n in range(len(path), 0, -1))
        line = next((line for line in known if line is not None), None)
        return SceneError(message, file=self.file, line=line, key=dotted(path) or None)

    def _is_overridden(self, path: KeyPath) -> bool:
        """Whether an override has set the key, or something of the table that the key is."""
        for n in range(len(path), 0, -1):
            if path[:n] in self.lines:
                if self.lines[path[:n]] is None:
                    return True
                break
        return path not in self.lines and any(
            line is None and key[: len(path)] == path for key, line in self.lines.items()
        )
