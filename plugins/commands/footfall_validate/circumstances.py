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
            found.append(f"{package}=={version(package)}")
        except PackageNotFoundError:
            continue
    day = datetime.now(UTC).date().isoformat()
    python = f"Python {platform.python_version()} on {platform.system()} {platform.machine()}"
    return f"measured on {day} with {', '.join(found)}, {python}."


def table(
    header: Sequence[str], rows: Sequence[Sequence[str]], kept: Sequence[int] | None = None
) -> str:
    """Return a Markdown table of the kept columns, all of them if None."""
    columns = range(len(header)) if kept is None else kept
    first, *others = (
        "| " + " | ".join(line[k] for k in columns) + " |\n" for line in (header, *rows)
    )
    return "".join([first, "|" + "---|" * len(columns) + "\n", *others])


def merged(rows: Sequence[Sequence[str]]) -> list[list[str]]:
    """Return rows of a table; those that differ in the first cell only become one."""
    alike: dict[tuple[str, ...], list[str]] = {}
    for name, *cells in rows:
        alike.setdefault(tuple(cells), []).append(name)
    return [["; ".join(names), *cells] for cells, names in alike.items()]


def prose(name: str) -> str:
    """Return a text of ``prose/``, without the end of its last line."""
    return (Path(__file__).parent / "prose" / f"{name}.md").read_text("utf-8").rstrip("\n")


def write_page(folder: Path, name: str, *packages: str, **values: object) -> Path:
    """Fill the text of a page, ``prose/NAME.md``, with values and circumstances; write it.

    Args:
        folder: the folder, which is made if it is missing.
        name: name of the page.
        packages: further packages to list with their versions.
        values: values of the text's fields.

    Returns:
        Path of the page.
    """
    folder.mkdir(parents=True, exist_ok=True)
    page = folder / f"{name}.md"
    filled = prose(name).format(circumstances=circumstances(*packages), **values)
    write_whole(page, filled.rstrip("\n") + "\n")
    return page
