"""Settings of a plugin: types of fields, tables of numbers, functions that a scene names."""

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
    "load_function",
    "read_table",
]
