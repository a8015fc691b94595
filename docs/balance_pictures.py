"""Take the pictures of balancing: python -m docs.balance_pictures (needs Chromium)."""

import io
import tempfile
import time
from pathlib import Path

from docs.ground_pictures import BARE, PATIENCE
from docs.walking_pictures import write_page
from PIL import Image
from tests.browser import browser, page_of

PICTURE = Path(__file__).parent / "_static" / "balancing.png"
MOMENTS = (
    ("icub/balancing", 0.5),
    ("icub/balancing", 6.0),
    ("icub/yoga", 9.5),
    ("icub/yoga", 13.5),
    ("icub/yoga", 17.5),
)
"""Scenes, and when they are looked at, [s]."""
SIZE = (300, 420)
"""Of one picture; the page is half as large again."""


def take_pictures():
    """Run the scenes, look at each page, and put the pictures side by side in 256 colours."""
    whole = Image.new("RGB", (len(MOMENTS) * SIZE[0], SIZE[1]))
    with tempfile.TemporaryDirectory() as folder, browser() as chromium:
        pages = {name: write_page(name, Path(folder), 18.0) for name in dict(MOMENTS)}
        for k, (name, at) in enumerate(MOMENTS):
            with page_of(chromium, pages[name].as_uri(), (450, 630)) as page:
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
