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
from footfall.config.toml import Key, read_toml
from footfall.config.validate import sized
from footfall.scene.overrides import parse_assignments, varied_keys

__all__ = [
    "DataFile",
    "DataPath",
    "FunctionName",
    "Key",
    "NonNegative",
    "Positive",
    "Text",
    "UnitVector3",
    "Vector3",
    "load_function",
    "parse_assignments",
    "read_table",
    "read_toml",
    "sized",
    "varied_keys",
]
