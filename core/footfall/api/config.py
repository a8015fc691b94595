"""Settings: types of fields, tables of numbers, functions that a scene names; a scene resolved."""

from __future__ import annotations

from footfall.config.csv_table import read_table
from footfall.config.fields import (
    NAME_PATTERN,
    DataFile,
    DataPath,
    FunctionName,
    NonNegative,
    Positive,
    PositiveInt,
    Text,
    UnitInterval,
    UnitVector3,
    Vector3,
    load_function,
)
from footfall.config.toml import dotted, read_toml
from footfall.scene.fingerprint import changed_defaults
from footfall.scene.overrides import parse_assignments
from footfall.scene.resolved import resolved

__all__ = [
    "NAME_PATTERN",
    "DataFile",
    "DataPath",
    "FunctionName",
    "NonNegative",
    "Positive",
    "PositiveInt",
    "Text",
    "UnitInterval",
    "UnitVector3",
    "Vector3",
    "changed_defaults",
    "dotted",
    "load_function",
    "parse_assignments",
    "read_table",
    "read_toml",
    "resolved",
]
