"""What several modules of tests of plugins need."""

import os
import re

import pytest
from tests.browser import browser

FIRST_PORT = 7100
"""Beyond the ports that viewers outside these tests take, those of other test processes too."""


@pytest.fixture(autouse=True, scope="session")
def ports_of_this_process():
    """Give viewers ports that no other test process takes, also once they are free again."""
    from footfall_meshcat.server import thread as server

    number = re.search(r"\d+$", os.environ.get("PYTEST_XDIST_WORKER", "gw0"))
    first = FIRST_PORT + 100 * int(number[0])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(server, "PORTS", range(first, first + 100))
        yield


@pytest.fixture(scope="module")
def chromium():
    """A headless browser."""
    with browser() as chromium:
        yield chromium
