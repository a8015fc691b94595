"""A real browser with the token, and without."""

import functools
import threading
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

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


def test_a_notebook_on_this_machine_shows_the_page_in_a_frame(chromium, viewer, tmp_path):
    """Another port, and another name: a frame of another site has no cookies."""
    address = f"{local(viewer)}?token=a-token-of-a-test"
    for name, source in (("own", address), ("bare", local(viewer))):
        (tmp_path / f"{name}.html").write_text(f'<iframe src="{source}" width=600></iframe>')
    serve = functools.partial(SimpleHTTPRequestHandler, directory=tmp_path)
    with ThreadingHTTPServer(("127.0.0.1", 0), serve) as notebook:
        threading.Thread(target=notebook.serve_forever, daemon=True).start()
        at = f"http://localhost:{notebook.server_port}"
        with page_of(chromium, f"{at}/own.html", expected="Failed to load") as page:
            until(page.frames[1], "window.footfall && footfall.viewer && footfall.viewer.drawn > 0")
        bare = chromium.new_page()
        bare.goto(f"{at}/bare.html")
        assert not bare.frames[1].query_selector("canvas")
        bare.close()
        notebook.shutdown()
