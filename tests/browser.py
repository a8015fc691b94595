"""A headless Chromium for tests of pages; software rendering, no network."""

import io
import shutil
import time
from contextlib import contextmanager

import numpy as np
import pytest

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
ARGUMENTS = [
    "--no-sandbox",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
    "--disable-background-networking",
    "--disable-gpu-compositing",  # which would be done in software, too: twice the work of drawing
    "--disable-gpu-rasterization",  # likewise; Debian's chromium asks for it
]
PLAIN = """
const context = HTMLCanvasElement.prototype.getContext;
HTMLCanvasElement.prototype.getContext = function (kind, options) {
  return context.call(this, kind, { ...options, antialias: false });
};
const nextFrame = window.requestAnimationFrame.bind(window);
window.requestAnimationFrame = (draw) => setTimeout(() => nextFrame(draw), 33);
try {
  localStorage.setItem("footfall quality", "low");
} catch {}
"""
"""Has a page draw in low quality, without smoothing edges and 30 times a second at most, which in
software is a fraction of the work, from the start on, whatever time its pictures take."""
SCALE = 0.5
"""Pixels of a picture per pixel of a page's layout: four times as many take twice the work."""
PATIENCE = 120.0  # [s]; drawing a robot in software takes a fraction of a second a picture


def need_chromium():
    """Skip the test where there is no Chromium."""
    if CHROMIUM is None:
        pytest.skip("needs Chromium: apt install chromium")


@contextmanager
def browser():
    """Start one browser; ends with the context."""
    need_chromium()
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        try:
            yield chromium
        finally:
            chromium.close()


@contextmanager
def page_of(chromium, url, size=(920, 520), expected=""):
    """Open a page; an error in its scripts fails the test, unless it has an expected text.

    The page gets an attribute ``asked``: the addresses of everything that it loaded.
    """
    viewport = {"width": size[0], "height": size[1]}
    page = chromium.new_page(viewport=viewport, device_scale_factor=SCALE)
    errors, page.asked = [], []
    page.on("request", lambda request: page.asked.append(request.url))
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("console", lambda line: errors.append(line.text) if line.type == "error" else None)
    page.set_default_timeout(1000.0 * PATIENCE)
    page.add_init_script(PLAIN)
    try:
        page.goto(url)
        yield page
        assert [error for error in errors if not expected or expected not in error] == []
    finally:
        page.close()


def until(page, condition, seconds=PATIENCE):
    """Wait for a JavaScript expression to be true, and return its value.

    Asked from outside, because the page's security policy forbids evaluating text inside.
    """
    end = time.monotonic() + seconds
    while not (value := page.evaluate(condition)):
        assert time.monotonic() < end, f"never true: {condition}"
        time.sleep(0.05)
    return value


def settle(page):
    """Wait until the page has nothing left to draw."""
    page.evaluate(
        """async () => {
             for (let still = 0, drawn = -1; still < 4; still++) {
               await new Promise(requestAnimationFrame);
               if (footfall.viewer.drawn !== drawn) still = 0;
               drawn = footfall.viewer.drawn;
             }
           }"""
    )


def picture(page):
    """Return what the page shows beside its panel, shape (height, width, 3), 0 to 255.

    Of the page's layout it has half the rows and columns.
    """
    from PIL import Image

    size = page.viewport_size
    clip = {"x": 270, "y": 0, "width": size["width"] - 270, "height": size["height"] - 60}
    image = Image.open(io.BytesIO(page.screenshot(clip=clip)))
    return np.asarray(image.convert("RGB"), np.int16)


def changed(before, after):
    """Return the fraction of pixels that differ visibly between two pictures."""
    return float((np.abs(before - after).max(2) > 12).mean())
