"""``--traceback``, which every command takes: all of an error instead of one line."""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Sequence
from typing import Annotated, Any

import typer

NAME = "--traceback"
VARIABLE = "FOOTFALL_TRACEBACK"
"""Environment variable that does the same for every command; ``0`` and nothing: no."""


def _option() -> Any:
    """Return the option as Typer makes it; its value is not handed to the command's function."""

    def shows(
        traceback: Annotated[
            bool, typer.Option(NAME, help="On an error, show all of where it comes from.")
        ] = False,
    ) -> None: ...

    only = typer.Typer(add_completion=False, rich_markup_mode=None)
    only.command()(shows)
    (option,) = typer.main.get_command(only).params
    option.expose_value = False
    return option


OPTION = _option()


def offer(command: Any) -> None:
    """Give the option to a command and to all that are below it."""
    command.params.append(OPTION)
    for each in getattr(command, "commands", {}).values():
        offer(each)


def wanted(arguments: Sequence[str]) -> bool:
    """Whether the arguments or the environment ask for tracebacks."""
    return NAME in arguments or os.environ.get(VARIABLE, "0") not in ("", "0")


def asked(context: typer.Context) -> bool:
    """Whether tracebacks were asked for, of the context that a command is called in."""
    return context.obj is True


def show(error: BaseException) -> None:
    """Print all of an error to standard error, its causes included."""
    traceback.print_exception(error, file=sys.stderr)
