"""Configuration of the documentation; see CONTRIBUTING.md for how to build it."""

import sys
from importlib.metadata import version as installed_version
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

project = "Footfall"
author = "The Footfall authors"
copyright = f"2026, {author}"
version = release = installed_version("footfall")

extensions = ["myst_parser", "mathml", "gallery", "example_pages"]
html_math_renderer = "mathml"
exclude_patterns = ["_build", "*.py", "generators"]
html_theme = "furo"
html_title = f"Footfall {release}"
html_static_path = ["_static"]
html_css_files = ["docs.css"]

myst_enable_extensions = ["colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 3
