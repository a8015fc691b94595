"""Take the picture of a comparison's page: python -m docs.comparison_picture (needs Chromium)."""

import io
from pathlib import Path

from PIL import Image
from tests.browser import browser, page_of, until

import footfall

PICTURE = Path(__file__).parent / "_static" / "comparison.png"
VARY = {
    "contact.plugin": ["coulomb", "gauss_discrete", "compliant"],
    "simulation.time_step": [1e-3, 5e-4],
}
LEGEND = "document.querySelectorAll('.legendtext').length"


def take_picture():
    """Compare three laws on the sliding cube and keep the upper part of the page."""
    comparison = footfall.compare("cube/sliding", VARY)
    page_file = comparison.write_page()
    with browser() as chromium, page_of(chromium, page_file.as_uri(), (1200, 1130)) as page:
        until(page, LEGEND)
        image = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
    image.quantize(64, Image.Quantize.MAXCOVERAGE, kmeans=2).save(PICTURE, optimize=True)


if __name__ == "__main__":
    take_picture()
