"""``footfall view``: replay a recording."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def view(
    recording: Annotated[Path, typer.Argument(help="A recording made by footfall run.")],
    speed: Annotated[float, typer.Option(help="Simulated seconds a second.")] = 1.0,
    loop: Annotated[bool, typer.Option("--loop", help="Begin again at the end.")] = False,
    html: Annotated[
        Path | None, typer.Option(help="Write a page that plays the recording, and end.")
    ] = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace the page.")] = False,
) -> None:
    """Replay a recording in the browser, or write it as one page that opens from disk."""
    from footfall.registry.discover import discover

    registry = discover()
    if html:
        from footfall.cli.html import write_recording_html

        write_recording_html(recording, html, registry, overwrite=overwrite)
        print(f"page written to {html}")
        return
    from footfall.cli.replay import replay_recording

    replay_recording(recording, registry, speed=speed, loop=loop)
