"""Settings of a plugin: types of fields, tables, functions that a scene names; keys of a scene."""

from __future__ import annotations

from footfall.config.csv_table import read_table
from footfall.config.fields import (
    DataFile,
    DataPath,
    FunctionName,
    NonNegative,
    Positive,
    Text,
    UnitVector3,
    Vector3,
    load_function,
)
from footfall.config.toml import dotted, parse_key, read_toml
from footfall.config.validate import sized
from footfall.scene.choose import SLOTS
from footfall.scene.fingerprint import changed_defaults
from footfall.scene.overrides import parse_assignments, parse_value, split_assignment
from footfall.scene.resolved import resolved

__all__ = [
    "SLOTS",
    "DataFile",
    "DataPath",
    "FunctionName",
    "NonNegative",
    "Positive",
    "Text",
    "UnitVector3",
    "Vector3",
    "changed_defaults",
    "dotted",
    "load_function",
    "parse_assignments",
    "parse_key",
    "parse_value",
    "read_table",
    "read_toml",
    "resolved",
    "sized",
    "split_assignment",
]
