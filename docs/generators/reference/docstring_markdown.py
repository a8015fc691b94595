"""Docstrings in Google style as Markdown."""

import inspect
import re

CODE = re.compile(r"``(.+?)``", re.DOTALL)
MARKUP = re.compile(r"\*(?! )|(?<=\S)\*|[<$]|(?<!\w)_|_(?!\w)")
"""What Markdown would read as markup in a formula."""
SECTIONS = ("Args", "Attributes", "Returns", "Yields", "Raises", "Note", "Example")
ITEMS = ("Args", "Attributes", "Raises")
"""Sections that are lists of a name, a colon and words."""


def to_markdown(docstring, types=None):
    """Return a docstring as Markdown.

    Args:
        docstring: in Google style; code in double backquotes; indented lines are shown as they are.
        types: of attributes, by name; they are shown in the list of attributes.
    """
    parts, lines = [], inspect.cleandoc(docstring or "").splitlines()
    while lines:
        title = lines[0].rstrip(":") if lines[0].endswith(":") else ""
        if title in SECTIONS:
            end = _end(lines, 1, lambda line: bool(line) and not line.startswith(" "))
            parts.append(_section(title, _dedented(lines[1:end]), types or {}))
        else:
            end = _end(lines, 1, lambda line: line.rstrip(":") in SECTIONS and line[-1] == ":")
            parts.append(_prose(lines[:end]))
        lines = lines[end:]
    return "\n\n".join(part for part in parts if part.strip())


def first_paragraph(docstring):
    """Return the first paragraph of a docstring as one line of Markdown."""
    return " ".join(to_markdown(docstring).split("\n\n")[0].split())


def inline(text):
    """Return words with code in double backquotes as Markdown."""
    parts = CODE.split(text)
    parts[::2] = [MARKUP.sub(lambda found: "\\" + found.group(), part) for part in parts[::2]]
    parts[1::2] = [f"`{' '.join(part.split())}`" for part in parts[1::2]]
    return "".join(parts)


def _end(lines, start, ends):
    """Return the index of the first line from a start on that ends a part."""
    return next((i for i in range(start, len(lines)) if ends(lines[i])), len(lines))


def _section(title, lines, types):
    if title in ITEMS:
        return f"*{title}*\n\n{_items(lines, types)}"
    return f"*{title}*: {_prose(lines)}"


def _prose(lines):
    """Return paragraphs and lists; indented blocks, and what follows ``::``, become code."""
    parts = []
    for paragraph in re.split(r"\n\s*\n", "\n".join(lines).strip("\n")):
        block = paragraph.split("\n")
        if all(line.startswith("    ") for line in block):
            code = "\n".join(_dedented(block))
            if parts and parts[-1].endswith("```"):
                parts[-1] = parts[-1].removesuffix("\n```") + f"\n\n{code}\n```"
            else:
                parts.append(f"```text\n{code}\n```")
        else:
            parts.append(re.sub(r"::$", ":", inline(paragraph)))
    return "\n\n".join(parts)


def _items(lines, types):
    """Return a section's names and words as a list."""
    text = "\n".join(lines)
    items = []
    for item in re.split(r"\n(?=\S)", text):
        name, _, words = item.partition(":")
        kind = f" (`{types[name]}`)" if name in types else ""
        items.append(f"- `{name}`{kind}: {inline(' '.join(words.split()))}")
    return "\n".join(items)


def _dedented(lines):
    return inspect.cleandoc("\n" + "\n".join(lines)).splitlines()
