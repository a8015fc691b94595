"""The command ``footfall``."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Sequence
from typing import TextIO

import typer

from footfall.cli.check import check
from footfall.cli.compare import compare
from footfall.cli.import_ import import_
from footfall.cli.plugins import plugins
from footfall.cli.run import run
from footfall.cli.scenes import scenes
from footfall.cli.schema import schema
from footfall.cli.validate import validate
from footfall.cli.view import view
from footfall.errors import FootfallError

app = typer.Typer(
    name="footfall",
    help="Simulate robots that touch the ground.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,  # plain help starts in half the time
)
for command in (run, compare, view, scenes, plugins, schema, check):
    app.command()(command)
app.command("import")(import_)
app.add_typer(validate, name="validate")


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line; a user's mistake is one line on standard error and exit code 1.

    A warning of the toolkit is one line, too.

    Args:
        arguments: without the program's name; by default those of the process.
    """
    shown = warnings.showwarning
    warnings.showwarning = _tell
    try:
        app(args=arguments, prog_name="footfall")
    except FootfallError as error:
        print("error:", " ".join(str(error).split()), file=sys.stderr)
        sys.exit(1)
    finally:
        warnings.showwarning = shown


def _tell(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    """Print a warning of the toolkit's own as one line, without the place in its code."""
    if category.__module__.partition(".")[0].startswith("footfall"):
        print("warning:", " ".join(str(message).split()), file=sys.stderr)
    else:
        place = warnings.formatwarning(message, category, filename, lineno, line)
        print(place, end="", file=file or sys.stderr)


if __name__ == "__main__":
    main()
