"""Take the pictures of the walk: python -m docs.walking_pictures (needs Chromium)."""

import io
import tempfile
import time
from pathlib import Path

from docs.ground_pictures import BARE, PATIENCE
from PIL import Image
from tests.browser import browser, page_of

import footfall
from footfall.cli.html import write_recording_html
from footfall.registry.discover import discover

PICTURE = Path(__file__).parent / "_static" / "walking.png"
MOMENTS = (
    ("humanoid/walking", 6.72),
    ("humanoid/walking", 7.1),
    ("humanoid/walking_pushed", 6.72),
    ("humanoid/walking_pushed", 7.0),
)
"""Scenes, and when they are looked at, [s]."""
SIZE = (420, 420)
"""Of one picture; the page is half as large again."""


def take_pictures():
    """Run the scenes, look at each page, and put the pictures side by side in 256 colours."""
    whole = Image.new("RGB", (len(MOMENTS) * SIZE[0], SIZE[1]))
    with tempfile.TemporaryDirectory() as folder, browser() as chromium:
        pages = {name: write_page(name, Path(folder)) for name in dict(MOMENTS)}
        for k, (name, at) in enumerate(MOMENTS):
            with page_of(chromium, pages[name].as_uri(), (640, 640)) as page:
                page.wait_for_function("window.footfall && footfall.viewer.drawn > 0")
                page.evaluate(f"footfall.player.play(false); footfall.player.seek({at})")
                page.add_style_tag(content=BARE)
                time.sleep(PATIENCE)
                image = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
            image = image.resize(SIZE, Image.Resampling.LANCZOS)
            whole.paste(image, (k * SIZE[0], 0))
    whole.quantize(256, Image.Quantize.MAXCOVERAGE, kmeans=2).save(PICTURE, optimize=True)


def write_page(name, folder, duration=8.0):
    """Record a scene and return its page."""
    run = folder / f"{name.replace('/', '_')}.zarr"
    footfall.load(name).record(duration, run)
    page = run.with_suffix(".html")
    write_recording_html(run, page, discover(), overwrite=True)
    return page


if __name__ == "__main__":
    take_pictures()
