"""Take the pictures of grounds: python -m docs.ground_pictures (needs Chromium)."""

import io
import tempfile
import time
from pathlib import Path

from PIL import Image
from tests.browser import browser, page_of

import footfall
from footfall.cli.html import write_recording_html
from footfall.registry.discover import discover

PICTURE = Path(__file__).parent / "_static" / "grounds.png"
SCENES = {"cube/conveyor": 0.6, "cube/shaken": 0.5, "ball/stairs": 1.6, "ball/hills": 2.0}
"""And when they are looked at, [s]."""
SIZE = (560, 380)
BARE = "body > :not(#stage), .dg { display: none !important }"
"""Hides what lies over the picture."""
PATIENCE = 6.0
"""Wall-clock time that drawing in software gets, [s]."""


def take_pictures():
    """Run the scenes, look at each page, and put the pictures side by side in 256 colours."""
    whole = Image.new("RGB", (2 * SIZE[0], 2 * SIZE[1]))
    with tempfile.TemporaryDirectory() as folder, browser() as chromium:
        for k, (name, at) in enumerate(SCENES.items()):
            run, html = Path(folder) / f"{k}.zarr", Path(folder) / f"{k}.html"
            footfall.load(name).record(output=run)
            write_recording_html(run, html, discover(), overwrite=True)
            with page_of(chromium, html.as_uri(), (840, 570)) as page:
                page.wait_for_function("window.footfall && footfall.viewer.drawn > 0")
                page.evaluate(f"footfall.player.play(false); footfall.player.seek({at})")
                page.add_style_tag(content=BARE)
                time.sleep(PATIENCE)
                image = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
            image = image.resize(SIZE, Image.Resampling.LANCZOS)
            whole.paste(image, (k % 2 * SIZE[0], k // 2 * SIZE[1]))
    whole.quantize(256, Image.Quantize.MAXCOVERAGE, kmeans=2).save(PICTURE, optimize=True)


if __name__ == "__main__":
    take_pictures()
