"""The page of a scene: one template and one set of scripts for live runs and recordings."""

from __future__ import annotations

import html
from functools import cache
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path

from footfall.api.plugin import PluginError

SCRIPTS = (
    "payload.js",
    "keys.js",
    "shapes.js",
    "collision_shapes.js",
    "bodies.js",
    "look.js",
    "quality.js",
    "ground.js",
    "surface.js",
    "terrain.js",
    "axes.js",
    "arrows.js",
    "attached.js",
    "mass_centre.js",
    "contact_points.js",
    "support.js",
    "trail.js",
    "rays.js",
    "camera.js",
    "clock.js",
    "panel.js",
    "viewer.js",
    "history.js",
    "player.js",
    "signals.js",
    "plots.js",
    "pointer.js",
    "selection.js",
    "tree.js",
)
"""The viewer's scripts, in the order of their joining."""

START = "Footfall.openRecording().catch(Footfall.explain);"
"""First statement in a page of a recording."""


@cache
def static_text(name: str) -> str:
    """Return the text of one of the viewer's static files."""
    return (files("footfall_meshcat") / "static" / name).read_text("utf-8")


def viewer_script() -> str:
    """Return the viewer's scripts, with the library of the plots, joined into one."""
    return "\n".join(map(static_text, ("uplot/uPlot.min.js", *SCRIPTS)))


def viewer_style() -> str:
    """Return the viewer's style sheets joined into one."""
    return "\n".join(map(static_text, ("uplot/uPlot.min.css", "viewer.css")))


def library_folder() -> Path:
    """Return the folder of the JavaScript library (three.js, bundled by meshcat).

    Raises:
        PluginError: if meshcat is not installed.
    """
    spec = find_spec("meshcat")  # not imported: its Python code is not needed
    folder = Path(spec.origin).parent / "viewer" if spec and spec.origin else None
    if folder is None or not (folder / "dist" / "main.min.js").is_file():
        raise PluginError('showing a page needs "meshcat": pip install meshcat')
    return folder


def library_script() -> bytes:
    """Return the JavaScript library, which defines ``MeshCat``."""
    return (library_folder() / "dist" / "main.min.js").read_bytes()


def served_page(title: str, controls: str = "", bar: str = "") -> str:
    """Return a page that loads ``viewer.css``, ``meshcat.js`` and ``viewer.js``."""
    tags = "\n".join(f'<script src="{name}"></script>' for name in ("meshcat.js", "viewer.js"))
    return page(title, '<link rel="stylesheet" href="viewer.css">', tags, controls, bar)


def page(title: str, style: str, scripts: str, controls: str = "", bar: str = "") -> str:
    """Return the page with its style, its scripts, and further controls of panel and bar."""
    return (
        static_text("page.html")
        .replace("<title>Footfall</title>", f"<title>{html.escape(title)} - Footfall</title>")
        .replace("<!-- bar -->", bar)
        .replace("<!-- controls -->", controls)
        .replace("<!-- style -->", style)
        .replace("<!-- scripts -->", scripts)
    )
