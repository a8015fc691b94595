"""Formulas as MathML, which browsers draw themselves: pages need no network for them."""

import re

from docutils import nodes
from latex2mathml.converter import convert
from sphinx.util import logging

WORDS = {
    r"\\\n": r"\\ ",
    r"\\arg(?![a-z])": r"\\mathrm{arg}\\,",
    r"(\\[bB]igg?[lr]?)\\\|": r"\1‖",
}
"""What the converter does not know, as patterns, in words that it does."""


def mathml(node, display):
    """Return a formula's MathML; a warning names one with a command that is not known."""
    text = node.astext()
    for given, taken in WORDS.items():
        text = re.sub(given, taken, text)
    found = convert(text, display=display)
    if "\\" in found:
        logging.getLogger(__name__).warning("formula: %s", text, location=node)
    return found


def visit_inline(translator, node):
    """Write a formula in a line."""
    translator.body.append(mathml(node, "inline"))
    raise nodes.SkipNode


def visit_block(translator, node):
    """Write a formula of its own; a wide one can be scrolled."""
    translator.body.append(f'<div class="math">{mathml(node, "block")}</div>')
    raise nodes.SkipNode


def setup(app):
    """Add the renderer ``mathml``."""
    app.add_html_math_renderer("mathml", (visit_inline, None), (visit_block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
