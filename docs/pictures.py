"""Pictures of scenes in the viewer, side by side; needs Chromium."""

from __future__ import annotations

import io
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from PIL import Image
from tests.browser import browser, page_of

import footfall
from footfall_meshcat.html import export_html

STATIC = Path(__file__).parent / "_static"
BARE = "body > :not(#stage), .dg { display: none !important }"
"""Hides what lies over the picture."""


class Look(NamedTuple):
    """A scene, a name or a file; when it is looked at, [s]; how long it is simulated, [s]."""

    scene: str | Path
    at: float
    duration: float


def take(
    looks: Sequence[Look], picture: Path, size: tuple[int, int], columns: int, patience: float
) -> None:
    """Run scenes, look at each page, and put the pictures side by side in 256 colours.

    Args:
        looks: what is looked at, row by row.
        picture: the PNG that is written.
        size: of one picture, [pixels]; the page is half as large again.
        columns: pictures in a row.
        patience: wall-clock time that drawing in software gets, [s].
    """
    rows = -(-len(looks) // columns)
    whole = Image.new("RGB", (columns * size[0], rows * size[1]))
    window = (size[0] * 3 // 2, size[1] * 3 // 2)
    pages: dict[tuple[str | Path, float], Path] = {}
    with tempfile.TemporaryDirectory() as folder, browser() as chromium:
        for k, look in enumerate(looks):
            run = (look.scene, look.duration)
            if run not in pages:
                pages[run] = _page(look, Path(folder) / f"{k}.zarr")
            with page_of(chromium, pages[run].as_uri(), window) as page:
                page.wait_for_function("window.footfall && footfall.viewer.drawn > 0")
                page.evaluate(f"footfall.player.play(false); footfall.player.seek({look.at})")
                page.add_style_tag(content=BARE)
                time.sleep(patience)
                image = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
            image = image.resize(size, Image.Resampling.LANCZOS)
            whole.paste(image, (k % columns * size[0], k // columns * size[1]))
    whole.quantize(256, Image.Quantize.MAXCOVERAGE, kmeans=2).save(picture, optimize=True)


def _page(look: Look, run: Path) -> Path:
    footfall.load(look.scene).record(look.duration, run)
    page = run.with_suffix(".html")
    export_html(run, page, overwrite=True)
    return page
