"""Circumstances of a measurement (when, with which versions), and Markdown tables."""

from __future__ import annotations

import platform
from collections.abc import Sequence
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version

PACKAGES = ("footfall", "numpy", "numba", "scipy", "pin", "proxsuite")


def circumstances(*more: str) -> str:
    """Return date, versions and kind of processor in a sentence.

    Args:
        more: further packages whose versions count.
    """
    found = []
    for package in (*PACKAGES, *more):
        try:
            found.append(f"{package} {version(package)}")
        except PackageNotFoundError:
            continue
    day = datetime.now(UTC).date().isoformat()
    python = f"Python {platform.python_version()} on {platform.system()} {platform.machine()}"
    return f"measured on {day} with {', '.join(found)}, {python}."


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a Markdown table."""
    lines = [header, ["---"] * len(header), *rows]
    return "".join("| " + " | ".join(line) + " |\n" for line in lines)
