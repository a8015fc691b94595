"""``footfall export``: write a recording in another format."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from footfall.api.command import chosen_segment

if TYPE_CHECKING:
    from footfall.registry.registry import Registry


def export(
    recording: Annotated[Path, typer.Argument(help="A recording made by footfall run.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="What to write.")],
    format_: Annotated[
        str | None,
        typer.Option(
            "--format", metavar="NAME", help="Format; by default what OUTPUT's name ends with."
        ),
    ] = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace what is there.")] = False,
    segment: Annotated[
        int | None,
        typer.Option(help="Which part of a run in which objects came or went, from 0."),
    ] = None,
) -> None:
    """Write a recording in another format; `footfall plugins` lists the exporters."""
    from footfall.registry.discover import discover

    name = format_ if format_ is not None else output.suffix.removeprefix(".")
    write = discover().find("exporter", name).load()
    write(chosen_segment(recording, segment), output, overwrite=overwrite)
    print(f"{name} written to {output}")


def export_page(registry: Registry, recording: Path, page: Path, *, overwrite: bool) -> None:
    """Write the page that plays a recording."""
    registry.find("exporter", "html").load()(recording, page, overwrite=overwrite)
    print(f"page written to {page}")
