"""The command ``footfall new_plugin``."""

from __future__ import annotations

from typing import Annotated

import typer


def new_plugin(
    who: Annotated[str, typer.Argument(help="Name to greet.")] = "world",
    times: Annotated[int, typer.Option(min=1, help="Number of greetings.")] = 1,
) -> None:
    """Greet somebody: REPLACE THIS BY YOUR COMMAND.

    For a user's mistake raise an error of ``footfall.api.plugin``: it is printed as one line.
    """
    for _ in range(times):
        print(f"hello {who}")
