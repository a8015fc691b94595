"""Take the picture of robots that step and stand: python -m docs.robot_pictures (Chromium)."""

import io
import tempfile
import time
from pathlib import Path

from PIL import Image
from tests.browser import browser, page_of

import footfall
from footfall.cli.html import write_recording_html
from footfall.registry.discover import discover

PICTURE = Path(__file__).parent / "_static" / "robots.png"
SCENES = {"quadruped/trot": 1.38, "jvrc/standing": 1.0}
"""And when they are looked at, [s]: in the middle of a step."""
SIZE = (560, 420)
BARE = "body > :not(#stage), .dg { display: none !important }"
"""Hides what lies over the picture."""
PATIENCE = 8.0
"""Wall-clock time that drawing in software gets, [s]."""


def take_pictures():
    """Run the scenes, look at each page, and put the pictures side by side in 256 colours."""
    whole = Image.new("RGB", (len(SCENES) * SIZE[0], SIZE[1]))
    with tempfile.TemporaryDirectory() as folder, browser() as chromium:
        for k, (name, at) in enumerate(SCENES.items()):
            run, html = Path(folder) / f"{k}.zarr", Path(folder) / f"{k}.html"
            footfall.load(name).record(1.5, output=run)
            write_recording_html(run, html, discover(), overwrite=True)
            with page_of(chromium, html.as_uri(), (840, 630)) as page:
                page.wait_for_function("window.footfall && footfall.viewer.drawn > 0")
                page.evaluate(f"footfall.player.play(false); footfall.player.seek({at})")
                page.add_style_tag(content=BARE)
                time.sleep(PATIENCE)
                image = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
            image = image.resize(SIZE, Image.Resampling.LANCZOS)
            whole.paste(image, (k * SIZE[0], 0))
    whole.quantize(256, Image.Quantize.MAXCOVERAGE, kmeans=2).save(PICTURE, optimize=True)


if __name__ == "__main__":
    take_pictures()
