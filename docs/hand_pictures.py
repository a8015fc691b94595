"""Take the pictures of a hand in a run: python -m docs.hand_pictures (needs Chromium)."""

from __future__ import annotations

import io
import time

from docs.pictures import STATIC
from PIL import Image
from tests.browser import browser, page_of, until
from tests.plugins.answering_run import equipped
from tests.plugins.live_command import live, take

WINDOW = (1280, 720)  # [pixels]
PULL = 110  # how far the mouse goes, [pixels]
BLINK = 0.12  # wall-clock time between the pictures of the moving one, [s]

LINK = """(() => {
  const { header, frame } = footfall.viewer, k = header.tracks[0][1];
  return Array.from(frame.poses.slice(7 * k, 7 * k + 3));
})()"""


def main() -> None:
    """Pull the humanoid by its trunk and take a picture of the page."""
    with (
        live("humanoid/standing") as url,
        browser() as chromium,
        page_of(chromium, url, WINDOW) as page,
    ):
        equipped(page)
        page.select_option("#follow", "none")
        until(page, "footfall.viewer.frame.time > 1")
        x, y = take(page, page.evaluate(LINK))
        for k in range(1, 12):
            page.mouse.move(x - PULL * k / 11, y)
            time.sleep(BLINK)
        until(page, "footfall.drawing.force > 20")
        time.sleep(1.0)
        image = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
        page.mouse.up()
    colours = image.quantize(256, Image.Quantize.MAXCOVERAGE, kmeans=2)
    colours.save(STATIC / "hand.png", optimize=True)


if __name__ == "__main__":
    main()
