"""Docstrings are plain text with ``code``: keep Sphinx from reading their formulas as markup."""

import re

CODE = re.compile(r"(``.+?``)", re.DOTALL)
MARKUP = re.compile(r"\||\*(?! )|(?<! )(?<!\n)\*")
"""Bars, and asterisks that are not the bullets of a list."""
HIDDEN_COLON = "\N{RATIO}"
"""Napoleon, which takes what stands before an attribute's first colon for its type, sees this."""


def setup(app):
    napoleon = 500
    app.connect("autodoc-process-docstring", escape_formulas, priority=napoleon - 100)
    app.connect("autodoc-process-docstring", show_colons, priority=napoleon + 100)
    return {"parallel_read_safe": True}


def escape_formulas(app, what, name, obj, options, lines):
    """Escape bars and asterisks outside of code, and hide attributes' colons, in place."""
    parts = CODE.split("\n".join(lines))
    parts[::2] = [MARKUP.sub(lambda found: "\\" + found.group(), part) for part in parts[::2]]
    text = "".join(parts)
    if what in ("attribute", "property", "data"):
        text = text.replace(":", HIDDEN_COLON)
    lines[:] = text.split("\n")


def show_colons(app, what, name, obj, options, lines):
    """Put the colons back, in place."""
    lines[:] = [line.replace(HIDDEN_COLON, ":") for line in lines]
