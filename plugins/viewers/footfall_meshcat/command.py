"""``footfall view``: replay a recording."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from footfall.api.command import Trust


def view(
    recording: Annotated[Path, typer.Argument(help="A recording made by footfall run.")],
    speed: Annotated[float, typer.Option(help="Simulated seconds per second.")] = 1.0,
    loop: Annotated[bool, typer.Option("--loop", help="Start again at the end.")] = False,
    html: Annotated[
        Path | None, typer.Option(help="Write a page that plays the recording; open no browser.")
    ] = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace old output.")] = False,
    segment: Annotated[
        int | None,
        typer.Option(help="Segment number, from 0; adding or deleting objects begins another."),
    ] = None,
    trust: Trust = False,
) -> None:
    """Replay a recording in the browser, or write it as one page that opens from disk.

    Examples:
        footfall view runs/drop.zarr
        footfall view runs/drop.zarr --html drop.html
    """
    from footfall import discover, progress_lines

    registry = discover()
    recording = chosen_segment(recording, segment)
    if html:
        write = registry.find("exporter", "html").load()
        with progress_lines(lambda s: f"writing {html}: {s:.0f} s"):
            write(recording, html, overwrite=overwrite, trust=trust)
        print(f"page written to {html}")
        return
    from footfall_meshcat.recorded.replay import replay_recording

    replay_recording(recording, registry, speed=speed, loop=loop, trust=trust)


def chosen_segment(recording: Path, segment: int | None) -> Path:
    """Return the path of a recording's segment, by default the first; print if there are others.

    Args:
        recording: a run; it has several segments if objects were added or deleted in it.
        segment: number of the segment, from 0.

    Raises:
        RecordingError: if there is no such segment, or no recording.
    """
    from footfall import segment_paths
    from footfall.api.plugin import RecordingError
    from footfall_meshcat.recorded.motion import shown_together

    paths = segment_paths(recording)
    if segment is None and len(paths) > 1 and len(paths) > len(shown_together(recording)):
        typer.echo(
            f"note: this is the first of {len(paths)} segments: --segment 0 to {len(paths) - 1}",
            err=True,
        )
    if not 0 <= (segment or 0) < len(paths):
        raise RecordingError(f"{recording} has segments 0 to {len(paths) - 1}, no {segment}")
    return paths[segment or 0]
