"""Show the example scripts and notebooks as pages; a build of the documentation runs none."""

import ast
import json
from pathlib import Path

from myst_parser.parsers.sphinx_ import MystParser


def script_page(text, name):
    """Return the page of a script: what it shows, its picture, its code."""
    summary, seen = ast.get_docstring(ast.parse(text)).splitlines()
    title, _, needed = summary.partition(".")
    picture = f"![{seen}](../_static/examples/{name}.webp)"
    return f"# {title}\n\n{seen}{needed}\n\n{picture}\n\n{fenced(text)}"


def notebook_page(text):
    """Return the page of a notebook: its text as it stands, its code in fences."""
    cells = json.loads(text)["cells"]
    sources = [(cell["cell_type"], "".join(cell["source"])) for cell in cells]
    return "\n\n".join(fenced(source) if kind == "code" else source for kind, source in sources)


def fenced(code):
    """Return code in a fence."""
    return f"```python\n{code.rstrip()}\n```\n"


class ExampleParser(MystParser):
    """Reads ``.py`` and ``.ipynb`` as the Markdown of their pages."""

    supported = ("example",)

    def parse(self, inputstring, document):
        """Fill a document from the text of a file."""
        path = Path(document["source"])
        script = path.suffix == ".py"
        text = script_page(inputstring, path.stem) if script else notebook_page(inputstring)
        super().parse(text, document)


def setup(app):
    """Have Sphinx take scripts and notebooks as sources."""
    for suffix in (".py", ".ipynb"):
        app.add_source_suffix(suffix, "example")
    app.add_source_parser(ExampleParser)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
