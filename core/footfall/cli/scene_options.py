"""Arguments of the commands that run a scene."""

from __future__ import annotations

from typing import Annotated

import typer

SceneName = Annotated[
    str, typer.Argument(help="A bundled scene (footfall scenes) or a .toml file.")
]
Duration = Annotated[
    float | None,
    typer.Option("--duration", metavar="SECONDS", help="Simulated time instead of the scene's."),
]
