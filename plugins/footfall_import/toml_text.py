"""Write TOML by hand, so that what is proposed stands beside where it comes from."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence

_BARE = re.compile(r"[A-Za-z0-9_-]+")
WIDTH = 100


def key(name: str) -> str:
    """Return a TOML key."""
    return name if _BARE.fullmatch(name) else json.dumps(name, ensure_ascii=False)


def text(value: str) -> str:
    """Return a TOML string."""
    return json.dumps(value, ensure_ascii=False)


def number(value: float, digits: int = 9) -> str:
    """Return a TOML float, rounded to so many significant digits."""
    rounded = float(f"{value:.{digits}g}")
    return repr(0.0 if rounded == 0.0 else rounded)


def vector(values: Iterable[float], digits: int = 6) -> str:
    """Return a TOML array of floats, rounded to so many decimals."""
    return "[" + ", ".join(repr(round(float(v), digits) + 0.0) for v in values) + "]"


def array(items: Sequence[str]) -> str:
    """Return a TOML array, on several lines if it is long."""
    line = "[" + ", ".join(items) + "]"
    if len(line) <= WIDTH - 20:
        return line
    return "[\n" + "".join(f"    {item},\n" for item in items) + "]"


def comment(words: str) -> str:
    """Return a comment of full lines."""
    lines = [""]
    for word in words.split():
        if lines[-1] and len(lines[-1]) + len(word) + 3 > WIDTH:
            lines.append("")
        lines[-1] += (" " if lines[-1] else "") + word
    return "\n".join(f"# {line}" for line in lines if line)
