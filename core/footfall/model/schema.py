"""How every table of a robot file is validated."""

from __future__ import annotations

from pydantic import ConfigDict

SCHEMA = ConfigDict(
    frozen=True,
    extra="forbid",
    strict=True,
    allow_inf_nan=False,
    validate_default=True,
    use_attribute_docstrings=True,
)
