"""Configuration of the documentation; see CONTRIBUTING.md for how to build it."""

import sys
from importlib.metadata import version as installed_version
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "_ext"))

project = "Footfall"
author = "The Footfall authors"
copyright = f"2026, {author}"
version = release = installed_version("footfall")

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.mathjax",
    "sphinx.ext.napoleon",
    "docstrings",
    "figures",
    "reference_pages",
]
exclude_patterns = ["_build", "reference/generated", "reference/*/overview.md"]
html_theme = "furo"
html_title = f"Footfall {release}"
html_static_path = ["_static"]

myst_enable_extensions = ["colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 3

autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_typehints_format = "short"
autodoc_default_options = {"members": True, "show-inheritance": True}
autodoc_preserve_defaults = True
napoleon_google_docstring = True
napoleon_numpy_docstring = False
napoleon_use_ivar = True
napoleon_use_rtype = False
napoleon_attr_annotations = False
python_maximum_signature_line_length = 90
