"""Readers of robot files: numbers and names of XML, an MJCF with includes and defaults."""

from __future__ import annotations

from footfall.formats.mjcf_document import (
    Document,
    name_everything,
    optional,
    read_document,
    with_includes,
    write_out_defaults,
)
from footfall.formats.xml import Place, at_least_zero, attribute, number, numbers
from footfall.model.robot import load_robot

__all__ = [
    "Document",
    "Place",
    "at_least_zero",
    "attribute",
    "load_robot",
    "name_everything",
    "number",
    "numbers",
    "optional",
    "read_document",
    "with_includes",
    "write_out_defaults",
]
