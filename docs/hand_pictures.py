"""Take the pictures of a hand in a run: python -m docs.hand_pictures (needs Chromium)."""

from __future__ import annotations

import io
import time

from PIL import Image
from tests.browser import browser, page_of, until
from tests.plugins.answering_run import equipped
from tests.plugins.live_command import live, take

from docs.pictures import STATIC

WINDOW = (1280, 720)  # [pixels]
PULL = (50, -190)  # how far the mouse goes, right and down, [pixels]
MOVES = 40
BETWEEN = 0.05  # wall-clock time between its moves, [s]
STILL = "bodies.cube.base_linear_velocity=[0, 0, 0]"


def main() -> None:
    """Pull a cube up by its front face and take a picture of the page."""
    with (
        live("cube/sliding", None, STILL) as url,
        browser() as chromium,
        page_of(chromium, url, WINDOW) as page,
    ):
        equipped(page)
        page.select_option("#follow", "none")
        page.mouse.move(WINDOW[0] / 2, 0.7 * WINDOW[1])
        page.mouse.wheel(0, 400)  # room for the arrow
        until(page, "footfall.viewer.frame.time > 1")
        x, y = take(page, (0.05, 0.0, 0.07))
        for k in range(1, MOVES + 1):
            page.mouse.move(x + PULL[0] * k / MOVES, y + PULL[1] * k / MOVES)
            time.sleep(BETWEEN)
        until(page, "footfall.drawing.force > 3")
        time.sleep(1.5)
        page.evaluate("footfall.viewer.quality.choose('high', false)")
        image = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
        page.mouse.up()
    colours = image.quantize(256, Image.Quantize.MAXCOVERAGE, kmeans=2)
    colours.save(STATIC / "hand.png", optimize=True)


if __name__ == "__main__":
    main()
