"""A real browser with the token, and without."""

import pytest
from tests.browser import page_of, until
from tests.scene_graphs import frame, primitives

from footfall_meshcat.visualizer import Meshcat, MeshcatConfig

pytestmark = pytest.mark.browser


@pytest.fixture(params=["127.0.0.1", "0.0.0.0"])
def viewer(request, capsys):
    """A viewer that asks for a token."""
    visualizer = Meshcat(MeshcatConfig(host=request.param, token="a-token-of-a-test"))
    visualizer.open(primitives())
    visualizer.show(frame())
    yield visualizer
    visualizer.close()


def local(viewer):
    """The page's address on this machine, whatever the machine is called."""
    return f"http://127.0.0.1:{viewer._server.port}/"


def test_the_printed_address_shows_the_scene_and_hides_the_token(chromium, viewer):
    with page_of(chromium, f"{local(viewer)}?token=a-token-of-a-test") as page:
        until(page, "window.footfall && footfall.viewer && footfall.viewer.drawn > 0")
        assert page.url == local(viewer)
        assert page.evaluate("document.cookie") == ""  # scripts cannot read it
        page.reload()
        until(page, "window.footfall && footfall.viewer && footfall.viewer.drawn > 0")


def test_without_the_token_there_is_nothing(chromium, viewer):
    with page_of(chromium, local(viewer), expected="Failed to load resource") as page:
        assert "ends with a token" in page.inner_text("body")
        assert page.evaluate("window.footfall === undefined")
