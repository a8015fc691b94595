"""A headless Chromium for tests of pages; software rendering, no network."""

import os
import shutil
import time
from contextlib import contextmanager

import pytest

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
ARGUMENTS = [
    "--no-sandbox",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
    "--disable-background-networking",
]
PATIENCE = 120_000  # [ms]; drawing a robot in software takes a fraction of a second a picture


def need_chromium():
    """Skip the test where there is no Chromium; fail if this is the project's own pipeline."""
    if CHROMIUM is None:
        if os.environ.get("CI"):
            pytest.fail("the pipeline has no Chromium")
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
def page_of(chromium, url, size=(960, 600)):
    """Open a page; an error in its scripts fails the test."""
    page = chromium.new_page(viewport={"width": size[0], "height": size[1]})
    errors = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on(
        "console",
        lambda line: errors.append(line.text) if line.type == "error" else None,
    )
    page.set_default_timeout(PATIENCE)
    page.goto(url)
    yield page
    page.close()
    assert errors == []


def until(page, condition, seconds=PATIENCE / 1000):
    """Wait for a JavaScript expression to be true.

    Asked from outside, because the page's security policy forbids evaluating text inside.
    """
    end = time.monotonic() + seconds
    while not page.evaluate(condition):
        assert time.monotonic() < end, f"never true: {condition}"
        time.sleep(0.05)
