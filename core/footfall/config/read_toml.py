"""Read a TOML file, with an error that names the line."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from footfall.config.toml_lines import KeyLines, key_lines
from footfall.errors import SceneError

_AT_LINE = re.compile(r"\s*\(at line (\d+), column (\d+)\)$")


@dataclass(frozen=True, slots=True)
class TomlFile:
    """What a TOML file holds, not yet validated.

    Attributes:
        file: its path, as errors show it.
        data: its tables.
        lines: line of each key.
    """

    file: str
    data: dict[str, Any]
    lines: KeyLines


def read_toml(path: Path | str) -> TomlFile:
    """Read a TOML file.

    Raises:
        SceneError: if it cannot be read or is not TOML; names the line.
    """
    file = str(path)
    try:
        text = Path(path).read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        raise SceneError("is not a text file in UTF-8", file=file, line=line) from error
    except OSError as error:
        raise SceneError(f"cannot be read: {error.strerror}", file=file) from error
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise _not_toml(error, text, file) from error
    return TomlFile(file, data, key_lines(text))


def _not_toml(error: tomllib.TOMLDecodeError, text: str, file: str) -> SceneError:
    message = str(error)
    found = _AT_LINE.search(message)
    line = int(found[1]) if found else text.count("\n") + 1
    message = _AT_LINE.sub("", message).removesuffix(" (at end of document)")
    return SceneError(f"is not valid TOML: {message}", file=file, line=line)
