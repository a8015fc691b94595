"""Options of the commands that try contact laws and impact models."""

from __future__ import annotations

from typing import Annotated

import typer

Laws = Annotated[
    list[str] | None,
    typer.Option("--law", metavar="NAME", help="Contact law; may be repeated; default: every one."),
]
Solver = Annotated[
    str | None, typer.Option("--solver", help="QP solver of laws that are made with one.")
]
