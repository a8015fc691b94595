"""Take the README's picture of iCub in the viewer: python -m docs.picture (needs Chromium)."""

import io
import time
from pathlib import Path

from PIL import Image
from tests.browser import browser, page_of

import footfall

PICTURE = Path(__file__).parent / "_static" / "icub_standing.png"
SETTINGS = {
    "simulation.duration": 1.0,
    "visualizer.plugin": "meshcat",
    "visualizer.speed": 0.0,
    "visualizer.follow": "none",
}
PATIENCE = 12.0
"""Wall-clock time that drawing in software gets, [s]."""


def take_picture():
    """Let iCub stand for a second and keep what a page then shows, in 256 colours."""
    sim = footfall.load("icub/standing", SETTINGS)
    sim.record()
    viewer = sim.participants.visualizer
    with browser() as chromium, page_of(chromium, viewer.url, (1100, 760)) as page:
        time.sleep(PATIENCE)
        image = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
    viewer.close()
    image.quantize(256, Image.Quantize.MAXCOVERAGE, kmeans=2).save(PICTURE, optimize=True)


if __name__ == "__main__":
    take_picture()
