"""A headless Chromium for tests of pages; software rendering, no network."""

import io
import shutil
import time
from contextlib import ExitStack, contextmanager

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
COARSE = 0.25
"""The same where nobody looks at the details of a picture."""
PATIENCE = 120.0  # [s]; drawing a robot in software takes a fraction of a second a picture


def need_chromium():
    """Skip the test where there is no Chromium."""
    if CHROMIUM is None:
        pytest.skip("needs Chromium: apt install chromium")


KEPT, RUNNING, IDLE = ExitStack(), [], []
"""What ends the browser of this process, the browser, and its pages that nobody uses."""


@contextmanager
def browser():
    """Yield the browser of this process, which the first use starts and ``end_browser`` ends."""
    need_chromium()
    from playwright.sync_api import sync_playwright

    if RUNNING and not RUNNING[0].is_connected():  # it has crashed
        end_browser()
    if not RUNNING:
        playwright = KEPT.enter_context(sync_playwright())
        RUNNING.append(playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS))
        KEPT.callback(RUNNING[0].close)
    yield RUNNING[0]


def end_browser():
    """End the browser: while Playwright runs, nobody can call ``asyncio.run``."""
    KEPT.close()
    RUNNING.clear()
    IDLE.clear()


def _idle_page(chromium, scale):
    """Return a blank page that nobody uses, or a new one: a new window takes a second."""
    for page in IDLE:
        if page.scale == scale:
            IDLE.remove(page)
            page.bring_to_front()
            return page
    page = chromium.new_page(device_scale_factor=scale)
    page.scale = scale
    page.set_default_timeout(1000.0 * PATIENCE)
    page.add_init_script(PLAIN)
    return page


def _leave(page):
    """Have a page forget what it showed, for the next one who uses it."""
    if page.is_closed():
        return
    page.evaluate("localStorage.clear(); sessionStorage.clear()")
    page.mouse.move(0, 0)
    page.goto("about:blank")
    devtools = page.context.new_cdp_session(page)
    for kept in ("Cookies", "Cache"):
        devtools.send(f"Network.clearBrowser{kept}")
    devtools.detach()
    IDLE.append(page)


@contextmanager
def page_of(chromium, url, size=(920, 520), expected="", scale=COARSE):
    """Open a page; an error in its scripts fails the test, unless it has an expected text.

    The page gets an attribute ``asked``: the addresses of everything that it loaded.
    The details of a picture need the scale ``SCALE``.
    """
    page = _idle_page(chromium, scale)
    errors, page.asked = [], []
    listeners = {
        "request": lambda request: page.asked.append(request.url),
        "pageerror": lambda error: errors.append(str(error)),
        "console": lambda line: errors.append(line.text) if line.type == "error" else None,
    }
    for event, listener in listeners.items():
        page.on(event, listener)
    page.set_viewport_size({"width": size[0], "height": size[1]})
    try:
        page.goto(url)
        yield page
        assert [error for error in errors if not expected or expected not in error] == []
    except BaseException:
        page.close()
        raise
    for event, listener in listeners.items():
        page.remove_listener(event, listener)
    _leave(page)


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

    Of the page's layout it has the part ``scale`` of the rows and columns.
    """
    from PIL import Image

    size = page.viewport_size
    clip = {"x": 270, "y": 0, "width": size["width"] - 270, "height": size["height"] - 60}
    image = Image.open(io.BytesIO(page.screenshot(clip=clip)))
    return np.asarray(image.convert("RGB"), np.int16)


def changed(before, after):
    """Return the fraction of pixels that differ visibly between two pictures."""
    return float((np.abs(before - after).max(2) > 12).mean())
