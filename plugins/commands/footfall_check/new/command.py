"""``footfall new``: write a plugin's package."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def new(
    role: Annotated[
        str, typer.Argument(help="What it is to be: contact, engine, solver, command ...")
    ],
    name: Annotated[str, typer.Argument(help="What it is chosen by, e.g. my_law.")],
    forces: Annotated[
        bool,
        typer.Option("--forces", help="Of a contact law: a law of forces instead of impulses."),
    ] = False,
    output: Annotated[
        Path, typer.Option(help="Folder in which the package's folder is made.")
    ] = Path(),
) -> None:
    """Write a plugin of your own: a package that installs, is found and passes its checks.

    It is a small correct example; where your equations go is marked with REPLACE.
    """
    from footfall_check.new.package import write_package

    written = write_package(role, name, output, forces=forces)
    print(f"written to {written.folder}:")
    for path in written.files:
        print(f"  {path.relative_to(written.folder)}")
    file, line = written.mark
    print(f"your equations: {file}:{line}\nnext:")
    for command in written.commands:
        print(f"  {command}")
