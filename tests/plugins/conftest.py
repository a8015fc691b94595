"""What several modules of tests of plugins need."""

import pytest
from tests.browser import browser


@pytest.fixture(scope="module")
def chromium():
    """A headless browser for the tests of a module.

    No longer than that: while Playwright runs, nobody can call ``asyncio.run``.
    """
    with browser() as chromium:
        yield chromium
