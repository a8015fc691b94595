"""The contract of commands: shared options, output paths, whole files, XML files.

It is light to import, since every ``--help`` imports it.

A plugin adds a command in ``footfall_register`` by ``registry.command.add(name, loader,
summary="...")``. The loader returns a function whose arguments have typer's annotations, or a
``typer.Typer`` with its own commands. A ``FootfallError`` is printed in one line with exit code 1.
A command ended by Ctrl-C raises ``KeyboardInterrupt``, with exit code 130.
"""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from footfall.config.toml import Key as Key
from footfall.errors import RecordingError
from footfall.formats.xml import read_xml as read_xml
from footfall.scene.overrides import parse_assignments as parse_assignments
from footfall.whole_file import write_whole as write_whole

if TYPE_CHECKING:
    from rich.console import Console

SceneName = Annotated[str, typer.Argument(help="Name of a bundled scene, or a .toml file.")]
"""Argument of commands that run a scene."""

Duration = Annotated[
    float | None,
    typer.Option("--duration", metavar="SECONDS", help="Simulated time; default: the scene's."),
]
"""Option of commands that run a scene."""


Trust = Annotated[
    bool, typer.Option("--trust", help="Run the functions that are named in a recording or state.")
]
"""Option of commands that rebuild the scene of a recording or a state."""


Changes = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="KEY=VALUE", help="Change a key of the scene; may be repeated."),
]
"""Option of commands that load a scene; ``footfall.api.command.parse_assignments`` reads it."""


def default_output(name: str, folder: Path = Path("runs"), suffix: str = ".zarr") -> Path:
    """Make a new, empty folder for output, e.g. ``runs/cube-drop-...zarr``; return its path.

    No other process gets this path. A recording takes an empty folder with ``overwrite=True``.

    Raises:
        RecordingError: if the folder cannot be made.
    """
    from datetime import datetime
    from itertools import count

    stem = f"{name.replace('/', '-')}-{datetime.now():%Y%m%d-%H%M%S}"
    with RecordingError.of_file(folder):
        folder.mkdir(parents=True, exist_ok=True)
        for n in count(1):
            path = folder / f"{stem}{f'-{n}' * (n > 1)}{suffix}"
            with suppress(FileExistsError):
                path.mkdir()
                break
    return path


def console(width: int) -> Console:
    """Return the console for tables: the terminal, or lines of ``width`` columns."""
    from rich.console import Console

    screen = Console(highlight=False)
    return screen if screen.is_terminal else Console(highlight=False, width=width)
