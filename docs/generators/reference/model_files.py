"""The tables of model files' elements and attributes."""

import re

from footfall_import.coverage import FATES
from footfall_import.mjcf.coverage import MJCF
from footfall_import.urdf.coverage import URDF

OF_MJCF = """
`joint`, `geom` and `site` are elements inside a `body`. Of `free` joints only the name is used.
"""
OF_URDF = """
For `velocity` of a `<limit>`, set [actuators](plugins/actuator.md) in the scene.
"""


def model_files_page():
    """Return what an import makes of each attribute, by format."""
    fates = [f"- *{name}*: {meaning}." for name, meaning in FATES.items()]
    parts = ["\n".join([*fates, "- Attributes that are not listed are *reported*."])]
    parts += ["## MJCF", OF_MJCF.strip(), MJCF.table(), "## URDF", OF_URDF.strip(), URDF.table()]
    return re.sub(r"\btold\b", "reported", "\n\n".join(parts))
