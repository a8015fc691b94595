"""Write reference pages from what is installed, before Sphinx reads the documentation."""

from pathlib import Path

from command_line_page import command_line_page
from plugin_page import plugin_page
from recording_page import recording_page
from robot_file_page import robot_file_page
from scene_file_page import scene_file_page

PAGES = {
    "command-line.md": command_line_page,
    "plugins.md": plugin_page,
    "recording.md": recording_page,
    "robot-file.md": robot_file_page,
    "scene-file.md": scene_file_page,
}


def setup(app):
    app.connect("builder-inited", lambda app: write_pages(Path(app.srcdir)))
    return {"parallel_read_safe": True}


def write_pages(docs):
    """Write the pages that do not hold the same text already."""
    folder = docs / "reference" / "generated"
    folder.mkdir(parents=True, exist_ok=True)
    for name, page in PAGES.items():
        path, text = folder / name, page()
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
