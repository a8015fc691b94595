"""A recording as one self-contained page that plays it and opens from disk."""

from __future__ import annotations

import base64
import gzip
from pathlib import Path

from footfall import discover
from footfall.api.command import write_whole
from footfall.api.plugin import RecordingError
from footfall.api.viewer import SceneGraph
from footfall_meshcat.drawing.payload import View, scene_payload
from footfall_meshcat.page import (
    START,
    library_folder,
    library_script,
    page,
    static_text,
    viewer_script,
    viewer_style,
)
from footfall_meshcat.recorded.motion import FRAME_RATE, Motion, recorded_motion


def write_page(
    path: Path, graph: SceneGraph, motion: Motion, view: View, *, overwrite: bool
) -> None:
    """Write a page that plays the motion in any browser, from disk, without a network.

    Frames beyond 50 per second are left out; positions, forces and quaternions are rounded to
    float32. The file is written completely or not at all.

    Args:
        path: the file to write.
        graph: scene to show.
        motion: its motion.
        view: initial view of the page.
        overwrite: whether to replace an existing file.

    Raises:
        RecordingError: if the file exists or cannot be written, or the motion does not fit.
    """
    RecordingError.refuse_unwritable(path, overwrite)
    motion.check(graph)
    text = recording_page(graph, motion.decimated(FRAME_RATE), view)
    with RecordingError.of_file(path):
        write_whole(path, text)


def recording_page(graph: SceneGraph, motion: Motion, view: View) -> str:
    """Return the text of the page that plays the motion."""
    scripts = [
        notice(),
        embedded("library", library_script()),
        embedded("scene", scene_payload(graph, view)),
        embedded("motion", motion.payload()),
        f"<script>\n{viewer_script()}\n{START}\n</script>",
    ]
    style = f"<style>\n{viewer_style()}</style>"
    return page(graph.title, style, "\n".join(scripts))


def embedded(name: str, data: bytes) -> str:
    """Return the tag that holds compressed data under a name in a page."""
    text = base64.b64encode(gzip.compress(data, 9, mtime=0)).decode("ascii")
    return f'<script type="text/plain" id="{name}">{text}</script>'


def notice() -> str:
    """Return the licences of the libraries in the page, as a comment."""
    folder = library_folder()
    texts = [folder / "LICENSE", folder / "dist" / "main.min.js.LICENSE.txt"]
    parts = [file.read_text("utf-8") for file in texts if file.is_file()]
    text = "\n".join([*parts, "uPlot:", static_text("uplot/LICENSE")]).replace("--", "- -")
    return f"<!-- This page contains meshcat, three.js and uPlot.\n{text}\n-->"


def export_html(recording: Path, output: Path, *, overwrite: bool, trust: bool = False) -> None:
    """Write a self-contained page that plays a recording and opens from disk.

    Raises:
        RecordingError: if the recording cannot be shown, or the page exists or cannot be written.
    """
    graph, motion = recorded_motion(recording, discover(), trust=trust)
    write_page(output, graph, motion, View(), overwrite=overwrite)
