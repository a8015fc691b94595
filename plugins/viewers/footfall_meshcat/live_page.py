"""The page of a running scene: the viewer with its controls, styles and scripts."""

from __future__ import annotations

from footfall_meshcat.page import served_page, static_text, viewer_script

SCRIPTS = (
    "frame_reader.js",
    "newest.js",
    "highlight.js",
    "drag_plane.js",
    "touch_tip.js",
    "hand_report.js",
    "hand.js",
    "hand_drawing.js",
    "toolbar.js",
    "notice.js",
    "tunables.js",
    "placing.js",
    "objects.js",
    "live.js",
)
"""The live page's own scripts, in the order of their joining."""


def live_page(title: str) -> str:
    """Return the HTML of the page; it loads ``viewer.css``, ``meshcat.js`` and ``viewer.js``."""
    return served_page(title, static_text("live.html"), static_text("live_bar.html"))


START = "window.footfall = new Footfall.Live();"
"""First statement in the page."""


def live_scripts(*more: str) -> str:
    """Return the viewer's and the live page's scripts, and further ones, joined into one."""
    return "\n".join([viewer_script(), *map(static_text, (*SCRIPTS, *more))])


def live_script() -> str:
    """Return the text of ``viewer.js``."""
    return f"{live_scripts()}\n{START}\n"
