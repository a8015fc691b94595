"""The contract of commands: shared options, output paths, whole files, the interface of exporters.

Light to import, since every ``--help`` does.

A plugin adds a command in ``footfall_register`` by ``registry.command.add(name, loader,
summary="...")``. The loader returns a function whose arguments have typer's annotations, or a
``typer.Typer`` with commands of its own. Errors of the tree ``FootfallError`` are printed in one
line, exit code 1. A command that Ctrl-C has ended raises ``KeyboardInterrupt``: exit code 130.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Protocol

import typer

from footfall.whole_file import write_whole as write_whole

if TYPE_CHECKING:
    from rich.console import Console

SceneName = Annotated[
    str, typer.Argument(help="A bundled scene (footfall scenes) or a .toml file.")
]
"""Argument of commands that run a scene."""

Duration = Annotated[
    float | None,
    typer.Option("--duration", metavar="SECONDS", help="Simulated time instead of the scene's."),
]
"""Option of commands that run a scene."""


Trust = Annotated[
    bool,
    typer.Option("--trust", help="Let the file name functions, which are imported and run."),
]
"""Option of commands that make the scene again that a recording or a state holds."""


Changes = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="KEY=VALUE", help="Change a key; may be repeated."),
]
"""Option of commands that load a scene; ``footfall.api.config.parse_assignments`` reads it."""


class Exporter(Protocol):
    """What ``registry.exporter`` holds by the name of a format: a function that writes a recording.

    ``footfall export RECORDING --format NAME`` calls it.
    """

    def __call__(
        self, recording: Path, output: Path, *, overwrite: bool, trust: bool = False
    ) -> None:
        """Write a recording in another format; the file appears whole or not at all.

        Args:
            recording: what ``footfall.open_run`` opens; of a run with several segments the first
                (``footfall.open_segments``), or one of the others by its path. A format that says
                nothing of what happened may also take what ``footfall.load_scene`` takes.
            output: the file or folder to write.
            overwrite: whether what is there may be replaced.
            trust: whether functions that the recording names may be imported
                (``footfall.stored_scene``); given only where the user trusts it.

        Raises:
            RecordingError: if the recording cannot be read, or the output exists or cannot be
                written.
        """


def default_output(name: str, folder: Path = Path("runs")) -> Path:
    """Return a path for a recording that does not exist yet, e.g. ``runs/cube-drop-...zarr``."""
    from datetime import datetime

    stem = f"{name.replace('/', '-')}-{datetime.now():%Y%m%d-%H%M%S}"
    path, n = folder / f"{stem}.zarr", 1
    while path.exists():
        n += 1
        path = folder / f"{stem}-{n}.zarr"
    return path


def console(width: int) -> Console:
    """Return where tables are printed: the terminal, or lines of ``width`` columns."""
    from rich.console import Console

    screen = Console(highlight=False)
    return screen if screen.is_terminal else Console(highlight=False, width=width)
