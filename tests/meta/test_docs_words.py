"""The documentation stays short, and its links lead to pages and headings that are there."""

import re
from collections import Counter

from tests.meta.markdown_blocks import ROOT, name, pages

DOCS = ROOT / "docs"
WORDS = 70_000
"""Words of all pages with tables and code, but the reference of the API: that of docstrings."""
LONGEST = 4_000
README_LINES = 90
LINK = re.compile(r"\]\((?P<target>[^)\s]+)\)")


def written():
    """Return all pages but the API's."""
    return [page for page in pages() if DOCS / "reference" / "api" not in page.parents]


def words(page):
    return sum(1 for word in page.read_text(encoding="utf-8").split() if re.search(r"\w", word))


def lines_of(page):
    """Yield the lines of a page outside of code."""
    code = False
    for line in page.read_text(encoding="utf-8").splitlines():
        code ^= line.startswith("```")
        if not code:
            yield line


def headings(page):
    """Return the anchors of a page's headings."""
    times, found = Counter(), set()
    for line in lines_of(page):
        if heading := re.match(r"#+ (.*)", line):
            text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading[1].replace("`", ""))
            slug = re.sub(r"[^\w\- ]", "", text.strip().lower()).replace(" ", "-")
            found.add(f"{slug}-{times[slug]}" if times[slug] else slug)
            times[slug] += 1
    return found


def test_the_documentation_is_short():
    docs = [page for page in written() if DOCS in page.parents]
    assert sum(map(words, docs)) <= WORDS
    assert {name(page): words(page) for page in docs if words(page) > LONGEST} == {}


def test_the_readme_is_short():
    assert len((ROOT / "README.md").read_text(encoding="utf-8").splitlines()) <= README_LINES


def test_links_lead_to_headings():
    anchors, lost = {}, []
    for page in written():
        for link in LINK.finditer("\n".join(lines_of(page))):
            file, _, anchor = link["target"].partition("#")
            target = (page.parent / file).resolve() if file else page
            if anchor and ":" not in file and target.suffix == ".md":
                known = anchors.get(target) or anchors.setdefault(target, headings(target))
                lost += [] if anchor in known else [f"{name(page)}: {link['target']}"]
    assert lost == []
