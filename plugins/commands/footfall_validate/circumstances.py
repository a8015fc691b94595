"""Circumstances of a measurement (date, versions), and Markdown tables and pages."""

from __future__ import annotations

import platform
from collections.abc import Sequence
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from footfall.api.command import write_whole

PACKAGES = ("footfall", "numpy", "llvmlite", "scipy", "pin", "proxsuite")


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


def prose(name: str) -> str:
    """Return a text of ``prose/``, without the end of its last line."""
    return (Path(__file__).parent / "prose" / f"{name}.md").read_text("utf-8").rstrip("\n")


def write_page(folder: Path, name: str, *packages: str, **values: object) -> Path:
    """Fill the text of a page, ``prose/NAME.md``, with values and circumstances; write the page.

    Args:
        folder: the folder, which is made if it is missing.
        name: name of the page.
        packages: further packages to list with their versions.
        values: values of the text's fields.
    """
    folder.mkdir(parents=True, exist_ok=True)
    page = folder / f"{name}.md"
    filled = prose(name).format(circumstances=circumstances(*packages), **values)
    write_whole(page, filled.rstrip("\n") + "\n")
    return page
