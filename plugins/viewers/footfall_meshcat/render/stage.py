"""The page of a recording, drawn picture by picture."""

from __future__ import annotations

import base64
import contextlib
import json
import math
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from footfall import discover
from footfall.api.plugin import PluginError
from footfall_meshcat.render.chromium import Chromium, find_chromium

READY = """new Promise((done) => {
  const look = () => {
    const text = (id) => document.getElementById(id)?.textContent;
    if (window.footfall?.viewer.drawn) window.footfall.viewer.bodies.textured.then(() => done(""));
    else if (text("title") === "This scene cannot be shown") done(text("status"));
    else setTimeout(look, 20);
  };
  look();
})"""
"""JavaScript promise: empty text once the page has drawn, or the reason of its failure."""


@dataclass(frozen=True, slots=True)
class Look:
    """Look of pictures.

    Attributes:
        size: width and height, [pixels].
        camera: position of the camera and its target, world, six numbers, [m]; None: the default
            view, which follows the first body.
        transparent: whether background and ground are left out.
        browser: name or path of the browser; None: the first one found.
    """

    size: tuple[int, int] = (1280, 720)
    camera: tuple[float, ...] | None = None
    transparent: bool = False
    browser: str | None = None


class Stage:
    """The page of a recording in a browser.

    Attributes:
        start: time of its first frame, [s].
        end: time of its last frame, [s].
    """

    def __init__(self, page: Chromium) -> None:
        if reason := page.evaluate(READY):
            raise PluginError(f"the page cannot be drawn: {reason}")
        page.evaluate("footfall.player.play(false)")
        self._page = page
        self.start, self.end = page.evaluate("[footfall.player.start, footfall.player.end]")

    def picture(self, time: float, kind: str = "png", pause: float = math.inf) -> bytes:
        """Return an image file of the scene at a time.

        Args:
            time: simulated time, [s].
            kind: ``png`` or ``jpeg``.
            pause: time since the previous picture, in which the camera follows, [s].
        """
        span = "Infinity" if math.isinf(pause) else repr(pause)
        asked = f"footfall.player.picture({time!r}, {span}, 'image/{kind}')"
        return base64.b64decode(self._page.evaluate(asked).partition(",")[2])


@contextlib.contextmanager
def staged(recording: Path, look: Look, *, trust: bool = False) -> Iterator[Stage]:
    """Open the page of a recording in a browser without a window.

    Raises:
        RecordingError: if it cannot be shown.
        PluginError: if there is no browser, or it cannot draw.
    """
    program = find_chromium(look.browser)
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder, "page.html")
        discover().find("exporter", "html").load()(recording, page, overwrite=True, trust=trust)
        with contextlib.closing(Chromium(program, page.as_uri(), look.size)) as chromium:
            stage = Stage(chromium)
            chromium.evaluate(f"footfall.viewer.bare({json.dumps(look.transparent)})")
            chromium.evaluate(f"footfall.viewer.pose({json.dumps(look.camera)})")
            yield stage
