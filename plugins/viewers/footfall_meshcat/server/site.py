"""The files that a page loads over HTTP, all prepared in memory."""

from __future__ import annotations

import gzip
import hashlib
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from tornado.web import RequestHandler

from footfall.api.viewer import SceneGraph
from footfall_meshcat.drawing.payload import View, scene_payload
from footfall_meshcat.live_page import live_page, live_script
from footfall_meshcat.page import START, library_script, served_page, viewer_script, viewer_style
from footfall_meshcat.server.access import Access

if TYPE_CHECKING:
    from footfall_meshcat.recorded.motion import Motion

POLICY = (
    "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; "
    "connect-src 'self' ws://{host}; frame-ancestors {ancestors}"
)
"""Content security policy: the page loads from, and sends to, this server only."""

NOTEBOOKS = " ".join(
    f"http{s}://{name}:*" for s in ("", "s") for name in ("localhost", "127.0.0.1")
)
"""Pages on this machine that may show the page in a frame, if its address has the token."""
OPEN = ("/viewer.css", "/meshcat.js", "/viewer.js")
"""Files that come with the plugin and need no token."""
SCRIPT = "text/javascript; charset=utf-8"


@dataclass(frozen=True, slots=True)
class Content:
    """A served file.

    Attributes:
        kind: its MIME type.
        compressed: its bytes, compressed with gzip.
    """

    kind: str
    compressed: bytes

    @classmethod
    @lru_cache(8)  # of the viewers of a process most files are equal
    def of(cls, kind: str, data: str | bytes) -> Content:
        """Compress data of a MIME type."""
        raw = data.encode() if isinstance(data, str) else data
        return cls(kind, gzip.compress(raw, 5, mtime=0))


@dataclass(frozen=True, slots=True)
class Site:
    """All served files of one scene.

    Attributes:
        scene: identity of the scene, equal for equal scenes in every process.
        view: initial view of pages.
        contents: files by path, from the root.
    """

    scene: str
    view: View
    contents: dict[str, Content]

    @classmethod
    def of(cls, graph: SceneGraph, view: View) -> Site:
        """Prepare the site that shows a scene."""
        return cls("", view, _contents(live_page(graph.title), live_script())).showing(graph)

    def showing(self, graph: SceneGraph) -> Site:
        """Return the same site with another scene."""
        scene = scene_payload(graph, self.view)
        content = Content.of("application/octet-stream", scene)
        identity = hashlib.sha256(scene).hexdigest()[:32]
        return Site(identity, self.view, {**self.contents, "/scene": content})

    @classmethod
    def playing(cls, graph: SceneGraph, motion: Motion, **settings: object) -> Site:
        """Prepare the site that plays a motion with the initial ``settings``."""
        contents = _contents(served_page(graph.title), f"{viewer_script()}\n{START}")
        moves = {"/motion": Content.of("application/octet-stream", motion.payload(**settings))}
        return cls("", View(), contents | moves).showing(graph)


def _contents(text: str, script: str) -> dict[str, Content]:
    """Return the files of a page that do not depend on the scene."""
    return {
        "/": Content.of("text/html; charset=utf-8", text),
        "/viewer.css": Content.of("text/css; charset=utf-8", viewer_style()),
        "/meshcat.js": Content.of(SCRIPT, library_script()),
        "/viewer.js": Content.of(SCRIPT, script),
    }


@dataclass(slots=True)
class Shelf:
    """The holder of the currently served site."""

    site: Site


class ContentHandler(RequestHandler):
    """Request handler of one file of the site."""

    def initialize(self, shelf: Shelf, path: str, access: Access) -> None:
        """Store the path of the file to serve."""
        self.shelf, self.path, self.access = shelf, path, access

    def set_default_headers(self) -> None:
        """Forbid type guessing, stale copies, foreign sources, and referrers with the address."""
        self.set_header("X-Content-Type-Options", "nosniff")
        self.set_header("Cache-Control", "no-cache")
        self._allow_frames("'self'")
        self.set_header("Referrer-Policy", "no-referrer")
        self.clear_header("Server")

    async def prepare(self) -> None:
        """Reject requests without the token, except for files that are the same for all scenes."""
        if self.path not in OPEN:
            await self.access.require(self)
        if self.access.given(self):
            self._allow_frames(f"'self' {NOTEBOOKS}")

    def _allow_frames(self, ancestors: str) -> None:
        policy = POLICY.format(host=self.request.host, ancestors=ancestors)
        self.set_header("Content-Security-Policy", policy)

    def get(self) -> None:
        """Send the file; redirect the page to an address without token once it has the cookie.

        A page in a frame of another site has no cookies; it keeps the token in its address.
        """
        framed = self.request.headers.get("Sec-Fetch-Dest") == "iframe"
        if self.path == "/" and self.access.given(self) and not framed:
            self.access.remember(self)
            self.redirect("/")
            return
        content = self.shelf.site.contents[self.path]
        self.set_header("Content-Type", content.kind)
        if "gzip" in self.request.headers.get("Accept-Encoding", ""):
            self.set_header("Content-Encoding", "gzip")
            self.write(content.compressed)
        else:
            self.write(gzip.decompress(content.compressed))
