"""Settings of plugins: types of fields, tables, functions named in a scene; keys of a scene."""

from __future__ import annotations

from footfall.config.csv_table import read_table as read_table
from footfall.config.fields import (
    DataFile as DataFile,
    DataPath as DataPath,
    FunctionName as FunctionName,
    NonNegative as NonNegative,
    Positive as Positive,
    Text as Text,
    UnitVector3 as UnitVector3,
    Vector3 as Vector3,
    load_function as load_function,
)
from footfall.config.toml import Key as Key, read_toml as read_toml
from footfall.config.validate import sized as sized
from footfall.scene.overrides import (
    parse_assignments as parse_assignments,
    varied_keys as varied_keys,
)
