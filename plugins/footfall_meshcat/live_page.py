"""The page of a running scene: controls beside the viewer, their look and their scripts."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

from footfall_meshcat.page import page, static_text, viewer_script

SCRIPTS = (
    "frame_reader.js",
    "newest.js",
    "pointer.js",
    "highlight.js",
    "drag_plane.js",
    "touch_tip.js",
    "hand_report.js",
    "hand.js",
    "hand_drawing.js",
    "toolbar.js",
    "notice.js",
    "tunables.js",
    "plot.js",
    "signals.js",
    "placing.js",
    "objects.js",
    "live.js",
)
"""The live page's own scripts, in the order in which they are joined."""


def live_page(title: str) -> str:
    """Return the HTML of the page; it loads ``viewer.css``, ``meshcat.js`` and ``viewer.js``."""
    tags = "\n".join(f'<script src="{name}"></script>' for name in ("meshcat.js", "viewer.js"))
    return page(title, '<link rel="stylesheet" href="viewer.css">', tags, _text("live.html"))


def live_style() -> str:
    """Return the text of ``viewer.css``."""
    return "\n".join([static_text("viewer.css"), _text("live.css")])


def live_script() -> str:
    """Return the text of ``viewer.js``."""
    return "\n".join([viewer_script(), *map(_text, SCRIPTS)])


@cache
def _text(name: str) -> str:
    return (files("footfall_meshcat") / "static" / name).read_text("utf-8")
