"""Circumstances of a measurement (date, versions), and Markdown tables."""

from __future__ import annotations

import platform
from collections.abc import Sequence
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version

PACKAGES = ("footfall", "numpy", "numba", "scipy", "pin", "proxsuite")


def circumstances(*more: str) -> str:
    """Return date, versions and processor type as part of a sentence.

    Args:
        more: names of further packages to list with their versions.
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
