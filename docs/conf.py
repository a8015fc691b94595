"""Configuration of the documentation; see CONTRIBUTING.md for how to build it."""

from importlib.metadata import version as installed_version

project = "Footfall"
author = "The Footfall authors"
copyright = f"2026, {author}"
version = release = installed_version("footfall")

extensions = ["myst_parser", "sphinx.ext.mathjax"]
exclude_patterns = ["_build", "results/*/overview.md"]
html_theme = "furo"
html_title = f"Footfall {release}"
html_static_path = ["_static"]

myst_enable_extensions = ["colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 3
