"""``footfall new``: write the package of a new plugin."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from footfall_check.command import Role


def new(
    role: Role,
    name: Annotated[str, typer.Argument(help="Name of the plugin, e.g. my_law.")],
    forces: Annotated[
        bool,
        typer.Option("--forces", help="Contact law that returns forces instead of impulses."),
    ] = False,
    compiled: Annotated[
        bool,
        typer.Option("--compiled", help="Contact law with forces and derivatives in a kernel."),
    ] = False,
    output: Annotated[
        Path, typer.Option(help="Folder that will contain the package's folder.")
    ] = Path(),
) -> None:
    """Write a package with a new plugin that passes its checks.

    The word REPLACE marks the place for your equations.

    Examples:
        footfall new contact my_law
        footfall new contact my_law --compiled --output plugins
    """
    from footfall_check.new.package import write_package

    written = write_package(role, name, output, forces=forces, compiled=compiled)
    print(f"written to {written.folder}:")
    for path in written.files:
        print(f"  {path.relative_to(written.folder)}")
    file, line = written.mark
    print(f"your equations: {file}:{line}\nnext:")
    for command in written.commands:
        print(f"  {command}")
