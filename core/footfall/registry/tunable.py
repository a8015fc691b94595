"""Which fields of a Config are marked as tunable."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from footfall.interfaces.plugin import PluginConfig, Tunable

_UNIT = re.compile(r"\[([^\]]*)\]")


@dataclass(frozen=True, slots=True)
class TunableField:
    """A field that can be changed while the simulation runs.

    Attributes:
        name: of the field.
        mark: its range, as the Config declares it.
        unit: from the field's docstring; ``-`` for ratios.
    """

    name: str
    mark: Tunable
    unit: str

    def value(self, config: Any) -> float | None:
        """Return the field's value if it is a number, else that of the mark's property, or None."""
        found = getattr(config, self.name)
        if found is None and self.mark.otherwise:
            found = getattr(config, self.mark.otherwise)
        if isinstance(found, bool) or not isinstance(found, int | float):
            return None
        return float(found)


def tunable_fields(config: type[PluginConfig]) -> Iterator[TunableField]:
    """Yield the fields that are annotated with ``Tunable``, in the Config's order."""
    for name, field in config.model_fields.items():
        for mark in field.metadata:
            if isinstance(mark, Tunable):
                unit = _UNIT.search(field.description or "")
                yield TunableField(name, mark, unit[1] if unit else "-")
