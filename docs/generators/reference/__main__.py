"""Write the reference from the code: python -m docs.generators.reference [--check].

Pages on files, plugins, commands and recorded variables are written by hand but for one part each,
between two comments; the pages on the Python interface are written whole. ``--check`` writes
nothing and fails if a page would change.
"""

import re
import sys
from functools import partial
from pathlib import Path

from docs.generators.reference.command_line import command_line_page
from docs.generators.reference.model_files import model_files_page
from docs.generators.reference.plugin_pages import PAGES, index_page, plugin_page
from docs.generators.reference.python_api import pages as api_pages
from docs.generators.reference.recording import recording_page
from docs.generators.reference.robot_file import robot_file_page
from docs.generators.reference.scene_file import scene_file_page

FOLDER = Path(__file__).parents[2] / "reference"
PARTS = {
    "cli.md": command_line_page,
    "cli-judge.md": partial(command_line_page, judging=True),
    "model-files.md": model_files_page,
    "plugins.md": index_page,
    **{f"plugins/{name}.md": partial(plugin_page, name) for name in PAGES},
    "recording.md": recording_page,
    "robot-file.md": robot_file_page,
    "scene-file.md": scene_file_page,
}
BEGIN = "<!-- From here on written by `python -m docs.generators.reference`. -->\n"
END = "<!-- Until here. -->"
PART = re.compile(re.escape(BEGIN) + ".*?" + re.escape(END), re.DOTALL)


def expected():
    """Return the text that every page should have, by path in ``docs/reference``."""
    texts = {f"api/{name}": text for name, text in api_pages().items()}
    for name, part in PARTS.items():
        page = (FOLDER / name).read_text(encoding="utf-8")
        if not PART.search(page):
            raise LookupError(f"{name} has no part to be written: {BEGIN.strip()}")
        written = f"{BEGIN}\n{part().strip()}\n\n{END}"
        texts[name] = PART.sub(lambda _, written=written: written, page, count=1)
    return texts


def stale():
    """Return the pages that do not hold what they should, those that should be gone as well."""
    texts = expected()
    there = {f"api/{path.name}" for path in (FOLDER / "api").glob("*.md")}
    changed = {name for name, text in texts.items() if _read(name) != text}
    return sorted(changed | (there - set(texts)))


def write():
    """Write every page that is not as it should be; say which."""
    texts = expected()
    for name in stale():
        print(name)
        if name in texts:
            (FOLDER / name).write_text(texts[name], encoding="utf-8")
        else:
            (FOLDER / name).unlink()


def _read(name):
    path = FOLDER / name
    return path.read_text(encoding="utf-8") if path.exists() else None


if __name__ == "__main__":
    if "--check" not in sys.argv:
        write()
    elif stale():
        sys.exit(f"not as the code says: {', '.join(stale())}")
