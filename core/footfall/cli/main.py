"""The command ``footfall``."""

from __future__ import annotations

import os
import sys
import traceback
import warnings
from collections.abc import Sequence
from importlib.metadata import version
from io import TextIOWrapper
from typing import Annotated, Any

import typer

from footfall.cli.commands import PLAIN, TRACEBACK, Commands
from footfall.errors import Alarm, FootfallError, error_line, plugin_place
from footfall.interrupts import interrupts

app = typer.Typer(
    cls=Commands,
    name="footfall",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    **PLAIN,
)


def _tell_version(asked: bool) -> None:
    if asked:
        print("footfall", version("footfall"))
        raise typer.Exit


Version = Annotated[
    bool, typer.Option("--version", is_eager=True, callback=_tell_version, help="Print version.")
]


@app.callback()
def footfall(version: Version = False) -> None:
    """Simulate robots that touch the ground."""


VARIABLE = "FOOTFALL_TRACEBACK"
"""Environment variable with the effect of ``--traceback``, unless it is ``0`` or empty."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line; a user's mistake is one line on standard error and exit code 1.

    An error in a plugin is one line too, which ends with the place in its code; so is one of the
    machine, e.g. that the current folder is gone, or that there is no memory. ``--traceback``
    prints the whole traceback. A warning of Footfall is also one line, printed once per call, since
    a scene may be assembled again.

    Args:
        arguments: arguments without the program's name; by default those of the process.
    """
    arguments = sys.argv[1:] if arguments is None else arguments
    all_of_it = TRACEBACK in arguments or os.environ.get(VARIABLE, "0") not in ("", "0")
    shown = warnings.showwarning
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(line_buffering=True)  # readers of a pipe get each line at once
    warnings.showwarning = _Once()  # type: ignore[assignment] # it is called by position
    try:
        with interrupts.caught():
            app(args=arguments, prog_name="footfall", obj=all_of_it)
    except Exception as error:
        known = isinstance(error, FootfallError)
        of_machine = isinstance(error, OSError | MemoryError)
        if not (known or of_machine) and plugin_place(error) is None:
            raise
        if all_of_it:
            traceback.print_exception(error)
        print(
            "error:", " ".join(str(error).split()) if known else error_line(error), file=sys.stderr
        )
        sys.exit(1)
    finally:
        warnings.showwarning = shown


class _Once:
    """A printer of Footfall's own warnings: one line, without the place in the code, once each."""

    def __init__(self) -> None:
        self.told: set[str] = set()

    def __call__(self, message: Warning | str, category: type[Warning], *place: Any) -> None:
        """Print the warning; it replaces ``warnings.showwarning`` and has its arguments."""
        if issubclass(category, Alarm):
            return  # commands print alarms themselves
        if not category.__module__.partition(".")[0].startswith("footfall"):
            text = warnings.formatwarning(message, category, *place[:2])
            print(text, end="", file=sys.stderr)
            return
        text = " ".join(str(message).split())
        if text not in self.told:
            print("warning:", text, file=sys.stderr)
        self.told.add(text)


if __name__ == "__main__":
    main()
