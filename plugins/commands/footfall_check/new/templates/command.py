"""The command ``footfall new_plugin``."""

from __future__ import annotations

from typing import Annotated

import typer


def new_plugin(
    who: Annotated[str, typer.Argument(help="Who is greeted.")] = "world",
    times: Annotated[int, typer.Option(min=1, help="How often.")] = 1,
) -> None:
    """Greet somebody: REPLACE THIS BY WHAT YOUR COMMAND DOES.

    A mistake of the user's is an error of ``footfall.api.errors``: it is printed as one line.
    """
    for _ in range(times):
        print(f"hello {who}")
