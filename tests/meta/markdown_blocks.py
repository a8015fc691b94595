"""Fenced blocks of the project's Markdown pages, and the comments that say what they are."""

import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
FENCE = re.compile(
    r"(?:^<!-- (?P<note>[^>]*?) -->\n)?^```(?P<language>\w+)\n(?P<text>.*?)^```$",
    re.DOTALL | re.MULTILINE,
)


@dataclass(frozen=True)
class Block:
    """A fenced block: its language, its text, and the comment on the line above it."""

    language: str
    text: str
    note: str = ""

    @property
    def file(self):
        """Name of the file that the block is the content of, or None."""
        return self.note.removeprefix("file: ") if self.note.startswith("file: ") else None


def pages():
    """Return README, CONTRIBUTING and all pages of the documentation."""
    found = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
    return [page for page in found if "_build" not in page.parts]


def blocks(page):
    """Return the blocks of a page in order."""
    text = page.read_text(encoding="utf-8")
    return [Block(m["language"], m["text"], m["note"] or "") for m in FENCE.finditer(text)]


def name(page):
    """Return a page's path in the project, for test names."""
    return str(page.relative_to(ROOT))


def write_files(page, folder):
    """Write the files that a page shows to a folder; return their paths."""
    written = []
    for block in blocks(page):
        if block.file:
            path = folder / block.file
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(block.text, encoding="utf-8")
            written.append(path)
    return written
