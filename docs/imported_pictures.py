"""Take the picture of imported robots: python -m docs.imported_pictures (needs Chromium)."""

import io
import tempfile
import time
from pathlib import Path

from PIL import Image
from tests.benchmarks.imported import standing
from tests.browser import browser, page_of

import footfall
from footfall.cli.html import write_recording_html
from footfall.registry.discover import discover

PICTURE = Path(__file__).parent / "_static" / "imported_robots.png"
MODELS = (
    "icub-models:iCubGenova02",
    "jvrc_description:jvrc1",
    "example-robot-data:talos_full_v2",
    "example-robot-data:solo12",
    "example-robot-data:anymal_b_simple_description/anymal",
    "example-robot-data:panda",
)
SIZE = (380, 380)
BARE = "body > :not(#stage), .dg { display: none !important }"
"""Hides what lies over the picture."""
PATIENCE = 20.0
"""Wall-clock time that drawing in software gets, [s]."""


def take_pictures():
    """Import each robot, let it stand, look at the page, and put the pictures side by side."""
    whole = Image.new("RGB", (3 * SIZE[0], 2 * SIZE[1]))
    with tempfile.TemporaryDirectory() as made, browser() as chromium:
        folder = Path(made)
        for k, model in enumerate(MODELS):
            run, html = folder / f"{k}.zarr", folder / f"{k}.html"
            sim = footfall.load(standing(model, folder), {"simulation.duration": 0.5})
            sim.record(output=run)
            write_recording_html(run, html, discover(), overwrite=True)
            with page_of(chromium, html.as_uri(), (600, 600)) as page:
                page.wait_for_function("window.footfall && footfall.viewer.drawn > 0")
                page.evaluate("footfall.player.play(false); footfall.player.seek(0.4)")
                page.add_style_tag(content=BARE)
                time.sleep(PATIENCE)
                image = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
            image = image.resize(SIZE, Image.Resampling.LANCZOS)
            whole.paste(image, (k % 3 * SIZE[0], k // 3 * SIZE[1]))
    whole.quantize(256, Image.Quantize.MAXCOVERAGE, kmeans=2).save(PICTURE, optimize=True)


if __name__ == "__main__":
    take_pictures()
