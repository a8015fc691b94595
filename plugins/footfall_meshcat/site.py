"""The files that a page loads over HTTP, all prepared in memory."""

from __future__ import annotations

import gzip
import hashlib
from dataclasses import dataclass
from importlib.resources import files

from tornado.web import RequestHandler

from footfall.roles.visualizer import SceneGraph
from footfall.viewing.page import library_script, page, static_text, viewer_script
from footfall.viewing.scene_payload import View, scene_payload

POLICY = (
    "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; "
    "connect-src 'self' ws://127.0.0.1:* ws://localhost:*; frame-ancestors 'self'"
)
"""Content security policy: nothing is loaded from, or sent to, any other place."""


@dataclass(frozen=True, slots=True)
class Content:
    """A file as it is served.

    Attributes:
        kind: its MIME type.
        compressed: its bytes, compressed with gzip.
    """

    kind: str
    compressed: bytes

    @classmethod
    def of(cls, kind: str, data: str | bytes) -> Content:
        """Compress data of that MIME type."""
        raw = data.encode() if isinstance(data, str) else data
        return cls(kind, gzip.compress(raw, 5, mtime=0))


@dataclass(frozen=True, slots=True)
class Site:
    """Everything that is served for one scene.

    Attributes:
        scene: identity of the scene: equal for equal scenes, in every process.
        contents: by path, from the root.
    """

    scene: str
    contents: dict[str, Content]

    @classmethod
    def of(cls, graph: SceneGraph, view: View) -> Site:
        """Prepare the site that shows a scene."""
        scripts = ("meshcat.js", "viewer.js")
        tags = "\n".join(f'<script src="{name}"></script>' for name in scripts)
        live = (files("footfall_meshcat") / "static" / "live.js").read_text("utf-8")
        script = "text/javascript; charset=utf-8"
        scene = scene_payload(graph, view)
        index = page(graph.title, '<link rel="stylesheet" href="viewer.css">', tags)
        contents = {
            "/": Content.of("text/html; charset=utf-8", index),
            "/viewer.css": Content.of("text/css; charset=utf-8", static_text("viewer.css")),
            "/meshcat.js": Content.of(script, library_script()),
            "/viewer.js": Content.of(script, viewer_script() + "\n" + live),
            "/scene": Content.of("application/octet-stream", scene),
        }
        return cls(hashlib.sha256(scene).hexdigest()[:32], contents)


class ContentHandler(RequestHandler):
    """Serves one file of the site."""

    def initialize(self, content: Content) -> None:
        """Take the file to serve."""
        self.content = content

    def set_default_headers(self) -> None:
        """Forbid guessing of types, stale copies and foreign sources."""
        self.set_header("X-Content-Type-Options", "nosniff")
        self.set_header("Cache-Control", "no-cache")
        self.set_header("Content-Security-Policy", POLICY)
        self.clear_header("Server")

    def get(self) -> None:
        """Send the file."""
        self.set_header("Content-Type", self.content.kind)
        if "gzip" in self.request.headers.get("Accept-Encoding", ""):
            self.set_header("Content-Encoding", "gzip")
            self.write(self.content.compressed)
        else:
            self.write(gzip.decompress(self.content.compressed))
