"""TOML files with the line number of every key, so that errors can point into the file."""

from __future__ import annotations

import json
import re
import tomllib
from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from footfall.errors import SceneError

KeyPath = tuple[str | int, ...]
"""Path of a key in a file: table keys, and positions in arrays."""
KeyLines = Mapping[KeyPath, int | None]
"""Line of each key, from 1; None for a key that an override has set."""

LARGEST_FILE = 4_000_000
"""Greatest size of a TOML file, [bytes]."""
DEEPEST = 64
"""Greatest nesting depth of tables and arrays, and most parts of a dotted key."""
TOO_DEEP = f"is nested too deeply: at most {DEEPEST} tables and arrays in each other"
# Without the word boundary a match could start at each character of a long word.
_LONG_KEY = re.compile(rf"(?<![\w\"'-])(?:[\w\"'-]+[ \t]*\.[ \t]*){{{DEEPEST}}}")
_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")
_BASIC_STRING = re.compile(r'"(?:[^"\\]|\\.)*"')
_LITERAL_STRING = re.compile(r"'[^']*'")
# The closing quotes of a multi-line string may be preceded by up to two quotes of its text.
_LONG_BASIC_STRING = re.compile(r'"""(?:[^\\]|\\.)*?"{3,5}(?!")', re.DOTALL)
_LONG_LITERAL_STRING = re.compile(r"'''.*?'{3,5}(?!')", re.DOTALL)
_SCALAR = re.compile(r"[^,\]}#\n]+")
_SPACE = re.compile(r"[ \t]*")
_GAP = re.compile(r"(?:[ \t\n]|#[^\n]*)*")


def key_lines(text: str) -> dict[KeyPath, int]:
    """Return the line of every key, table and array element of a TOML text that tomllib accepts.

    Tables, arrays of tables, dotted and quoted keys, inline tables and arrays over several lines
    are covered; a table that is opened more than once keeps its first line.
    """
    return _Scanner(text.replace("\r\n", "\n")).scan()


def dotted(path: KeyPath) -> str:
    """Return a path as a TOML key, e.g. ``feet[0].points`` or ``pairs."box/terrain".friction``."""
    parts = ""
    for part in path:
        if isinstance(part, int):
            parts += f"[{part}]"
        else:
            parts += "." * bool(parts)
            parts += part if _BARE_KEY.fullmatch(part) else json.dumps(part, ensure_ascii=False)
    return parts


def parse_key(key: str) -> KeyPath:
    """Parse a dotted TOML key, e.g. ``bodies.icub.joint_positions."l_.*"``.

    Raises:
        ValueError: if the text is not a dotted key.
    """
    scanner = _Scanner(key + "=")
    try:
        path = scanner.key()
    except ValueError as error:
        raise ValueError(f"{key!r} is not a dotted key") from error
    if scanner.at != len(key):
        raise ValueError(f"{key!r} is not a dotted key")
    return tuple(path)


class Key(tuple[str | int, ...]):
    """The path of a key, a tuple of its parts; ``str`` writes it dotted, as TOML does."""

    @classmethod
    def parse(cls, text: str) -> Key:
        """Parse a dotted key, e.g. ``pairs."box/terrain".friction``.

        Raises:
            ValueError: if the text is not a dotted key.
        """
        return cls(parse_key(text))

    @staticmethod
    def split(assignment: str) -> tuple[str, str, str]:
        """Return key, ``=`` and value, split at the first ``=`` outside quotes.

        Example: ``pairs."a=b".friction=1``. Without such a sign the last two are empty.
        """
        quote = ""
        for i, char in enumerate(assignment):
            if char in "\"'" and quote in ("", char):
                quote = "" if quote else char
            elif char == "=" and not quote:
                return assignment[:i].strip(), "=", assignment[i + 1 :]
        return assignment, "", ""

    def __str__(self) -> str:
        return dotted(self)


class _Scanner:
    """A recursive descent over a valid TOML text that records the line of each key."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.lines: dict[KeyPath, int] = {}
        self.arrays: dict[KeyPath, int] = {}  # number of tables so far in each array of tables
        self.breaks = [i for i, char in enumerate(text) if char == "\n"]

    def scan(self) -> dict[KeyPath, int]:
        """Scan the whole text and return the line of each key."""
        table: KeyPath = ()
        self.skip(_GAP)
        while self.at < len(self.text):
            if self.text[self.at] == "[":
                table = self.header()
            else:
                self.key_value(table)
            self.skip(_GAP)
        return self.lines

    def header(self) -> KeyPath:
        """Read ``[a.b]`` or ``[[a.b]]`` and return the path of the table that it opens."""
        line, many = self.line(), self.text.startswith("[[", self.at)
        self.at += 2 if many else 1
        keys = self.key()
        self.at += 2 if many else 1
        path: KeyPath = ()
        for i, key in enumerate(keys):
            path += (key,)
            self.lines.setdefault(path, line)
            if many and i == len(keys) - 1:
                self.arrays[path] = self.arrays.get(path, 0) + 1
            if path in self.arrays:
                path += (self.arrays[path] - 1,)
                self.lines.setdefault(path, line)
        return path

    def key_value(self, table: KeyPath) -> None:
        """Read ``key = value`` in a table."""
        line, path = self.line(), table
        for key in self.key():
            path += (key,)
            self.lines.setdefault(path, line)
        self.at += 1  # the "="
        self.skip(_SPACE)
        self.value(path)

    def key(self) -> list[str]:
        """Read a dotted key and the space after it."""
        keys: list[str] = []
        while True:
            self.skip(_SPACE)
            token = self.match(_BASIC_STRING, _LITERAL_STRING, _BARE_KEY)
            keys.extend([token] if token[0] not in "\"'" else tomllib.loads(f"{token} = 0"))
            self.skip(_SPACE)
            if self.text[self.at] != ".":
                return keys
            self.at += 1

    def value(self, path: KeyPath) -> None:
        """Skip a value; record the elements of arrays and the keys of inline tables."""
        start = self.text[self.at]
        if start in "[{":
            self.collection(path, "]" if start == "[" else "}")
        elif start in "\"'":
            self.match(_LONG_BASIC_STRING, _LONG_LITERAL_STRING, _BASIC_STRING, _LITERAL_STRING)
        else:
            self.match(_SCALAR)

    def collection(self, path: KeyPath, end: str) -> None:
        """Skip an array or an inline table."""
        self.at += 1
        self.skip(_GAP)
        index = 0
        while self.text[self.at] != end:
            if end == "]":
                self.lines.setdefault((*path, index), self.line())
                self.value((*path, index))
                index += 1
            else:
                self.key_value(path)
            self.skip(_GAP)
            if self.text[self.at] == ",":
                self.at += 1
                self.skip(_GAP)
        self.at += 1

    def line(self) -> int:
        """Return the current line, from 1."""
        return bisect_right(self.breaks, self.at - 1) + 1

    def skip(self, pattern: re.Pattern[str]) -> None:
        """Skip the text that a pattern matches; it may be empty."""
        match = pattern.match(self.text, self.at)
        self.at = match.end() if match else self.at

    def match(self, *patterns: re.Pattern[str]) -> str:
        """Skip the text that the first matching pattern matches, and return it."""
        for pattern in patterns:
            if match := pattern.match(self.text, self.at):
                self.at = match.end()
                return match.group()
        raise ValueError(f"not valid TOML at line {self.line()}")


_AT_LINE = re.compile(r"\s*\(at line (\d+), column (\d+)\)$")


@dataclass(frozen=True, slots=True)
class TomlFile:
    """The content of a TOML file, not yet validated.

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
        content = None
        if Path(path).is_file() or not Path(path).exists():  # to open a pipe would wait
            with Path(path).open("rb") as stream:
                content = stream.read(LARGEST_FILE + 1)
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or error
        raise SceneError(f"cannot be read: {why}", file=file) from error
    if content is None or len(content) > LARGEST_FILE:
        wrong = "is not a file" if content is None else f"is larger than {LARGEST_FILE} bytes"
        raise SceneError(wrong, file=file)
    try:
        text = content.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        raise SceneError("is not a text file in UTF-8", file=file, line=line) from error
    try:
        data = parse_toml(text)
    except tomllib.TOMLDecodeError as error:
        raise _not_toml(error, text, file) from error
    except ValueError as error:
        raise SceneError(str(error), file=file) from error
    return TomlFile(file, data, key_lines(text))


def parse_toml(text: str) -> dict[str, Any]:
    """Return the tables of a TOML text, in bounded time and depth.

    Raises:
        TOMLDecodeError: if the text is not TOML.
        ValueError: if it is nested too deeply, or holds a number with too many digits.
    """
    if _LONG_KEY.search(text):
        raise ValueError(TOO_DEEP)
    try:
        data = tomllib.loads(text)
    except RecursionError as error:
        raise ValueError(TOO_DEEP) from error
    except tomllib.TOMLDecodeError:
        raise
    except ValueError as error:  # Python's own limit on the digits of an integer
        raise ValueError("holds a number of too many digits") from error
    level: list[Any] = [data]
    for _ in range(DEEPEST):
        parts = (part.values() if isinstance(part, dict) else part for part in level)
        level = [value for part in parts for value in part if isinstance(value, dict | list)]
    if level:
        raise ValueError(TOO_DEEP)
    return data


def _not_toml(error: tomllib.TOMLDecodeError, text: str, file: str) -> SceneError:
    message = str(error)
    found = _AT_LINE.search(message)
    line = int(found[1]) if found else text.count("\n") + 1
    message = _AT_LINE.sub("", message).removesuffix(" (at end of document)")
    return SceneError(f"is not valid TOML: {message}", file=file, line=line)


@dataclass(frozen=True, slots=True)
class Where:
    """The origin of a table, so that an error can point into it.

    Attributes:
        file: path of the file, or None for a table that was given in Python.
        lines: line of each key of the whole file.
    """

    file: str | None
    lines: KeyLines

    def error(self, message: str, path: KeyPath) -> SceneError:
        """Return an error about the key at a path of the whole file."""
        if self._is_overridden(path):
            return SceneError(f"{message} (set by an override)", key=dotted(path))
        known = (self.lines.get(path[:n]) for n in range(len(path), 0, -1))
        line = next((line for line in known if line is not None), None)
        return SceneError(message, file=self.file, line=line, key=dotted(path) or None)

    def _is_overridden(self, path: KeyPath) -> bool:
        """Return whether an override has set the key, or a key of the table that it names."""
        heads = (path[:n] for n in range(len(path), 0, -1))
        if next((self.lines[head] for head in heads if head in self.lines), 0) is None:
            return True
        return path not in self.lines and any(
            line is None and key[: len(path)] == path for key, line in self.lines.items()
        )
